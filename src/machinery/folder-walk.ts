/** Plain files below a folder, one by one; follows no link, enters no other file system and no folder twice. */
import { lstat, opendir } from 'node:fs/promises';
import { codeOf } from '../domain/error-code.ts';
import { type FileLook, toLook } from './file-look.ts';
import type { SafeFolder } from './safe-folder.ts';

/** Depth of folders: each open one holds a descriptor. */
export const DEPTH_MAX = 16;
/** Entries that are read at once: a folder of a million costs no more memory than this. */
const ENTRIES_AT_ONCE = 256;

export interface WalkedFile extends FileLook {
  /** Below the walked folder, with `/`. */
  path: string;
  name: string;
  /** Open until the next file is asked for. */
  folder: SafeFolder;
}

export interface WalkOptions {
  /** Whether a file or folder of the name is left out; `depth` is 0 in the folder itself. */
  isPassedOver: (name: string, depth: number) => boolean;
  /** Why a folder is not entered, whatever its name; null if it is. */
  obstacleOf: (folder: SafeFolder) => string | null;
  /** Awaited before each entry is looked at. */
  pace: () => Promise<void>;
  /** Called with the path of what could not be entered. */
  onObstacle: (path: string, reason: string) => void;
  /** Called with the names that are left out. */
  onPassedOver: (folder: SafeFolder, name: string) => Promise<void>;
}

/** Files come in the order in which the file system gives them. */
export async function* walkFolder(root: SafeFolder, options: WalkOptions): AsyncGenerator<WalkedFile> {
  yield* walk({ folder: root, path: '', above: [root.identity] }, options);
}

/** Where a walk is: the folder, its path below the root, and the identities of it and of those above. */
interface Stand {
  folder: SafeFolder;
  path: string;
  above: readonly string[];
}

async function* walk(stand: Stand, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const { folder, path, above } = stand;
  for await (const entry of await opendir(folder.within('.'), { bufferSize: ENTRIES_AT_ONCE })) {
    const { name } = entry;
    if (entry.isSymbolicLink()) continue;
    if (options.isPassedOver(name, above.length - 1)) {
      await options.onPassedOver(folder, name);
      continue;
    }
    await options.pace();
    const entryPath = path === '' ? name : `${path}/${name}`;
    const found = await lstat(folder.within(name), { bigint: true }).catch((error: unknown) => {
      // The file has gone since, or its name is no UTF-8 and cannot be asked for.
      if (name.includes('\ufffd')) options.onObstacle(entryPath, 'its name is not UTF-8');
      else if (codeOf(error) !== 'ENOENT') options.onObstacle(entryPath, codeOf(error));
      return null;
    });
    if (found?.isFile() === true) yield { path: entryPath, name, folder, ...toLook(found) };
    else if (found?.isDirectory() === true) {
      if (above.length >= DEPTH_MAX) options.onObstacle(entryPath, `deeper than ${DEPTH_MAX} folders`);
      else yield* walkBelow(stand, name, entryPath, options);
    }
  }
}

async function* walkBelow(
  { folder: upper, above }: Stand,
  name: string,
  path: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  const opened = await upper.openFolder(name).catch((error: unknown) => {
    options.onObstacle(path, codeOf(error));
    return null;
  });
  if (opened === null) return;
  await using folder = opened;
  const obstacle = obstacleOf(folder, upper, above) ?? options.obstacleOf(folder);
  if (obstacle !== null) options.onObstacle(path, obstacle);
  else yield* walk({ folder, path, above: [...above, folder.identity] }, options);
}

function obstacleOf(folder: SafeFolder, upper: SafeFolder, above: readonly string[]): string | null {
  if (folder.device !== upper.device) return 'another file system';
  // A bind mount can show a folder within itself.
  return above.includes(folder.identity) ? 'it is a folder that it lies in' : null;
}
