/** Counts per picture the keypoints turned by one angle; a first count leaves out those that share words by chance. */
import { CHAPTER_ROWS, DIRECTIONS, ROW_SHIFT } from './posting.ts';

/** A share is packed as row, turn, keypoint, and whether the word is rare, so that sorting groups it by picture and turn. */
const TURN_SHIFT = 11;
const KEYPOINT_SHIFT = 1;
const KEYPOINTS_MAX = 1 << (TURN_SHIFT - KEYPOINT_SHIFT);
const RARE_WEIGHT = 4;
const SHARES_INITIAL = 4096;
const COUNT_MAX = 255 - RARE_WEIGHT;

export interface RowVotes {
  row: number;
  votes: number;
}

/** Words that the asked picture shares with the pictures of one chapter. */
export class SharedWords {
  #shares = new Uint32Array(SHARES_INITIAL);
  #count = 0;

  add(posting: number, turn: number, keypoint: number, isRare: boolean): void {
    if (this.#count === this.#shares.length) this.#grow();
    const row = (posting >>> ROW_SHIFT) << ROW_SHIFT;
    this.#shares[this.#count] = row | (turn << TURN_SHIFT) | (keypoint << KEYPOINT_SHIFT) | (isRare ? 1 : 0);
    this.#count += 1;
  }

  /** Rows with at least `votesMin` votes that are all turned alike. */
  votes(votesMin: number): RowVotes[] {
    const leading = this.#leading(votesMin).sort();
    const found: RowVotes[] = [];
    for (let at = 0; at < leading.length; ) {
      const row = (leading[at] as number) >>> ROW_SHIFT;
      let end = at + 1;
      while (end < leading.length && (leading[end] as number) >>> ROW_SHIFT === row) end += 1;
      const votes = turnedAlike(leading, at, end);
      if (votes >= votesMin) found.push({ row, votes });
      at = end;
    }
    return found;
  }

  /** Shares of the rows that would have enough votes if all were turned alike. */
  #leading(votesMin: number): Uint32Array {
    const counts = new Uint8Array(CHAPTER_ROWS);
    const least = Math.min(votesMin, COUNT_MAX);
    let leading = 0;
    for (let at = 0; at < this.#count; at++) {
      const share = this.#shares[at] as number;
      const row = share >>> ROW_SHIFT;
      const count = counts[row] as number;
      if (count < COUNT_MAX) counts[row] = count + weightOf(share);
    }
    for (let at = 0; at < this.#count; at++) {
      const share = this.#shares[at] as number;
      if ((counts[share >>> ROW_SHIFT] as number) >= least) this.#shares[leading++] = share;
    }
    return this.#shares.subarray(0, leading);
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#shares.length);
    larger.set(this.#shares);
    this.#shares = larger;
  }
}

export function assertKeypoints(count: number): void {
  if (count > KEYPOINTS_MAX) throw new Error(`expected at most ${KEYPOINTS_MAX} keypoints, found ${count}`);
}

const weightOf = (share: number): number => ((share & 1) === 1 ? RARE_WEIGHT : 1);

const BY_TURN = new Uint32Array(DIRECTIONS);

/** Votes of the two best neighbouring directions, one a keypoint: else pictures full of one letter share hundreds. */
function turnedAlike(shares: Uint32Array, start: number, end: number): number {
  BY_TURN.fill(0);
  for (let at = start; at < end; at++) {
    const share = shares[at] as number;
    // The last of equal shares says whether one of the words is rare.
    const isRepeated =
      at + 1 < end && share >>> KEYPOINT_SHIFT === (shares[at + 1] as number) >>> KEYPOINT_SHIFT;
    if (isRepeated) continue;
    const turn = (share >>> TURN_SHIFT) & (DIRECTIONS - 1);
    BY_TURN[turn] = (BY_TURN[turn] as number) + weightOf(share);
  }
  let most = 0;
  for (let turn = 0; turn < DIRECTIONS; turn++) {
    const beside = BY_TURN[(turn + 1) % DIRECTIONS] as number;
    most = Math.max(most, (BY_TURN[turn] as number) + beside);
  }
  return most;
}
