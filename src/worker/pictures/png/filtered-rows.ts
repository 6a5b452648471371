/**
 * The rows of a picture as a PNG file stores them: what is left of each byte once its left or upper neighbour was
 * taken off. Four bytes are done at a time, as one word.
 */
import type { Picture } from '../../media/picture.ts';

/** The filters of ISO/IEC 15948, 9.2, that suit a photograph and take two operations a word. */
export const ROW_FILTERS = { left: 1, up: 2 } as const;
export type RowFilter = (typeof ROW_FILTERS)[keyof typeof ROW_FILTERS];

const PIXEL_BYTES = 3;
/** Bytes are subtracted side by side: the highest bit of each is kept out of it, so that none borrows from the next. */
const HIGH_BITS = 0x80808080 | 0;
const LOW_BITS = 0x7f7f7f7f;
const ADLER_MODULUS = 65521;
/** Words after which the sums of a checksum still lie within 31 bits, and those of single bytes within 16. */
const ADLER_WORDS = 240;

export class FilteredRows {
  /** The row of the last `filter`, little-endian; behind it up to three bytes of 0. */
  readonly words: Int32Array;
  /** The same memory, as long as a row. */
  readonly bytes: Uint8Array;
  readonly #rgb: Buffer;
  #current: Int32Array;
  #above: Int32Array;
  /** The row in `#current`; -1 before the first. */
  #row = -1;

  constructor({ width, rgb }: Picture) {
    const rowBytes = width * PIXEL_BYTES;
    const wordCount = Math.ceil(rowBytes / 4);
    this.#rgb = rgb;
    this.words = new Int32Array(wordCount);
    this.bytes = new Uint8Array(this.words.buffer, 0, rowBytes);
    this.#current = new Int32Array(wordCount);
    this.#above = new Int32Array(wordCount);
  }

  filter(row: number, filter: RowFilter): void {
    this.#load(row);
    if (filter === ROW_FILTERS.left) subtractLeft(this.#current, this.words);
    else subtract(this.#current, this.#above, this.words);
  }

  /** Brings the row and the one above it, which is black for the first. */
  #load(row: number): void {
    if (row === this.#row) return;
    if (row === this.#row + 1) [this.#current, this.#above] = [this.#above, this.#current];
    else if (row > 0) this.#copy(row - 1, this.#above);
    if (row === 0) this.#above.fill(0);
    this.#copy(row, this.#current);
    this.#row = row;
  }

  #copy(row: number, into: Int32Array): void {
    const { length } = this.bytes;
    new Uint8Array(into.buffer).set(this.#rgb.subarray(row * length, (row + 1) * length));
  }
}

function subtract(from: Int32Array, what: Int32Array, into: Int32Array): void {
  for (let at = 0; at < into.length; at++) {
    const a = from[at] as number;
    const b = what[at] as number;
    into[at] = ((a | HIGH_BITS) - (b & LOW_BITS)) ^ ((a ^ ~b) & HIGH_BITS);
  }
}

/** The neighbour of a pixel lies three bytes before it. */
function subtractLeft(from: Int32Array, into: Int32Array): void {
  let before = 0;
  for (let at = 0; at < into.length; at++) {
    const a = from[at] as number;
    const b = (before >>> 8) | (a << 24);
    into[at] = ((a | HIGH_BITS) - (b & LOW_BITS)) ^ ((a ^ ~b) & HIGH_BITS);
    before = a;
  }
}

/** Adler-32 (RFC 1950) of rows; each begins with the number of its filter. */
export class RowChecksum {
  #sum = 1;
  #sums = 0;

  get value(): number {
    return ((this.#sums << 16) | this.#sum) >>> 0;
  }

  add(filter: RowFilter, { words, bytes }: Pick<FilteredRows, 'words' | 'bytes'>): void {
    this.#addByte(filter);
    const whole = bytes.length >> 2;
    for (let from = 0; from < whole; from += ADLER_WORDS)
      this.#addWords(words, from, Math.min(whole, from + ADLER_WORDS));
    for (let at = whole * 4; at < bytes.length; at++) this.#addByte(bytes[at] as number);
  }

  #addByte(byte: number): void {
    this.#sum = (this.#sum + byte) % ADLER_MODULUS;
    this.#sums = (this.#sums + this.#sum) % ADLER_MODULUS;
  }

  /** Two bytes of a word are added up side by side: the first and third in `even`, the others in `odd`. */
  #addWords(words: Int32Array, from: number, to: number): void {
    let even = 0;
    let odd = 0;
    let sum = 0;
    let before = 0;
    for (let at = from; at < to; at++) {
      const word = words[at] as number;
      const e = word & 0xff00ff;
      const o = (word >>> 8) & 0xff00ff;
      even = (even + e) | 0;
      odd = (odd + o) | 0;
      before = (before + sum) | 0;
      sum = (sum + (Math.imul(e + o, 0x10001) >>> 16)) | 0;
    }
    // A byte counts once for itself and once for each byte that follows in its word, and four times for each word.
    const within = 4 * (even & 0xffff) + 3 * (odd & 0xffff) + 2 * (even >>> 16) + (odd >>> 16);
    const byteCount = 4 * (to - from);
    this.#sums = (this.#sums + byteCount * this.#sum + 4 * before + within) % ADLER_MODULUS;
    this.#sum = (this.#sum + sum) % ADLER_MODULUS;
  }
}
