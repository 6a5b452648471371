/** Hashes scanned from end to end, in slices: a million are 32 MB and some milliseconds; an index would take more of both. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countBits } from '../../domain/media/perceptual-hash.ts';

/** 256 bits in 32-bit words. */
const WORDS = 8;
/** Rows between two turns of the event loop: under a millisecond. */
const SLICE_ROWS = 32_768;
const ROWS_INITIAL = 1024;

export interface IndexedLikeness {
  sequence: number;
  accountId: number;
  hash: string;
}

export interface IndexQuery {
  hash: string;
  distanceMax: number;
}

export interface IndexHit {
  sequence: number;
  /** Position of the query. */
  query: number;
  distance: number;
}

export class LikenessIndex {
  #words = new Int32Array(ROWS_INITIAL * WORDS);
  #accounts = new Int32Array(ROWS_INITIAL);
  #sequences = new Float64Array(ROWS_INITIAL);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get last(): number {
    return this.#count === 0 ? 0 : (this.#sequences[this.#count - 1] as number);
  }

  /** Pictures must come in the order of their sequences. */
  add({ sequence, accountId, hash }: IndexedLikeness): void {
    if (sequence <= this.last) throw new Error('likenesses are added in their order');
    if (this.#count === this.#accounts.length) this.#grow();
    this.#words.set(toWords(hash), this.#count * WORDS);
    this.#accounts[this.#count] = accountId;
    this.#sequences[this.#count] = sequence;
    this.#count += 1;
  }

  /** Removes a picture's hash. Returns whether it was there. */
  remove(sequence: number): boolean {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sequences[middle] as number) < sequence) low = middle + 1;
      else high = middle;
    }
    if (low >= this.#count || this.#sequences[low] !== sequence || this.#accounts[low] === 0) return false;
    this.#words.fill(0, low * WORDS, (low + 1) * WORDS);
    this.#accounts[low] = 0;
    return true;
  }

  /** Rows of these accounts within the distance of a query, in their order; at most `hitsMax`, the newest ones. */
  async search(
    queries: readonly IndexQuery[],
    accounts: ReadonlySet<number>,
    hitsMax: number,
  ): Promise<IndexHit[]> {
    const asked = queries.map(({ hash, distanceMax }) => ({ words: toWords(hash), distanceMax }));
    const hits: IndexHit[] = [];
    for (let end = this.#count; end > 0 && hits.length < hitsMax; end -= SLICE_ROWS) {
      if (end < this.#count) await nextTurn();
      const start = Math.max(0, end - SLICE_ROWS);
      for (const [query, { words, distanceMax }] of asked.entries()) {
        for (const { row, distance } of this.#near(words, distanceMax, start, end)) {
          const isAsked = accounts.has(this.#accounts[row] as number);
          if (isAsked) hits.push({ sequence: this.#sequences[row] as number, query, distance });
        }
      }
    }
    return hits.slice(0, hitsMax);
  }

  /** Rows of a slice within the distance, the newest first, of any account: they are few. */
  #near(
    asked: Int32Array,
    distanceMax: number,
    start: number,
    end: number,
  ): { row: number; distance: number }[] {
    const words = this.#words;
    const [first, second, third] = asked as unknown as [number, number, number];
    const found: { row: number; distance: number }[] = [];
    for (let row = end - 1; row >= start; row--) {
      const at = row * WORDS;
      // Unrelated pictures differ in some forty-eight bits of the first three words, so most comparisons end here.
      let distance =
        countBits((words[at] as number) ^ first) +
        countBits((words[at + 1] as number) ^ second) +
        countBits((words[at + 2] as number) ^ third);
      for (let word = 3; word < WORDS && distance <= distanceMax; word++) {
        distance += countBits((words[at + word] as number) ^ (asked[word] as number));
      }
      if (distance <= distanceMax) found.push({ row, distance });
    }
    return found;
  }

  #grow(): void {
    const rows = this.#accounts.length * 2;
    const [words, accounts, sequences] = [
      new Int32Array(rows * WORDS),
      new Int32Array(rows),
      new Float64Array(rows),
    ];
    words.set(this.#words);
    accounts.set(this.#accounts);
    sequences.set(this.#sequences);
    [this.#words, this.#accounts, this.#sequences] = [words, accounts, sequences];
  }
}

function toWords(hash: string): Int32Array {
  return Int32Array.from({ length: WORDS }, (_, word) =>
    Number.parseInt(hash.slice(word * 8, word * 8 + 8), 16),
  );
}
