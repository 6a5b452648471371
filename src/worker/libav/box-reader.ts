/** Walks the boxes of an ISO base media file (ISO/IEC 14496-12 4.2). Reads past the end give zeros, never throw. */

export interface Box {
  type: string;
  /** Start of the body within the bytes that are read. */
  start: number;
  length: number;
  body: BoxReader;
}

/** A legal description has some hundreds; a hostile one could nest millions of empty ones. */
const BOXES_MAX = 10_000;

export class BoxReader {
  readonly #bytes: Buffer;
  #position = 0;
  /** Flags of a full box, set by `version()`. */
  flags = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isEnded(): boolean {
    return this.#position >= this.#bytes.length;
  }

  version(): number {
    const version = this.uint(1);
    this.flags = this.uint(3);
    return version;
  }

  uint(bytes: number): number {
    let value = 0;
    for (let index = 0; index < bytes; index++)
      value = value * 256 + (this.#bytes[this.#position + index] ?? 0);
    this.#position += bytes;
    return value;
  }

  text(bytes: number): string {
    const text = this.#bytes.toString('latin1', this.#position, this.#position + bytes);
    this.#position += bytes;
    return text;
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#position);
  }

  inside(skip: number): BoxReader {
    return new BoxReader(this.#bytes.subarray(this.#position + skip));
  }

  /** The boxes from here on; the last may be longer than the bytes at hand. */
  *boxes(): Generator<Box> {
    for (let count = 0; count < BOXES_MAX && this.#position + 8 <= this.#bytes.length; count++) {
      const begin = this.#position;
      const short = this.uint(4);
      const type = this.text(4);
      const size = short === 1 ? this.uint(8) : short === 0 ? this.#bytes.length - begin : short;
      const start = this.#position;
      const length = size - (start - begin);
      if (length < 0) return;
      yield { type, start, length, body: new BoxReader(this.#bytes.subarray(start, start + length)) };
      this.#position = start + length;
    }
  }
}
