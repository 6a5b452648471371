/** A text that is expensive to make: callers who ask meanwhile or shortly after share it, such as thirty scrapers at once. */

/** No scraper's interval is as short, and no person sees the difference. */
export const READING_MS_MAX = 100;

interface Reading {
  bytes: Promise<Buffer>;
  /** Null while it is made. */
  readAtMs: number | null;
}

export class SharedReading {
  readonly #read: () => Promise<string>;
  readonly #nowMs: () => number;
  #last: Reading | null = null;

  /** `nowMs` never goes back. */
  constructor(read: () => Promise<string>, nowMs: () => number = () => performance.now()) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  get(): Promise<Buffer> {
    const last = this.#last;
    const isFresh =
      last !== null && (last.readAtMs === null || this.#nowMs() - last.readAtMs < READING_MS_MAX);
    return isFresh ? last.bytes : this.#begin();
  }

  #begin(): Promise<Buffer> {
    const bytes = this.#read().then((text) => Buffer.from(text));
    const reading: Reading = { bytes, readAtMs: null };
    this.#last = reading;
    bytes.then(
      () => {
        reading.readAtMs = this.#nowMs();
      },
      () => {
        // Those who wait get the error; the next one tries again.
        if (this.#last === reading) this.#last = null;
      },
    );
    return bytes;
  }
}
