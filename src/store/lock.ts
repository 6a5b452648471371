/** One daemon per data folder: a second one would undo the single-writer promise of everything above. */
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** Holds the folder until disposed. A lock left by a killed process is taken over. */
export class FolderLock implements AsyncDisposable {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async acquire(folder: string): Promise<FolderLock> {
    const path = join(folder, 'daemon.lock');
    const own = `${path}.${process.pid}`;
    await writeFile(own, `${process.pid} ${await startTimeOf(process.pid)}\n`, { mode: 0o600 });
    try {
      await takeOver(own, path, folder);
    } finally {
      await unlink(own);
    }
    return new FolderLock(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await unlink(this.#path);
  }
}

async function takeOver(own: string, path: string, folder: string): Promise<void> {
  if (await linkIfAbsent(own, path)) return;
  const [pid, startTime] = (await readFile(path, 'utf8')).trim().split(' ');
  if (pid !== undefined && startTime !== '' && (await startTimeOf(Number(pid))) === startTime) {
    throw new FolderInUseError(`the data folder ${folder} is in use by process ${pid}; stop it first`);
  }
  await unlink(path);
  if (!(await linkIfAbsent(own, path))) {
    throw new FolderInUseError(`the data folder ${folder} was just taken by another process`);
  }
}

/** A hard link is made by exactly one of two racing processes. */
async function linkIfAbsent(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Clock ticks since boot when the process started: tells a reused pid from the old holder; empty when it is gone. */
async function startTimeOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
