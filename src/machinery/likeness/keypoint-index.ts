/**
 * Which pictures share keypoints with another, in memory. Some bits of a keypoint are its word, as in a book's index: a picture
 * that shares many words, all turned by about the same angle, is worth a closer look. Pictures lie in runs, each twice as long as the
 * next, and the newest ones in one that is sorted at the next search: nothing is sorted twice more often than runs double.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Keypoints, STORED_KEYPOINTS_MAX } from '../../domain/media/keypoints.ts';
import { addRaw, mergeRuns, newRaw, RUN_ROWS_MAX, type Run, searchRun, sortRun } from './keypoint-run.ts';

/** Pictures that are sorted together at first: three milliseconds. */
export const YOUNG_ROWS_MAX = 1024;

const NO_RUN: Run = { rows: 0, starts: new Uint32Array(0), postings: new Uint32Array(0) };

export interface IndexedKeypoints {
  sequence: number;
  accountId: number;
  keypoints: Keypoints;
}

export interface KeypointHit {
  sequence: number;
  /** Place of the asked keypoints. */
  query: number;
  /** Weight of the words that are shared and turned alike. */
  votes: number;
}

export class KeypointIndex {
  readonly #sequences: number[] = [];
  /** 0 for a picture that was removed. */
  readonly #accounts: number[] = [];
  readonly #runs: Run[] = [];
  readonly #raw = newRaw(YOUNG_ROWS_MAX * STORED_KEYPOINTS_MAX);
  /** As of the last search. */
  #young = NO_RUN;
  #youngRows = 0;

  /** Rows, also of pictures that were removed. */
  get count(): number {
    return this.#sequences.length;
  }

  /** The greatest sequence that was added; 0 where there is none. */
  get last(): number {
    return this.#sequences.at(-1) ?? 0;
  }

  /** Bytes of the words in memory. */
  get bytes(): number {
    return this.#runs.reduce(
      (sum, { starts, postings }) => sum + starts.byteLength + postings.byteLength,
      this.#raw.words.byteLength + this.#raw.postings.byteLength,
    );
  }

  /** In the order of their sequences. */
  add({ sequence, accountId, keypoints }: IndexedKeypoints): void {
    if (sequence <= this.last) throw new Error('keypoints are added in their order');
    addRaw(this.#raw, this.#youngRows, keypoints);
    this.#sequences.push(sequence);
    this.#accounts.push(accountId);
    this.#youngRows += 1;
    if (this.#youngRows < YOUNG_ROWS_MAX) return;
    this.#runs.push(sortRun(this.#raw, this.#youngRows));
    this.#raw.count = 0;
    this.#youngRows = 0;
    this.#young = NO_RUN;
  }

  /** Makes one run of two that are as long, again and again. Called by one at a time, and after some thousand pictures at the latest. */
  async settle(): Promise<void> {
    for (let at = this.#runs.length - 2; at >= 0; at = this.#runs.length - 2) {
      const [left, right] = this.#runs.slice(at) as [Run, Run];
      if (left.rows !== right.rows || left.rows * 2 > RUN_ROWS_MAX) return;
      const merging = mergeRuns(left, right);
      let step = merging.next();
      for (; step.done !== true; step = merging.next()) await nextTurn();
      this.#runs.splice(at, 2, step.value);
    }
  }

  /** Its words stay until the next start, but lead nowhere. Whether it was there. */
  remove(sequence: number): boolean {
    const row = rowOf(this.#sequences, sequence);
    if (row === null || this.#accounts[row] === 0) return false;
    this.#accounts[row] = 0;
    return true;
  }

  /** Rows of these accounts that share the most with one of the queries, at most `hitsMax`, the best first. */
  async search(
    queries: readonly Keypoints[],
    accounts: ReadonlySet<number>,
    hitsMax: number,
    votesMin: number,
  ): Promise<KeypointHit[]> {
    let hits: KeypointHit[] = [];
    let base = 0;
    for (const run of this.#allRuns()) {
      for (const [query, asked] of queries.entries()) {
        for (const { row, votes } of searchRun(run, asked, votesMin)) {
          const isAsked = accounts.has(this.#accounts[base + row] as number);
          if (isAsked) hits.push({ sequence: this.#sequences[base + row] as number, query, votes });
        }
        hits = best(hits, hitsMax);
        await nextTurn();
      }
      base += run.rows;
    }
    return hits;
  }

  #allRuns(): Run[] {
    if (this.#young.rows !== this.#youngRows) this.#young = sortRun(this.#raw, this.#youngRows);
    return this.#youngRows === 0 ? [...this.#runs] : [...this.#runs, this.#young];
  }
}

function best(hits: KeypointHit[], hitsMax: number): KeypointHit[] {
  if (hits.length <= hitsMax) return hits;
  return hits.toSorted((a, b) => b.votes - a.votes || b.sequence - a.sequence).slice(0, hitsMax);
}

function rowOf(sequences: readonly number[], sequence: number): number | null {
  let [low, high] = [0, sequences.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sequences[middle] as number) < sequence) low = middle + 1;
    else high = middle;
  }
  return sequences[low] === sequence ? low : null;
}
