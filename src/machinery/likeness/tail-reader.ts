/** Reads on from where it last stopped, one reader at a time; at first everything, piece by piece, so that others get their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** An index of fewer rows is not worth reading anew. */
const REMOVED_MIN = 1024;

/**
 * Whether an index is to be read from the beginning again: removed rows stay in it, and where retention takes each month what the month
 * before brought, a daemon that runs for a year would hold twelve times what is kept.
 */
export function isMostlyRemoved(rows: number, removed: number): boolean {
  return removed >= REMOVED_MIN && removed > rows / 2;
}

export class TailReader {
  readonly #readPiece: () => boolean | Promise<boolean>;
  #reading: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `readPiece` says whether there may be more. */
  constructor(readPiece: () => boolean | Promise<boolean>) {
    this.#readPiece = readPiece;
  }

  async catchUp(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn());
    await this.#reading;
  }

  /** Resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#reading;
  }

  async #readOn(): Promise<void> {
    while (!this.#isStopped && (await this.#readPiece())) await nextTurn();
  }
}
