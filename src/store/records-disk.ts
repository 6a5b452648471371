/** The disk below the records: how writes are committed, and when they are safe. The simulator makes it fail. */
import { statfs } from 'node:fs/promises';
import type { RootDatabase } from 'lmdb';

export interface RecordsDisk {
  /** Whether LMDB flushes nothing by itself, since `commit` does. */
  readonly noSync: boolean;
  /** Runs the work in one transaction in a later turn; a throw undoes it. Resolves once flushed; rejects if the disk fails. */
  commit(root: RootDatabase, work: () => void): Promise<void>;
  /** Bytes that the disk of the folder still takes. */
  freeBytes(folder: string): Promise<number>;
}

export const MACHINE_DISK: RecordsDisk = {
  noSync: false,
  /** LMDB's own thread opens the transaction, waits for the work, which runs here, and writes and flushes beside this thread. */
  async commit(root, work) {
    try {
      await root.childTransaction(work);
    } catch (error) {
      throw await causeOf(error);
    }
  },
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

/** If a commit fails, lmdb-js rejects with an error that carries a promise which rejects with the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error;
  try {
    return await error.commitError;
  } catch (cause) {
    return cause;
  }
}
