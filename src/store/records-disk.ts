/**
 * What lies under the records: whether it takes what is written, and when that is safe. The simulator makes it fail, fill up
 * and lose its power; the machine's leaves all of it to LMDB and the kernel.
 */
import { statfs } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface RecordsDisk {
  /** Whether LMDB flushes nothing by itself, since `flush` does. */
  readonly noSync: boolean;
  /** Resolves when a group of changes has come together; those that come until then are written at once. */
  gather(): Promise<void>;
  /** Called in each transaction, before it is committed. What it throws undoes the transaction. */
  commit(): void;
  /** Resolves once what was committed outlasts a loss of power; `flush` is LMDB's own. Rejects where the disk fails. */
  flush(flush: PromiseLike<unknown>): Promise<void>;
  /** Bytes that the disk of the folder still takes. */
  freeBytes(folder: string): Promise<number>;
}

export const MACHINE_DISK: RecordsDisk = {
  noSync: false,
  // What came in while the flush before held up the event loop is met in one turn of it.
  async gather() {
    await nextTurn();
  },
  commit() {},
  async flush(flush) {
    await flush;
  },
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};
