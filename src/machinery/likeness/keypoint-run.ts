/** A postings list: a word is 20 bits of a keypoint; postings that differ in many of 11 further bits do not count. */
import {
  ANGLES,
  type AskedKeypoints,
  DESCRIPTOR_WORDS,
  type Keypoints,
  UNSURE_BITS,
  WORD_BITS,
} from '../../domain/media/keypoints.ts';
import { countBits } from '../../domain/media/perceptual-hash.ts';
import { DIRECTION_SHIFT, DIRECTIONS, ROW_SHIFT, TAG_MASK } from './posting.ts';
import { heldPostings, type Postings, type PostingsSink } from './postings.ts';
import type { SharedWords } from './word-votes.ts';

const ANGLES_PER_DIRECTION = ANGLES / DIRECTIONS;
const WORDS = 1 << WORD_BITS;

/** Further bits that may differ: three of a hundred unlike keypoints differ in at most these. */
const TAG_DISTANCE_MAX = 2;
const IS_NEAR = Uint8Array.from({ length: TAG_MASK + 1 }, (_, bits) =>
  countBits(bits) <= TAG_DISTANCE_MAX ? 1 : 0,
);

/** A word that more than this share of an account's pictures have is common in it, as print is. */
const COMMON_SHARE = 1 / 256;
const COMMON_MIN = 8;
/** A word that an account has in more pictures of a chapter than this distinguishes none of them, and does not count. */
const WORD_PICTURES_MAX = 512;

/** Pictures of one run whose words are not sorted yet: word and posting of each keypoint. */
export interface RawPostings {
  words: Uint32Array;
  postings: Uint32Array;
  count: number;
}

export interface Run {
  rows: number;
  /** Every chapter but the last has CHAPTER_ROWS. */
  chapters: number;
  /** Where each word's postings begin in each chapter, word after word, in one array; one more at the end. */
  starts: Uint32Array;
  postings: Postings;
}

export function newRaw(countMax: number): RawPostings {
  return { words: new Uint32Array(countMax), postings: new Uint32Array(countMax), count: 0 };
}

export function addRaw(raw: RawPostings, row: number, keypoints: Keypoints): void {
  for (let index = 0; index < keypoints.count && raw.count < raw.words.length; index++) {
    raw.words[raw.count] = wordOf(keypoints, index);
    raw.postings[raw.count] = (row << ROW_SHIFT) | restOf(keypoints, index);
    raw.count += 1;
  }
}

export function sortRun({ words, postings, count }: RawPostings, rows: number): Run {
  const starts = new Uint32Array(WORDS + 1);
  for (let at = 0; at < count; at++) {
    const next = (words[at] as number) + 1;
    starts[next] = (starts[next] as number) + 1;
  }
  for (let word = 0; word < WORDS; word++)
    starts[word + 1] = (starts[word + 1] as number) + (starts[word] as number);
  const sorted = new Uint32Array(count);
  // Filled from the end: each word's place moves down to where its postings begin.
  const ends = starts.slice(1);
  for (let at = count - 1; at >= 0; at--) {
    const word = words[at] as number;
    const place = (ends[word] as number) - 1;
    ends[word] = place;
    sorted[place] = postings[at] as number;
  }
  return { rows, chapters: 1, starts, postings: heldPostings(sorted) };
}

/** Words that are merged between two turns of the event loop: a megabyte of postings of a million pictures. */
const MERGED_WORDS = 1 << 10;

/** Appends the rows of `right` to those of `left`. Yields between pieces, and returns the merged run. */
export function* mergeRuns(
  left: Run,
  right: Run,
  sink: PostingsSink,
  chapterRows: number,
): Generator<void, Run> {
  const isOne = left.rows + right.rows <= chapterRows;
  if (!isOne && left.rows % chapterRows !== 0) throw new Error('only whole chapters lie side by side');
  const shift = isOne ? left.rows << ROW_SHIFT : 0;
  const chapters = isOne ? 1 : left.chapters + right.chapters;
  const starts = new Uint32Array(WORDS * chapters + 1);
  let at = 0;
  for (let word = 0; word < WORDS; word += MERGED_WORDS) {
    const [from, to] = [wordsOf(left, word), wordsOf(right, word)];
    const merged = new Uint32Array(from.postings.length + to.postings.length);
    let place = 0;
    for (let own = 0; own < MERGED_WORDS; own++) {
      if (isOne) starts[word + own] = at + place;
      else copyStarts(starts, (word + own) * chapters, at + place, [left, right], word + own);
      place = copyWord(from, left.chapters, own, merged, place, 0);
      place = copyWord(to, right.chapters, own, merged, place, shift);
    }
    sink.write(merged);
    at += place;
    yield;
  }
  starts[WORDS * chapters] = at;
  return { rows: left.rows + right.rows, chapters, starts, postings: sink.finish() };
}

interface WordsPiece {
  postings: Uint32Array;
  starts: Uint32Array;
}

/** Copies the postings of MERGED_WORDS words, since both runs may be read into one buffer. */
function wordsOf({ starts, chapters, postings }: Run, word: number): WordsPiece {
  const piece = starts.subarray(word * chapters, (word + MERGED_WORDS) * chapters + 1);
  const [start, end] = [piece[0] as number, piece.at(-1) as number];
  const offset = postings.load(start, end);
  return { postings: postings.array.slice(offset, offset + end - start), starts: piece };
}

