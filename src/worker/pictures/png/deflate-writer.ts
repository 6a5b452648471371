/**
 * Writes deflate (RFC 1951) for what is noise but for its runs of zeros: filtered rows of a photograph. No repeats are looked for,
 * which is what takes the time elsewhere and finds nothing here; bytes are written two at a time from a table.
 */
import { codeBits, codeLengths } from './prefix-code.ts';

/** Two symbols and what is left of a byte must fit into 31 bits. */
export const SYMBOL_BITS_MAX = 12;
/** Literals, the end of a block, and lengths of runs. */
export const SYMBOLS = 286;
const END_OF_BLOCK = 256;
const LENGTHS_FIRST = 257;
const RUN_MIN = 3;
const RUN_MAX = 258;
/** Words among which a run begins and ends: to look at each would take longer than to write them. */
const GROUP_WORDS = 16;

/** In which order the lengths of the lengths' own code are written. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LENGTH_BITS_MAX = 7;
const DYNAMIC_BLOCK = 2;

/** By the bytes of a run, RUN_MIN to RUN_MAX: its symbol, and the shortest run that has the same one. */
const RUN_SYMBOLS = new Uint16Array(RUN_MAX + 1);
const RUN_STARTS = new Uint16Array(RUN_MAX + 1);
const RUN_EXTRA_BITS = new Uint8Array(RUN_MAX + 1);
for (let symbol = LENGTHS_FIRST, run = RUN_MIN; symbol < SYMBOLS; symbol++) {
  const extra = symbol === SYMBOLS - 1 ? 0 : Math.max(0, ((symbol - LENGTHS_FIRST) >> 2) - 1);
  const start = symbol === SYMBOLS - 1 ? RUN_MAX : run;
  for (let length = start; length < start + 2 ** extra; length++) {
    RUN_SYMBOLS[length] = symbol;
    RUN_STARTS[length] = start;
    RUN_EXTRA_BITS[length] = extra;
  }
  run = start + 2 ** extra;
}

/** Counts the symbols by which words would be written. */
export function countSymbols(words: Int32Array, counts: Uint32Array): void {
  for (let from = 0; from < words.length; ) {
    const run = zerosStart(words, from, words.length);
    countLiterals(words, from, run, counts);
    from = zerosEnd(words, run, words.length);
    if (from > run) countRun((from - run) * 4, counts);
  }
}

function countLiterals(words: Int32Array, from: number, to: number, counts: Uint32Array): void {
  for (let at = from; at < to; at++) {
    const word = words[at] as number;
    counts[word & 255] = (counts[word & 255] as number) + 1;
    counts[(word >>> 8) & 255] = (counts[(word >>> 8) & 255] as number) + 1;
    counts[(word >>> 16) & 255] = (counts[(word >>> 16) & 255] as number) + 1;
    counts[word >>> 24] = (counts[word >>> 24] as number) + 1;
  }
}

function countRun(bytes: number, counts: Uint32Array): void {
  let left = bytes - 1;
  counts[0] = (counts[0] as number) + 1;
  for (; left >= RUN_MIN; left -= Math.min(left, RUN_MAX)) {
    const symbol = RUN_SYMBOLS[Math.min(left, RUN_MAX)] as number;
    counts[symbol] = (counts[symbol] as number) + 1;
  }
  counts[0] += left;
}

/** Where the first group of zeros begins, in steps of a group; `to` if there is none. */
function zerosStart(words: Int32Array, from: number, to: number): number {
  for (let at = from; at + GROUP_WORDS <= to; at += GROUP_WORDS) if (isZero(words, at)) return at;
  return to;
}

/** Where whole groups of zeros that begin at `from` end. */
function zerosEnd(words: Int32Array, from: number, to: number): number {
  let end = from;
  while (end + GROUP_WORDS <= to && isZero(words, end)) end += GROUP_WORDS;
  return end;
}

function isZero(words: Int32Array, from: number): boolean {
  let bits = 0;
  for (let at = from; at < from + GROUP_WORDS; at++) bits |= words[at] as number;
  return bits === 0;
}

interface Output {
  view: DataView;
  /** The first byte that is not full. */
  at: number;
  /** Fewer than eight bits that do not fill it yet. */
  open: number;
  openCount: number;
}

export class DeflateWriter {
  readonly #output: Output;
  /** For two literals, by both as 16 bits, the first one low: their bits, and above 24 how many. */
  readonly #pairs = new Uint32Array(65536);
  #bits: Uint16Array = new Uint16Array(0);
  #lengths: Uint8Array = new Uint8Array(0);

