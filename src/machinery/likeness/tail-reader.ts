/** Reads on from where it last stopped, one reader at a time; at first everything, piece by piece, so that others get their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';

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