function copyStarts(
  starts: Uint32Array,
  to: number,
  begin: number,
  runs: readonly Run[],
  word: number,
): void {
  let [place, at] = [to, begin];
  for (const run of runs) {
    const first = word * run.chapters;
    for (let chapter = 0; chapter < run.chapters; chapter++) {
      starts[place++] = at;
      at += (run.starts[first + chapter + 1] as number) - (run.starts[first + chapter] as number);
    }
  }
}

function copyWord(
  { postings, starts }: WordsPiece,
  chapters: number,
  word: number,
  merged: Uint32Array,
  place: number,
  shift: number,
): number {
  const first = starts[0] as number;
  const end = (starts[(word + 1) * chapters] as number) - first;
  let to = place;
  for (let from = (starts[word * chapters] as number) - first; from < end; from++) {
    merged[to++] = (postings[from] as number) + shift;
  }
  return to;
}

/** Which accounts' pictures are asked for. Accounts are numbered by slots; slot 0 holds removed pictures. */
export interface AskedRows {
  /** The slot of each row. */
  slots: readonly number[];
  /** Position of the run's first row among them. */
  base: number;
  chapterRows: number;
  /** 1 for each slot that is asked for. */
  isAsked: Uint8Array;
  /** A counter for each slot. */
  counts: Uint32Array;
}

/** How common a word is, is counted within each account: copies of one would otherwise hide another's picture. */
export function shareWord(
  run: Run,
  word: number,
  { rest, index, shared }: { rest: number; index: number; shared: readonly SharedWords[] },
  asked: AskedRows,
): void {
  const { starts, chapters, postings } = run;
  const first = word * chapters;
  const [start, end] = [starts[first] as number, starts[first + chapters] as number];
  if (start === end) return;
  const { isAsked, counts, slots, chapterRows } = asked;
  const direction = rest >> DIRECTION_SHIFT;
  const offset = postings.load(start, end) - start;
  const rareMax = Math.max(COMMON_MIN, COMMON_SHARE * run.rows);
  const isRareForAll = end - start <= rareMax;
  const { array } = postings;
  if (!isRareForAll) countBySlot(run, { first, offset }, asked);
  for (let chapter = 0; chapter < chapters; chapter++) {
    const words = shared[chapter] as SharedWords;
    const row = asked.base + chapter * chapterRows;
    const chapterEnd = (starts[first + chapter + 1] as number) + offset;
    for (let at = (starts[first + chapter] as number) + offset; at < chapterEnd; at++) {
      const posting = array[at] as number;
      if (IS_NEAR[(posting ^ rest) & TAG_MASK] === 0) continue;
      const slot = slots[row + (posting >>> ROW_SHIFT)] as number;
      if (isAsked[slot] !== 1) continue;
      const count = isRareForAll ? 0 : (counts[slot] as number);
      if (count > WORD_PICTURES_MAX * chapters) continue;
      const turn = (direction - (posting >> DIRECTION_SHIFT)) & (DIRECTIONS - 1);
      words.add(posting, turn, index, count <= rareMax);
    }
  }
}

/** Counts for each asked account the pictures that have the word. */
function countBySlot(
  { starts, chapters, postings: { array } }: Run,
  { first, offset }: { first: number; offset: number },
  { slots, base, chapterRows, isAsked, counts }: AskedRows,
): void {
  counts.fill(0);
  for (let chapter = 0; chapter < chapters; chapter++) {
    const row = base + chapter * chapterRows;
    const chapterEnd = (starts[first + chapter + 1] as number) + offset;
    for (let at = (starts[first + chapter] as number) + offset; at < chapterEnd; at++) {
      const slot = slots[row + ((array[at] as number) >>> ROW_SHIFT)] as number;
      if (isAsked[slot] === 1) counts[slot] = (counts[slot] as number) + 1;
    }
  }
}

/** Words that noise makes, likeliest first: these twelve hold 42 of 100 true pairs, the 21 within one bit 39. */
const TURNED_RANKS = [[], [0], [1], [2], [0, 1], [3], [0, 2], [4], [5], [1, 2], [0, 3], [6]] as const;

/** The words that a keypoint is looked up by. Without known unsure bits: all that differ in one bit. */
export function wordsNear(asked: Keypoints | AskedKeypoints, index: number): number[] {
  const word = wordOf(asked, index);
  if (!('unsure' in asked))
    return [word, ...Array.from({ length: WORD_BITS }, (_, bit) => word ^ (1 << bit))];
  const masks = Array.from(
    asked.unsure.subarray(index * UNSURE_BITS, (index + 1) * UNSURE_BITS),
    (bit) => 1 << (WORD_BITS - 1 - bit),
  );
  return TURNED_RANKS.map((ranks) => ranks.reduce((turned, rank) => turned ^ (masks[rank] as number), word));
}

function wordOf({ words }: Keypoints, index: number): number {
  return (words[index * DESCRIPTOR_WORDS] as number) >>> (32 - WORD_BITS);
}

/** Direction and further bits of a keypoint. */
export function restOf({ words, angle }: Keypoints, index: number): number {
  const tag = ((words[index * DESCRIPTOR_WORDS] as number) >>> 1) & TAG_MASK;
  return (Math.floor((angle[index] as number) / ANGLES_PER_DIRECTION) << DIRECTION_SHIFT) | tag;
}
