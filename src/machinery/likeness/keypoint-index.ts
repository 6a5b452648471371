/**
 * Which pictures share keypoints with another, in memory. Some bits of a keypoint are its word, as in a book's index: a picture
 * that shares many words, all turned by about the same angle, is worth a closer look. Words that stand in many pictures
 * say nothing and are left out. Parted into segments that are searched one after the other, so that nothing else waits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DESCRIPTOR_WORDS, type Keypoints } from '../../domain/media/keypoints.ts';
import { SEGMENT_ROWS, Segment } from './keypoint-segment.ts';

/** Segments between two breaths of the event loop: about two milliseconds. */
const SLICE_SEGMENTS = 8;

export interface IndexedKeypoints {
  sequence: number;
  accountId: number;
  keypoints: Keypoints;
}

export interface KeypointHit {
  sequence: number;
  /** Place of the asked keypoints. */
  query: number;
  /** Words that are shared and turned alike. */
  votes: number;
}

export class KeypointIndex {
  readonly #segments: Segment[] = [];
  #last = 0;
  #count = 0;

  /** Rows, also of pictures that were removed. */
  get count(): number {
    return this.#count;
  }

  /** The greatest sequence that was added; 0 where there is none. */
  get last(): number {
    return this.#last;
  }

  /** In the order of their sequences. */
  add({ sequence, accountId, keypoints }: IndexedKeypoints): void {
    if (sequence <= this.#last) throw new Error('keypoints are added in their order');
    if (this.#count % SEGMENT_ROWS === 0) this.#segments.push(new Segment());
    this.#segments.at(-1)?.add(sequence, accountId, keypoints);
    this.#last = sequence;
    this.#count += 1;
  }

  /** Its words stay until the next start, but lead nowhere. Whether it was there. */
  remove(sequence: number): boolean {
    return this.#segments.findLast(({ first }) => first <= sequence)?.remove(sequence) ?? false;
  }

  /** Rows of these accounts that share the most with one of the queries, at most `hitsMax`, the best first. */
  async search(
    queries: readonly Keypoints[],
    accounts: ReadonlySet<number>,
    hitsMax: number,
    votesMin: number,
  ): Promise<KeypointHit[]> {
    const asked = queries.filter(({ count }) => count > 0).length === 0 ? [] : queries.map(toAsked);
    let hits: KeypointHit[] = [];
    for (const [index, segment] of this.#segments.entries()) {
      if (index % SLICE_SEGMENTS === SLICE_SEGMENTS - 1) await nextTurn();
      for (const [query, words] of asked.entries()) {
        for (const { sequence, votes } of segment.search(words, accounts, votesMin)) {
          hits.push({ sequence, query, votes });
        }
      }
      if (hits.length > 4 * hitsMax) hits = best(hits, hitsMax);
    }
    return best(hits, hitsMax);
  }
}

function best(hits: readonly KeypointHit[], hitsMax: number): KeypointHit[] {
  return hits.toSorted((a, b) => b.votes - a.votes || b.sequence - a.sequence).slice(0, hitsMax);
}

function toAsked({ count, words, angle }: Keypoints) {
  return { count, words: words.subarray(0, count * DESCRIPTOR_WORDS), angle: angle.subarray(0, count) };
}
