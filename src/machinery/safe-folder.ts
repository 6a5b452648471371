/**
 * Folders that others write to, opened so that nothing leads out of them: each step goes through the descriptor of the
 * folder above (`/proc/self/fd`) and follows no link, so that a folder that is exchanged for a link between two looks
 * shows nothing. Linux only, as all of Assay.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, realpath } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** Folders within folders that are gone into: each one holds a descriptor, and a maze has no end. */
export const DEPTH_MAX = 16;
/** Entries that are read at once: a folder of a million costs no more memory than this. */
const ENTRIES_AT_ONCE = 256;

/** An open folder; what lies in it is reached by `within`. */
export class SafeFolder implements AsyncDisposable {
  readonly device: bigint;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, device: bigint) {
    this.#handle = handle;
    this.device = device;
  }

  /** The path itself may lead over links; nothing below it will. Rejects as open(2) does. */
  static async open(path: string): Promise<SafeFolder> {
    return await SafeFolder.#open(await realpath(path));
  }

  static async #open(path: string): Promise<SafeFolder> {
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      return new SafeFolder(handle, (await handle.stat({ bigint: true })).dev);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The way to an entry, of use while the folder is open. A link stays one: open it with O_NOFOLLOW. */
  within(name: string): string {
    // Not joined: `.` must stay, or the magic link itself would be meant.
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  async openFolder(name: string): Promise<SafeFolder> {
    return await SafeFolder.#open(this.within(name));
  }

  /** A folder some steps below; '' is another handle of this one. Makes what is missing where asked to. */
  async openBelow(path: string, isMade = false): Promise<SafeFolder> {
    let folder = await SafeFolder.#open(this.within('.'));
    for (const name of path.split('/').filter((part) => part !== '')) {
      await using above = folder;
      const isNew = isMade && (await makeUnlessThere(above.within(name)));
      folder = await above.openFolder(name);
      if (isNew) await folder.#openAs(above);
    }
    return folder;
  }

  /** Who may enter the folder above may enter this one: the daemon's umask is for its own data. */
  async #openAs(above: SafeFolder): Promise<void> {
    const { mode } = await above.#handle.stat();
    // A share without modes takes none.
    await this.#handle.chmod((mode & 0o777) | 0o700).catch(() => undefined);
  }

  /** For reading. A pipe is not waited for and a link not followed; that it is a plain file is the caller's to check. */
  async openFile(name: string): Promise<FileHandle> {
    return await open(this.within(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  }

  async isEmpty(): Promise<boolean> {
    await using entries = await opendir(this.within('.'), { bufferSize: 1 });
    return (await entries.read()) === null;
  }

  /** Makes what was written and renamed in it outlast a power failure, where the file system can. */
  async flush(): Promise<void> {
    await this.#handle.sync().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Whether it was made. */
async function makeUnlessThere(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** What lstat(2) says of a plain file. */
export interface FileLook {
  sizeBytes: number;
  modifiedNs: string;
}

export function toLook({ size, mtimeNs }: { size: bigint; mtimeNs: bigint }): FileLook {
  return { sizeBytes: Number(size), modifiedNs: String(mtimeNs) };
}

export function isSameLook(left: FileLook, right: FileLook): boolean {
  return left.sizeBytes === right.sizeBytes && left.modifiedNs === right.modifiedNs;
}

export interface WalkedFile extends FileLook {
  /** Below the folder that is walked, with `/`. */
  path: string;
  name: string;
  /** Open until the next file is asked for. */
  folder: SafeFolder;
}

export interface WalkOptions {
  /** Whether a file or folder of the name is left out; `depth` is 0 in the folder itself. */
  isPassedOver: (name: string, depth: number) => boolean;
  /** Waited for before each entry is looked at. */
  pace: () => Promise<void>;
  /** Called with the path of what could not be entered. */
  onObstacle: (path: string, reason: string) => void;
}

/** Every plain file below, in the order in which the file system gives them; of one file system, over no link. */
export async function* walkFolder(root: SafeFolder, options: WalkOptions): AsyncGenerator<WalkedFile> {
  yield* walk(root, '', 0, options);
}

async function* walk(
  folder: SafeFolder,
  path: string,
  depth: number,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  for await (const entry of await opendir(folder.within('.'), { bufferSize: ENTRIES_AT_ONCE })) {
    const { name } = entry;
    if (options.isPassedOver(name, depth) || entry.isSymbolicLink()) continue;
    await options.pace();
    const entryPath = path === '' ? name : `${path}/${name}`;
    const found = await lstat(folder.within(name), { bigint: true }).catch((error: unknown) => {
      // Gone since, or of a name that is no UTF-8 and cannot be asked for.
      if (name.includes('\ufffd')) options.onObstacle(entryPath, 'its name is not UTF-8');
      else if (codeOf(error) !== 'ENOENT') options.onObstacle(entryPath, codeOf(error));
      return null;
    });
    if (found?.isFile() === true) yield { path: entryPath, name, folder, ...toLook(found) };
    else if (found?.isDirectory() === true) {
      if (depth + 1 >= DEPTH_MAX) options.onObstacle(entryPath, `deeper than ${DEPTH_MAX} folders`);
      else yield* walkBelow(folder, name, entryPath, depth + 1, options);
    }
  }
}

async function* walkBelow(
  above: SafeFolder,
  name: string,
  path: string,
  depth: number,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  const opened = await above.openFolder(name).catch((error: unknown) => {
    options.onObstacle(path, codeOf(error));
    return null;
  });
  if (opened === null) return;
  await using folder = opened;
  if (folder.device !== above.device) options.onObstacle(path, 'another file system');
  else yield* walk(folder, path, depth, options);
}

/** The name of a system's error, or its text. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return String(error);
}
