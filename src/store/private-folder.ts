/** Closes a data folder to others. The umask keeps new files private; this is for files of older versions and people. */
import type { Stats } from 'node:fs';
import { chmod, lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Keeps private what this process and its children make. */
export const PRIVATE_UMASK = 0o077;

const OTHERS = 0o077;
const OWNER = 0o700;
/** Faults that one start logs one by one. */
const FAULTS_SHOWN_MAX = 5;
/** Looked into although it is closed itself: a person may have copied an open file into it, and it holds the most. */
const RECORDS = 'records';

const isOpen = ({ mode }: Stats): boolean => (mode & OTHERS) !== 0;
const shown = (mode: number): string => (mode & 0o777).toString(8);

/** Takes others' rights from the folder and its entries, and reports them; a closed folder costs later starts nothing. */
export async function closeToOthers(folder: string, report: (message: string) => void): Promise<void> {
  const before = await stat(folder);
  const closing = new Closing();
  if (isOpen(before)) await closing.close(folder, before);
  await closing.closeBelow(folder, (name, found) => isOpen(found) || name === RECORDS);
  if (isOpen(before)) {
    const mode = `(mode ${shown(before.mode)})`;
    const count = `with ${closing.count - 1} files and folders in it`;
    report(
      `other users of this box could enter the data folder ${folder} ${mode}; it is its owner’s alone now, ${count}`,
    );
  } else if (closing.count > 0) {
    const count = `${closing.count} files and folders`;
    report(
      `other users of this box could read ${count} in the data folder ${folder}; they are its owner’s alone now`,
    );
  }
  for (const fault of closing.faults.slice(0, FAULTS_SHOWN_MAX)) report(fault);
  const more = closing.faults.length - FAULTS_SHOWN_MAX;
  if (more > 0)
    report(`and ${more} more files and folders of the data folder that other users of this box can read`);
}

class Closing {
  readonly faults: string[] = [];
  count = 0;

  async close(path: string, { mode }: Stats): Promise<void> {
    try {
      await chmod(path, mode & OWNER);
      // A file system without modes accepts the call and changes nothing.
      if (isOpen(await lstat(path))) throw new Error('its file system keeps no modes');
      this.count += 1;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.faults.push(
        `other users of this box can read ${path} (mode ${shown(mode)}), and it cannot be closed: ${reason}`,
      );
    }
  }

  async closeBelow(folder: string, isEntered: (name: string, found: Stats) => boolean): Promise<void> {
    for await (const { name } of await opendir(folder)) {
      const path = join(folder, name);
      const found = await lstat(path);
      if (found.isSymbolicLink()) await this.#judgeLink(path);
      else if (isOpen(found)) await this.close(path, found);
      if (found.isDirectory() && isEntered(name, found))
        await this.closeBelow(path, (_, below) => isOpen(below));
    }
  }

  /** A link's target belongs to somebody else, perhaps to other programs too. */
  async #judgeLink(path: string): Promise<void> {
    const target = await stat(path).catch(() => undefined);
    if (target === undefined || !isOpen(target)) return;
    this.faults.push(
      `${path} is a link, and other users of this box can read what it leads to (mode ${shown(target.mode)}): close it with chmod`,
    );
  }
}
