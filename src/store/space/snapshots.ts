/** The oldest snapshot that somebody reads: while it lies behind, LMDB reuses no freed page and the file grows. */
import type { RootDatabase } from 'lmdb';
import { lastTransactionOf } from './space.ts';

export interface OldestReader {
  /** Transactions committed since its snapshot; 0 if no reader is behind. */
  transactions: number;
  /** Seconds since it was first seen behind the last transaction; 0 if no reader is behind. */
  seconds: number;
}

/** Process, thread and transaction of a slot in use; an idle slot has `-` as its transaction. */
const READER_LINE = /^\s*(\d+ \w+ (\d+))\s*$/gm;
const MS_PER_SECOND = 1000;

export class Snapshots {
  readonly #root: RootDatabase;
  readonly #nowMs: () => number;
  /** When each reader was first seen behind, by process, thread and transaction. */
  #behindSince = new Map<string, number>();

  /** `nowMs` never goes back. */
  constructor(root: RootDatabase, nowMs: () => number = () => performance.now()) {
    this.#root = root;
    this.#nowMs = nowMs;
  }

  /** Seconds count from the first look that saw it, so call it often. Slots of ended processes are freed first. */
  oldest(): OldestReader {
    this.#root.readerCheck();
    // Listed first, since the next line itself reads.
    const readers = [...this.#root.readerList().matchAll(READER_LINE)];
    const last = lastTransactionOf(this.#root);
    const now = this.#nowMs();
    const behind = readers
      .map(([, name = '', transaction]) => ({ name, transactions: last - Number(transaction) }))
      .filter(({ transactions }) => transactions > 0)
      .map((reader) => ({ ...reader, since: this.#behindSince.get(reader.name) ?? now }));
    this.#behindSince = new Map(behind.map(({ name, since }) => [name, since]));
    return {
      transactions: Math.max(0, ...behind.map(({ transactions }) => transactions)),
      seconds: Math.max(0, ...behind.map(({ since }) => now - since)) / MS_PER_SECOND,
    };
  }
}
