/** The words of some thousand pictures, sorted, so that a word's pictures lie side by side (a postings list). */
import { ANGLES, DESCRIPTOR_WORDS, type Keypoints } from '../../domain/media/keypoints.ts';

/** A picture's number and its keypoint's direction share 16 bits. */
const ROW_BITS = 12;
export const SEGMENT_ROWS = 1 << ROW_BITS;
const DIRECTIONS = 16;
const ANGLES_PER_DIRECTION = ANGLES / DIRECTIONS;
/** A keypoint has so many words: where noise has changed one of them, another still finds it. */
const TABLES = 3;
/** Bits of a word; the first comparisons of a keypoint say the least of each other, so these are the words. */
const WORD_BITS = 16;
const WORDS = 1 << WORD_BITS;
/** A word of more than this share of the pictures sets none of them apart. */
const COMMON_SHARE = 0.02;
const COMMON_MIN = 8;
/** Rarer words say more: one of a sixteenth of that share counts three times, one of a quarter twice. */
const RARE_WEIGHT = 3;
/** Votes of a byte. */
const VOTES_MAX = 255;

export interface AskedKeypoints {
  count: number;
  words: Int32Array;
  angle: Uint8Array;
}

interface Sorted {
  /** Where each word's postings begin, per table; one more at the end. */
  starts: Uint32Array[];
  postings: Uint16Array[];
}

/** Scratch of all segments: searches of one thread never overlap within a segment. */
const VOTES = new Uint8Array(SEGMENT_ROWS * DIRECTIONS);

export class Segment {
  readonly #sequences: number[] = [];
  readonly #accounts: number[] = [];
  /** What came since it was sorted: word and posting, per table. Empty in a segment that is full. */
  #raw: { words: number[]; postings: number[] }[] = newRaw();
  #sorted: Sorted | null = null;

  /** The least sequence; 0 while it is empty. */
  get first(): number {
    return this.#sequences[0] ?? 0;
  }

  add(sequence: number, accountId: number, { count, words, angle }: Keypoints): void {
    const row = this.#sequences.length;
    this.#sequences.push(sequence);
    this.#accounts.push(accountId);
    for (let index = 0; index < count; index++) {
      const direction = Math.floor((angle[index] as number) / ANGLES_PER_DIRECTION);
      for (const [table, raw] of this.#raw.entries()) {
        raw.words.push(wordOf(words, index, table));
        raw.postings.push(row * DIRECTIONS + direction);
      }
    }
    this.#sorted = null;
  }

  /** Whether it was there. */
  remove(sequence: number): boolean {
    const row = this.#sequences.indexOf(sequence);
    if (row >= 0) this.#accounts[row] = 0;
    return row >= 0;
  }

  search(
    { count, words, angle }: AskedKeypoints,
    accounts: ReadonlySet<number>,
    votesMin: number,
  ): { sequence: number; votes: number }[] {
    const { starts, postings } = this.#sort();
    const common = Math.max(COMMON_MIN, COMMON_SHARE * this.#sequences.length);
    VOTES.fill(0, 0, this.#sequences.length * DIRECTIONS);
    const leading = new Set<number>();
    for (let table = 0; table < TABLES; table++) {
      const [from, list] = [starts[table] as Uint32Array, postings[table] as Uint16Array];
      for (let index = 0; index < count; index++) {
        const word = wordOf(words, index, table);
        const [start, end] = [from[word] as number, from[word + 1] as number];
        const weight = weightOf(end - start, common);
        if (weight === 0) continue;
        const turned = Math.floor((angle[index] as number) / ANGLES_PER_DIRECTION);
        for (let at = start; at < end; at++) {
          const posting = list[at] as number;
          const turn = (turned - posting) & (DIRECTIONS - 1);
          const place = (posting & ~(DIRECTIONS - 1)) | turn;
          const before = VOTES[place] as number;
          const votes = Math.min(VOTES_MAX, before + weight);
          VOTES[place] = votes;
          // Half of what is asked: the other half may lie in the direction beside.
          if (votes * 2 >= votesMin && before * 2 < votesMin) leading.add(posting >> 4);
        }
      }
    }
    const found: { sequence: number; votes: number }[] = [];
    for (const row of leading) {
      const votes = votesOf(row);
      if (votes < votesMin || !accounts.has(this.#accounts[row] as number)) continue;
      found.push({ sequence: this.#sequences[row] as number, votes });
    }
    return found;
  }

  #sort(): Sorted {
    if (this.#sorted !== null) return this.#sorted;
    const sorted: Sorted = { starts: [], postings: [] };
    for (const { words, postings } of this.#raw) {
      const starts = new Uint32Array(WORDS + 1);
      for (const word of words) starts[word + 1] = (starts[word + 1] as number) + 1;
      for (let word = 0; word < WORDS; word++) {
        starts[word + 1] = (starts[word + 1] as number) + (starts[word] as number);
      }
      const next = starts.slice(0, WORDS);
      const list = new Uint16Array(postings.length);
      for (const [index, word] of words.entries()) {
        const at = next[word] as number;
        list[at] = postings[index] as number;
        next[word] = at + 1;
      }
      sorted.starts.push(starts);
      sorted.postings.push(list);
    }
    if (this.#sequences.length === SEGMENT_ROWS) this.#raw = newRaw();
    this.#sorted = sorted;
    return sorted;
  }
}

/** 0 for a word that is left out. */
function weightOf(pictures: number, common: number): number {
  if (pictures > common) return 0;
  if (pictures <= common / 16) return RARE_WEIGHT;
  return pictures <= common / 4 ? 2 : 1;
}

/** In the two directions side by side that have the most. */
function votesOf(row: number): number {
  let most = 0;
  for (let turn = 0; turn < DIRECTIONS; turn++) {
    const beside = row * DIRECTIONS + ((turn + 1) % DIRECTIONS);
    most = Math.max(most, (VOTES[row * DIRECTIONS + turn] as number) + (VOTES[beside] as number));
  }
  return most;
}

/** Every second bit of 32. */
function wordOf(words: Int32Array, index: number, table: number): number {
  const bits = ((words[index * DESCRIPTOR_WORDS + (table >>> 1)] as number) >>> (table & 1)) & 0x5555_5555;
  const pairs = (bits | (bits >>> 1)) & 0x3333_3333;
  const nibbles = (pairs | (pairs >>> 2)) & 0x0f0f_0f0f;
  const bytes = (nibbles | (nibbles >>> 4)) & 0x00ff_00ff;
  return (bytes | (bytes >>> 8)) & 0xffff;
}

function newRaw(): { words: number[]; postings: number[] }[] {
  return Array.from({ length: TABLES }, () => ({ words: [], postings: [] }));
}
