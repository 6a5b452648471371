/**
 * Folders that others write to, opened so that nothing leads out of them: each step goes through the descriptor of the
 * folder above (`/proc/self/fd`) and follows no link, so that a folder that is exchanged for a link between two looks
 * shows nothing. Linux only, as all of Assay. What lies in them all is walked by `folder-walk.ts`.
 */
import { randomUUID } from 'node:crypto';
import { constants, opendirSync, type PathLike } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { codeOf } from '../domain/error-code.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

const NAMES_AT_ONCE = 32;

/** An open folder; `within` gives the paths of its entries. */
export class SafeFolder implements AsyncDisposable {
  readonly device: bigint;
  /** Equal for one folder under whatever path it was opened. */
  readonly identity: string;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, found: FolderNumbers) {
    this.#handle = handle;
    this.device = found.dev;
    this.identity = identityOf(found);
  }

  /** The path itself may lead over links; nothing below it will. Rejects as open(2) does. */
  static async open(path: string): Promise<SafeFolder> {
    return await SafeFolder.#open(await realpath(path));
  }

  static async #open(path: PathLike): Promise<SafeFolder> {
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      return new SafeFolder(handle, await handle.stat({ bigint: true }));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The path of an entry, valid while the folder is open. A link stays one: open it with O_NOFOLLOW. */
  within(name: string): string {
    // Not joined: `.` must stay, or the magic link itself would be meant.
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  async openFolder(name: string): Promise<SafeFolder> {
    return await SafeFolder.#open(this.within(name));
  }

  /** Opens a folder some steps below; '' is another handle of this one. Makes missing folders if asked to. */
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

  /** Takes the mode of the folder above: the daemon's umask is meant for its own data. */
  async #openAs(above: SafeFolder): Promise<void> {
    const { mode } = await above.#handle.stat();
    // A share without modes refuses this.
    await this.#handle.chmod((mode & 0o777) | 0o700).catch(() => undefined);
  }

  /** Opens a file for reading. It waits for no pipe and follows no link; the caller checks that it is a plain file. */
  async openFile(name: string): Promise<FileHandle> {
    return await open(this.within(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  }

  async isEmpty(): Promise<boolean> {
    await using entries = await opendir(this.within('.'), { bufferSize: 1 });
    return (await entries.read()) === null;
  }

  /** Removes all entries, links themselves. Throws once `namesMax` are removed, since another program may add them faster. */
  async empty(namesMax: number): Promise<void> {
    let left = namesMax;
    /** Resolves with whether it was a file; the names of a folder were moved up here. */
    const remove = async (folder: SafeFolder, name: string): Promise<boolean> => {
      left -= 1;
      if (left < 0) throw new Error(`more than ${namesMax} names were to be removed`);
      const path = Buffer.from(folder.within(name), 'latin1');
      if (await isUnlinked(path)) return true;
      if (folder !== this) await rename(path, this.within(randomUUID()));
      else {
        await using inner = await SafeFolder.#open(path);
        await inner.#eachName((innerName) => remove(inner, innerName));
        await rmdir(path);
      }
      return false;
    };
    await this.#eachName((name) => remove(this, name));
  }

  /** Repeats until few files were found; reads synchronously, since turns of other threads cost the event loop more. */
  async #eachName(remove: (name: string) => Promise<boolean>): Promise<void> {
    for (let isLeft = true; isLeft; ) {
      const names = this.#someNames();
      isLeft = names.length === NAMES_AT_ONCE;
      for (const name of names) isLeft = !(await remove(name)) || isLeft;
    }
  }

  /** Names need not be UTF-8. */
  #someNames(): string[] {
    using entries = opendirSync(this.within('.'), { encoding: 'latin1', bufferSize: NAMES_AT_ONCE });
    const names: string[] = [];
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      names.push(entry.name);
      if (names.length === NAMES_AT_ONCE) break;
    }
    return names;
  }

  /** Makes files that were written and renamed in it outlast a power failure, if the file system can. */
  async flush(): Promise<void> {
    await this.#handle.sync().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function isUnlinked(path: PathLike): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    // Its writer removed it meanwhile.
    if (codeOf(error) === 'ENOENT') return true;
    if (codeOf(error) === 'EISDIR') return false;
    throw error;
  }
}

interface FolderNumbers {
  dev: bigint;
  ino: bigint;
}

export const identityOf = ({ dev, ino }: FolderNumbers): string => `${dev}:${ino}`;

/** Returns whether it was made. */
async function makeUnlessThere(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}
