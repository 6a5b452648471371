/** In memory, read from the store at the first search and continued later; the store's keypoints judge candidates. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Keypoints, unpackKeypoints } from '../../domain/media/keypoints.ts';
import { findSharedPart, type SharedPart } from '../../domain/media/shared-part.ts';
import { isSharedPart } from '../../domain/records/found-picture.ts';
import { AccountCounts } from '../../machinery/likeness/account-counts.ts';
import { KeypointIndex } from '../../machinery/likeness/keypoint-index.ts';
import { isMostlyRemoved, TailReader } from '../../machinery/likeness/tail-reader.ts';
import type { Store } from '../../store/store.ts';
import type { RecordParts } from './parts.ts';
import type { SeenBeforeIndex } from './seen-before.ts';

/** Rows read from the store between two turns of the event loop. */
const READ_MAX = 200;
/** Candidates that are compared place by place. */
export const CANDIDATES_MAX = 24;
/** Weight of the words that a candidate must share: two rare ones. */
export const VOTES_MIN = 8;

export interface SearchParts extends RecordParts {
  /** Whole pictures by their looks. */
  readonly copies: SeenBeforeIndex;
  /** Pictures by their parts. */
  readonly keptPictures: KeptPictures;
}

export interface PartHit extends SharedPart {
  sequence: number;
  /** Position of the asked keypoints. */
  query: number;
}

export interface KeptPicturesState {
  /** Pictures and frames that can be found by a part. */
  pictures: number;
  /** The index' size in memory, and in an unnamed file. */
  bytes: number;
  fileBytes: number;
  /** Why that file could not be written; null while it can. */
  fileFault: string | null;
  /** Rows without valid keypoints. */
  damaged: number;
}

export class KeptPictures implements AsyncDisposable {
  readonly #store: Store;
  #index: KeypointIndex;
  #counts = new AccountCounts();
  /** Rows of the index whose picture was removed. */
  #removed = 0;
  readonly #tail = new TailReader(() => this.#readPiece());
  /** The last sequence that was read, usable or not. */
  #last = 0;
  #damaged = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#index = newIndex(store);
  }

  /** Pictures of these accounts that share a part with one of the queries, in no order. */
  async search(queries: readonly Keypoints[], accounts: ReadonlySet<number>): Promise<PartHit[]> {
    await this.#tail.catchUp();
    const hits: PartHit[] = [];
    for (const { sequence, query } of await this.#index.search(
      queries,
      accounts,
      CANDIDATES_MAX,
      VOTES_MIN,
    )) {
      const kept = keypointsOf(this.#store, sequence);
      const asked = queries[query];
      if (kept === undefined || asked === undefined) continue;
      const part = findSharedPart(asked, kept);
      if (isSharedPart(part)) hits.push({ ...part, sequence, query });
      await nextTurn();
    }
    return hits;
  }

  /** Reads the store, so that the first search does not wait for it. */
  async read(): Promise<void> {
    await this.#tail.catchUp();
  }

  get state(): KeptPicturesState {
    const { bytes, fileBytes, fault } = this.#index;
    const fileFault = fault === null ? null : String(fault);
    return { pictures: this.#counts.total, bytes, fileBytes, fileFault, damaged: this.#damaged };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tail.stop();
    this.#index[Symbol.dispose]();
  }

  /** Pictures and frames of these accounts, as of the last search. */
  countOf(accounts: ReadonlySet<number>): number {
    return this.#counts.of(accounts);
  }

  forget({ sequence, accountId }: { sequence: number; accountId: number }): void {
    if (!this.#index.remove(sequence)) return;
    this.#counts.change(accountId, -1);
    this.#removed += 1;
  }

  /** A running search continues in the old index. */
  #beginAnew(): void {
    this.#index[Symbol.dispose]();
    this.#index = newIndex(this.#store);
    this.#counts = new AccountCounts();
    [this.#removed, this.#last, this.#damaged] = [0, 0, 0];
  }

  async #readPiece(): Promise<boolean> {
    if (isMostlyRemoved(this.#index.count, this.#removed)) this.#beginAnew();
    const rows = this.#store.read.keypointsAfter(this.#last, READ_MAX);
    for (const { sequence, keypoints } of rows) {
      const { accountId, packed } = keypoints;
      this.#last = sequence;
      const unpacked = unpackKeypoints(packed);
      if (unpacked === undefined) {
        this.#damaged += 1;
        continue;
      }
      this.#index.add({ sequence, accountId, keypoints: unpacked });
      this.#counts.change(accountId, 1);
    }
    await this.#index.settle();
    return rows.length === READ_MAX;
  }
}

const newIndex = ({ blobs }: Store): KeypointIndex => new KeypointIndex(blobs.temporaryFolder);

/** Undefined if there are none, or they are damaged. */
export function keypointsOf({ read }: Pick<Store, 'read'>, sequence: number): Keypoints | undefined {
  const stored = read.keypoints.getUnlessDamaged(sequence);
  return stored === undefined ? undefined : unpackKeypoints(stored.packed);
}
