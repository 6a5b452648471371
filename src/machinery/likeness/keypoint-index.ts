/**
 * Which pictures share keypoints with another: some bits of a keypoint are its word, and many shared words
 * turned by one angle are worth a closer look. Pictures lie in runs, each twice as long as the next; whole
 * chapters lie side by side in a file, so that a word of a million pictures is looked up once.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Keypoints, STORED_KEYPOINTS_MAX } from '../../domain/media/keypoints.ts';
import {
  type AskedRows,
  addRaw,
  mergeRuns,
  newRaw,
  type Run,
  restOf,
  shareWord,
  sortRun,
  wordsNear,
} from './keypoint-run.ts';
import { CHAPTER_ROWS } from './posting.ts';
import { fileSink, heldPostings, memorySink, type PostingsSink } from './postings.ts';
import { assertKeypoints, type RowVotes, SharedWords } from './word-votes.ts';

/** Pictures that are sorted together at first, in three milliseconds. */
export const YOUNG_ROWS_MAX = 1024;
/** A million pictures in one file. Each chapter that is appended writes all of it again. */
const CHAPTERS_MAX = 8;
/** Asked keypoints between two turns of the event loop: a millisecond or two among a million pictures. */
const SLICE_KEYPOINTS = 32;

const NO_RUN: Run = {
  rows: 0,
  chapters: 1,
  starts: new Uint32Array(0),
  postings: heldPostings(new Uint32Array(0)),
};

export interface IndexedKeypoints {
  sequence: number;
  accountId: number;
  keypoints: Keypoints;
}

export interface KeypointHit {
  sequence: number;
  /** Position of the asked keypoints in the query. */
  query: number;
  /** Weight of the shared words that are turned alike. */
  votes: number;
}

export class KeypointIndex {
  readonly #folder: string;
  readonly #chapterRows: number;
  readonly #sequences: number[] = [];
  /** Slot of each row; 0 for a removed picture. */
  readonly #slots: number[] = [];
  /** Accounts are numbered in the order of their first picture. */
  readonly #slotOf = new Map<number, number>();
  readonly #runs: Run[] = [];
  readonly #raw = newRaw(YOUNG_ROWS_MAX * STORED_KEYPOINTS_MAX);
  /** The newest pictures, sorted at the last search. */
  #young = NO_RUN;
  #youngRows = 0;
  #fault: unknown = null;

  /** Files of large runs are made in the folder and unlinked at once. */
  constructor(folder: string, chapterRows = CHAPTER_ROWS) {
    this.#folder = folder;
    this.#chapterRows = chapterRows;
  }

  /** Counts removed pictures, too. */
  get count(): number {
    return this.#sequences.length;
  }

  /** The greatest sequence that was added; 0 if there is none. */
  get last(): number {
    return this.#sequences.at(-1) ?? 0;
  }

