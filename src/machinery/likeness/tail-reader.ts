/** Reads new rows from where it last stopped, one reader at a time, piece by piece, so that others get their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** An index with fewer removed rows is not worth reading anew. */
const REMOVED_MIN = 1024;

/** Removed rows stay in an index: after a year of monthly retention it would hold twelve times what is kept. */
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

  /** Resolves when no read runs any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#reading;
  }

  async #readOn(): Promise<void> {
    while (!this.#isStopped && (await this.#readPiece())) await nextTurn();
  }
}
