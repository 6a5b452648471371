/**
 * The words of many pictures, sorted, so that a word's pictures lie side by side (a postings list). A word is 20 bits of a
 * keypoint; 11 more bits stand in each posting, and one that differs in many of them does not count.
 */
import { ANGLES, DESCRIPTOR_WORDS, type Keypoints } from '../../domain/media/keypoints.ts';
import { countBits } from '../../domain/media/perceptual-hash.ts';

/** A posting: number of the picture in its run, direction of the keypoint, further bits. */
const ROW_SHIFT = 15;
const DIRECTION_SHIFT = 11;
export const RUN_ROWS_MAX = 1 << (32 - ROW_SHIFT);
const DIRECTIONS = 16;
const ANGLES_PER_DIRECTION = ANGLES / DIRECTIONS;
const TAG_MASK = (1 << DIRECTION_SHIFT) - 1;
const WORD_BITS = 20;
const WORDS = 1 << WORD_BITS;

/** Further bits that may differ: three of a hundred unlike keypoints differ in no more. */
const TAG_DISTANCE_MAX = 2;
const IS_NEAR = Uint8Array.from({ length: TAG_MASK + 1 }, (_, bits) =>
  countBits(bits) <= TAG_DISTANCE_MAX ? 1 : 0,
);

/** A word of more than this share of the pictures is a common one, as of print. */
const COMMON_SHARE = 1 / 256;
const COMMON_MIN = 8;
const RARE_WEIGHT = 4;
/** A word of more pictures than this is left out: it sets none apart, and costs the most time. */
const WORD_PICTURES_MAX = 512;

/** Pictures of one run whose words are not sorted yet: word and posting of each keypoint. */
export interface RawPostings {
  words: Uint32Array;
  postings: Uint32Array;
  count: number;
}

export interface Run {
  rows: number;
  /** Where each word's postings begin; one more at the end. */
  starts: Uint32Array;
  postings: Uint32Array;
}

export interface RowVotes {
  row: number;
  votes: number;
}

/**
 * Scratch of all runs, since a run is searched without a break: for each picture and turn its votes, and above them which keypoint
 * voted last. One has one vote there: else two pictures full of the same small thing, as of a letter, would share hundreds.
 */
const BOARD = new Uint32Array(RUN_ROWS_MAX * DIRECTIONS);
const VOTE_BITS = 16;
const VOTES_MASK = (1 << VOTE_BITS) - 1;

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
  // From the end, each word's place moves down to where its postings begin.
  const ends = starts.slice(1);
  for (let at = count - 1; at >= 0; at--) {
    const word = words[at] as number;
    const place = (ends[word] as number) - 1;
    ends[word] = place;
    sorted[place] = postings[at] as number;
  }
  return { rows, starts, postings: sorted };
}

/** Words that are merged between two breaths of the event loop. */
const MERGED_WORDS = 1 << 16;

/** Rows of `right` come after those of `left`. Yields between pieces; what it returns is the merged run. */
export function* mergeRuns(left: Run, right: Run): Generator<void, Run> {
  const starts = new Uint32Array(WORDS + 1);
  const postings = new Uint32Array(left.postings.length + right.postings.length);
  const shift = left.rows << ROW_SHIFT;
  let at = 0;
  for (let word = 0; word < WORDS; word++) {
    if (word % MERGED_WORDS === MERGED_WORDS - 1) yield;
    starts[word] = at;
    const [leftEnd, rightEnd] = [left.starts[word + 1] as number, right.starts[word + 1] as number];
    for (let from = left.starts[word] as number; from < leftEnd; from++) {
      postings[at++] = left.postings[from] as number;
    }
    for (let from = right.starts[word] as number; from < rightEnd; from++) {
      postings[at++] = (right.postings[from] as number) + shift;
    }
  }
  starts[WORDS] = at;
  return { rows: left.rows + right.rows, starts, postings };
}

/** Rows with at least so many votes, all turned alike. */
export function searchRun(run: Run, asked: Keypoints, votesMin: number): RowVotes[] {
  BOARD.fill(0, 0, run.rows * DIRECTIONS);
  const leading = new Set<number>();
  for (let index = 0; index < asked.count; index++) {
    const word = wordOf(asked, index);
    const voter = { rest: restOf(asked, index), stamp: (index + 1) << VOTE_BITS, votesMin, leading };
    vote(run, word, voter);
    // Noise turns a bit of most words: those that differ in one are looked up as well.
    for (let bit = 0; bit < WORD_BITS; bit++) vote(run, word ^ (1 << bit), voter);
  }
  const found: RowVotes[] = [];
  for (const row of leading) {
    const votes = votesOf(row);
    if (votes >= votesMin) found.push({ row, votes });
  }
  return found;
}

interface Voter {
  /** Direction and further bits of the keypoint. */
  rest: number;
  stamp: number;
  votesMin: number;
  /** Rows that may have enough. */
  leading: Set<number>;
}

function vote({ starts, postings, rows }: Run, word: number, voter: Voter): void {
  const [start, end] = [starts[word] as number, starts[word + 1] as number];
  if (start === end || end - start > WORD_PICTURES_MAX) return;
  const { rest, stamp, votesMin, leading } = voter;
  const weight = end - start <= Math.max(COMMON_MIN, COMMON_SHARE * rows) ? RARE_WEIGHT : 1;
  const direction = rest >> DIRECTION_SHIFT;
  for (let at = start; at < end; at++) {
    const posting = postings[at] as number;
    if (IS_NEAR[(posting ^ rest) & TAG_MASK] === 0) continue;
    const turn = (direction - (posting >> DIRECTION_SHIFT)) & (DIRECTIONS - 1);
    const place = (posting >>> ROW_SHIFT) * DIRECTIONS + turn;
    const before = BOARD[place] as number;
    if ((before & ~VOTES_MASK) === stamp) continue;
    const votes = (before & VOTES_MASK) + weight;
    BOARD[place] = stamp | votes;
    // Half of what is asked: the other half may lie in the direction beside.
    if (votes * 2 >= votesMin && (before & VOTES_MASK) * 2 < votesMin) leading.add(posting >>> ROW_SHIFT);
  }
}

/** In the two directions side by side that have the most. */
function votesOf(row: number): number {
  let most = 0;
  for (let turn = 0; turn < DIRECTIONS; turn++) {
    const beside = row * DIRECTIONS + ((turn + 1) % DIRECTIONS);
    const own = (BOARD[row * DIRECTIONS + turn] as number) & VOTES_MASK;
    most = Math.max(most, own + ((BOARD[beside] as number) & VOTES_MASK));
  }
  return most;
}

function wordOf({ words }: Keypoints, index: number): number {
  return (words[index * DESCRIPTOR_WORDS] as number) >>> (32 - WORD_BITS);
}

function restOf({ words, angle }: Keypoints, index: number): number {
  const tag = ((words[index * DESCRIPTOR_WORDS] as number) >>> 1) & TAG_MASK;
  return (Math.floor((angle[index] as number) / ANGLES_PER_DIRECTION) << DIRECTION_SHIFT) | tag;
}
