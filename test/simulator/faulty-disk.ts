/** The disk under the records of one life of the process: it fills up, fails to flush, and forgets what was not flushed. */
import { copyFileSync, renameSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import type { RecordsDisk } from '../../src/store/records-disk.ts';
import type { Random } from '../heavy/random.ts';

export interface DiskFaults {
  /** Share of transactions that find it full, and of flushes that fail. */
  full: number;
  flush: number;
  /** Whether what was flushed is kept apart, for a loss of power. */
  isPowerLost: boolean;
}

const FREE_BYTES = 2 ** 40;

export class FaultyDisk implements RecordsDisk {
  readonly noSync = true;
  readonly #recordsFolder: string;
  readonly #random: Random;
  readonly #onStep: () => void;
  #flushes = 0;
  faults: DiskFaults;

  /** `onStep` is called wherever the process may die. */
  constructor(dataFolder: string, random: Random, faults: DiskFaults, onStep: () => void) {
    this.#recordsFolder = join(dataFolder, 'records');
    this.#random = random;
    this.faults = faults;
    this.#onStep = onStep;
  }

  /** Where the records lie as they were flushed last. */
  static flushedPath(dataFolder: string): string {
    return join(dataFolder, 'records', 'flushed.mdb');
  }

  /** In turns that are counted: LMDB's own thread would begin and flush at no certain one. */
  async commit(root: RootDatabase, work: () => void): Promise<void> {
    // Changes that come before its end are one group.
    await access(this.#recordsFolder);
    root.transactionSync(() => {
      work();
      this.#onStep();
      if (!this.#random.chance(this.faults.full)) return;
      throw Object.assign(new Error('MDB_MAP_FULL: no space left on the simulated disk'), { code: 'ENOSPC' });
    });
    this.#onStep();
    const copy = this.#keep();
    await access(this.#recordsFolder);
    if (this.#random.chance(this.faults.flush)) throw new Error('EIO: the simulated disk did not flush');
    if (copy !== null) renameSync(copy, join(this.#recordsFolder, 'flushed.mdb'));
    this.#onStep();
  }

  async freeBytes(): Promise<number> {
    return this.faults.full >= 1 ? 0 : FREE_BYTES;
  }

  /** What this flush will have made safe. */
  #keep(): string | null {
    if (!this.faults.isPowerLost) return null;
    this.#flushes += 1;
    const copy = join(this.#recordsFolder, `flush-${this.#flushes}.mdb`);
    copyFileSync(join(this.#recordsFolder, 'data.mdb'), copy);
    return copy;
  }
}