  /** Bytes of the words in the process's own memory. */
  get bytes(): number {
    return this.#runs.reduce(
      (sum, { starts, postings }) => sum + starts.byteLength + postings.bytes,
      this.#raw.words.byteLength + this.#raw.postings.byteLength,
    );
  }

  /** Bytes of the words in files. */
  get fileBytes(): number {
    return this.#runs.reduce((sum, { postings }) => sum + postings.fileBytes, 0);
  }

  /** Why no file could be written; words then stay in memory until the next start. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Pictures must come in the order of their sequences. */
  add({ sequence, accountId, keypoints }: IndexedKeypoints): void {
    if (sequence <= this.last) throw new Error('keypoints are added in their order');
    addRaw(this.#raw, this.#youngRows, keypoints);
    this.#sequences.push(sequence);
    const slot = this.#slotOf.get(accountId) ?? this.#slotOf.size + 1;
    this.#slotOf.set(accountId, slot);
    this.#slots.push(slot);
    this.#youngRows += 1;
    if (this.#youngRows < YOUNG_ROWS_MAX) return;
    this.#runs.push(sortRun(this.#raw, this.#youngRows));
    this.#raw.count = 0;
    this.#youngRows = 0;
    this.#young = NO_RUN;
  }

  /** Merges two runs of one length, and chapters of a file. Calls must not overlap; due after some thousand pictures. */
  async settle(): Promise<void> {
    for (let at = this.#runs.length - 2; at >= 0; at = this.#runs.length - 2) {
      const [left, right] = this.#runs.slice(at) as [Run, Run];
      const merged = await this.#merge(left, right);
      if (merged === null) return;
      this.#runs.splice(at, 2, merged);
      for (const { postings } of [left, right]) postings.retire();
    }
  }

  /** Null if both runs stay as they are. */
  async #merge(left: Run, right: Run): Promise<Run | null> {
    const rows = left.rows + right.rows;
    const isOneChapter = left.rows === right.rows && rows <= this.#chapterRows;
    if (isOneChapter && rows < this.#chapterRows) return await this.#mergedInto(memorySink, left, right);
    const isSideBySide =
      right.rows === this.#chapterRows && left.rows >= right.rows && left.chapters < CHAPTERS_MAX;
    if (!isOneChapter && !isSideBySide) return null;
    if (this.#fault === null) {
      try {
        return await this.#mergedInto(() => fileSink(this.#folder), left, right);
      } catch (error) {
        this.#fault = error;
      }
    }
    return isOneChapter ? await this.#mergedInto(memorySink, left, right) : null;
  }

  async #mergedInto(openSink: (count: number) => PostingsSink, left: Run, right: Run): Promise<Run> {
    const sink = openSink(left.postings.count + right.postings.count);
    const merging = mergeRuns(left, right, sink, this.#chapterRows);
    try {
      let step = merging.next();
      for (; step.done !== true; step = merging.next()) await nextTurn();
      return step.value;
    } catch (error) {
      sink.discard();
      throw error;
    }
  }

  /** Unlinks a picture's words, which stay as long as the index. Returns whether the picture was there. */
  remove(sequence: number): boolean {
    const row = rowOf(this.#sequences, sequence);
    if (row === null || this.#slots[row] === 0) return false;
    this.#slots[row] = 0;
    return true;
  }

  /** Rows of these accounts that share the most with one of the queries, at most `hitsMax`, the best first. */
  async search(
    queries: readonly Keypoints[],
    accounts: ReadonlySet<number>,
    hitsMax: number,
    votesMin: number,
  ): Promise<KeypointHit[]> {
    const runs = this.#allRuns();
    for (const { postings } of runs) postings.hold();
    try {
      let hits: SlotHit[] = [];
      const rows = { slots: this.#slots, chapterRows: this.#chapterRows, ...this.#asked(accounts) };
      let base = 0;
      for (const run of runs) {
        for (const [query, asked] of queries.entries()) {
          for (const { row, votes } of await searchRun(run, asked, { ...rows, base, votesMin })) {
            const slot = this.#slots[base + row] as number;
            // The picture may have been removed meanwhile.
            if (slot !== 0)
              hits.push({ sequence: this.#sequences[base + row] as number, query, votes, slot });
          }
          hits = best(hits, hitsMax);
        }
        base += run.rows;
      }
      return hits.map(({ slot: _, ...hit }) => hit);
    } finally {
      for (const { postings } of runs) postings.release();
    }
  }

  #asked(accounts: ReadonlySet<number>): Pick<AskedRows, 'isAsked' | 'counts'> {
    const isAsked = new Uint8Array(this.#slotOf.size + 1);
    for (const account of accounts) isAsked[this.#slotOf.get(account) ?? 0] = 1;
    isAsked[0] = 0;
    return { isAsked, counts: new Uint32Array(isAsked.length) };
  }

  [Symbol.dispose](): void {
    for (const { postings } of this.#runs) postings.retire();
  }

  #allRuns(): Run[] {
    if (this.#young.rows !== this.#youngRows) this.#young = sortRun(this.#raw, this.#youngRows);
    return this.#youngRows === 0 ? [...this.#runs] : [...this.#runs, this.#young];
  }
}

/** Rows with at least `votesMin` votes that are all turned alike. */
async function searchRun(
  run: Run,
  asked: Keypoints,
  { votesMin, ...rows }: AskedRows & { votesMin: number },
): Promise<RowVotes[]> {
  assertKeypoints(asked.count);
  const shared = Array.from({ length: run.chapters }, () => new SharedWords());
  for (let index = 0; index < asked.count; index++) {
    if (index % SLICE_KEYPOINTS === SLICE_KEYPOINTS - 1) await nextTurn();
    const voter = { rest: restOf(asked, index), index, shared };
    for (const word of wordsNear(asked, index)) shareWord(run, word, voter, rows);
  }
  const found: RowVotes[] = [];
  for (const [chapter, words] of shared.entries()) {
    for (const { row, votes } of words.votes(votesMin))
      found.push({ row: chapter * rows.chapterRows + row, votes });
    await nextTurn();
  }
  return found;
}

interface SlotHit extends KeypointHit {
  slot: number;
}

/** An account gets at most half of the hits while another's would be left out, so that copies cannot push them out. */
function best(hits: SlotHit[], hitsMax: number): SlotHit[] {
  if (hits.length <= hitsMax) return hits;
  const sorted = hits.toSorted((a, b) => b.votes - a.votes || b.sequence - a.sequence);
  const taken = new Map<number, number>();
  const [within, beyond] = [[] as SlotHit[], [] as SlotHit[]];
  for (const hit of sorted) {
    const count = (taken.get(hit.slot) ?? 0) + 1;
    taken.set(hit.slot, count);
    (count <= hitsMax / 2 ? within : beyond).push(hit);
  }
  return [...within, ...beyond].slice(0, hitsMax);
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