  /** Writes into `bytes` from `start` on; there must be room for SYMBOL_BITS_MAX bits a byte, and 400 bytes a block. */
  constructor(bytes: Buffer, start: number) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#output = { view, at: start, open: 0, openCount: 0 };
  }

  /** Begins a block in which each symbol is written by a code for these counts; all can be written. */
  beginBlock(counts: Uint32Array, { isLast }: { isLast: boolean }): void {
    this.#lengths = codeLengths(
      counts.map((count) => count + 1),
      SYMBOL_BITS_MAX,
    );
    this.#bits = codeBits(this.#lengths);
    this.#put(isLast ? 1 : 0, 1);
    this.#put(DYNAMIC_BLOCK, 2);
    this.#putCode();
    this.#fillPairs();
  }

  endBlock(): void {
    this.literal(END_OF_BLOCK);
  }

  /** Fills the last byte; returns where it ends. */
  finish(): number {
    return this.#output.at + (this.#output.openCount > 0 ? 1 : 0);
  }

  literal(symbol: number): void {
    this.#put(this.#bits[symbol] as number, this.#lengths[symbol] as number);
  }

  /** The first `count` words, byte by byte from the lowest. */
  words(words: Int32Array, count: number): void {
    for (let from = 0; from < count; ) {
      const run = zerosStart(words, from, count);
      if (run > from) writeLiterals(words, from, run, this.#pairs, this.#output);
      from = zerosEnd(words, run, count);
      if (from > run) this.#writeRun((from - run) * 4);
    }
  }

  /** A zero, and then the byte before, again and again: the only distance there is. */
  #writeRun(bytes: number): void {
    this.literal(0);
    let left = bytes - 1;
    while (left >= RUN_MIN) {
      const run = Math.min(left, RUN_MAX);
      this.literal(RUN_SYMBOLS[run] as number);
      this.#put(run - (RUN_STARTS[run] as number), RUN_EXTRA_BITS[run] as number);
      this.#put(0, 1);
      left -= run;
    }
    for (; left > 0; left--) this.literal(0);
  }

  #fillPairs(): void {
    for (let high = 0; high < 256; high++) {
      const bits = this.#bits[high] as number;
      const length = this.#lengths[high] as number;
      for (let low = 0; low < 256; low++) {
        const lowLength = this.#lengths[low] as number;
        const both = (this.#bits[low] as number) | (bits << lowLength);
        this.#pairs[(high << 8) | low] = both | ((length + lowLength) << 24);
      }
    }
  }

  /** The lengths of all symbols and of the one distance, by a code of their own. */
  #putCode(): void {
    const all = Uint8Array.of(...this.#lengths, 1);
    const counts = new Uint32Array(LENGTH_ORDER.length);
    for (const length of all) counts[length] = (counts[length] as number) + 1;
    const lengths = codeLengths(counts, LENGTH_BITS_MAX);
    const bits = codeBits(lengths);
    this.#put(SYMBOLS - LENGTHS_FIRST, 5);
    this.#put(0, 5);
    this.#put(LENGTH_ORDER.length - 4, 4);
    for (const symbol of LENGTH_ORDER) this.#put(lengths[symbol] as number, 3);
    for (const length of all) this.#put(bits[length] as number, lengths[length] as number);
  }

  #put(bits: number, count: number): void {
    const { view, at, open, openCount } = this.#output;
    const all = open | (bits << openCount);
    const allCount = openCount + count;
    view.setInt32(at, all, true);
    this.#output.at = at + (allCount >>> 3);
    this.#output.open = all >>> (allCount & 24);
    this.#output.openCount = allCount & 7;
  }
}

/** Nearly all of the work: nothing but this lies in the loop, and all that changes in variables. */
function writeLiterals(
  words: Int32Array,
  from: number,
  to: number,
  pairs: Uint32Array,
  output: Output,
): void {
  const view = output.view;
  let at = output.at;
  let open = output.open;
  let openCount = output.openCount;
  for (let index = from; index < to; index++) {
    const word = words[index] as number;
    const low = pairs[word & 0xffff] as number;
    open |= (low & 0xffffff) << openCount;
    openCount += low >>> 24;
    view.setInt32(at, open, true);
    at += openCount >>> 3;
    open >>>= openCount & 24;
    openCount &= 7;
    const high = pairs[word >>> 16] as number;
    open |= (high & 0xffffff) << openCount;
    openCount += high >>> 24;
    view.setInt32(at, open, true);
    at += openCount >>> 3;
    open >>>= openCount & 24;
    openCount &= 7;
  }
  output.at = at;
  output.open = open;
  output.openCount = openCount;
}
