/** Describes earlier pictures and films by their parts, beside other work; a kill loses one record's work at most. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from '../../domain/clock.ts';
import { emptyKeypoints, packKeypoints } from '../../domain/media/keypoints.ts';
import type { DescribedPicture } from '../../domain/media/perceptual-hash.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import {
  type FoundLikeness,
  LIKENESS_QUALITY_MIN,
  LIKENESSES_MAX,
} from '../../domain/records/seen-before.ts';
import type { KeptFile } from '../../engine/decode/describe-picture.ts';
import type { Engine } from '../../engine/engine.ts';
import { STORE_PAUSE_MS } from '../../machinery/due-loop.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Store } from '../../store/store.ts';
import type { Core } from '../core.ts';
import type { KeptPictures } from '../records/kept-pictures.ts';

export interface EarlierPicturesParts extends Pick<Core, 'store' | 'clock' | 'log'> {
  readonly engine: Pick<Engine, 'status'>;
  readonly looks: Engine['looks'];
  readonly keptPictures: KeptPictures;
}

export interface EarlierPicturesState {
  /** Analyses looked at since the start, of `total`. */
  looked: number;
  total: number;
  /** Records that searches now find by a part. */
  learned: number;
  /** Records whose file or frames are gone. */
  gone: number;
  /** Pictures that could not be decoded; they are tried again after the next start. */
  unreadable: number;
  isDone: boolean;
}

/** Raised with the descriptions' contents: an upgrade then describes earlier pictures anew. */
export const DESCRIPTION_VERSION = 1;
/** Read from the store between two turns of the event loop; results of films have some megabytes. */
const ANALYSES_AT_ONCE = 20;
/** Likenesses, which are small. */
const LIKENESSES_AT_ONCE = 200;
/** Wait until the box may be idle. */
const BUSY_PAUSE_MS = 2000;
/** Wait until another analysis may have ended. */
const FOLLOW_PAUSE_MS = 500;
/** Wait until the engine has started, which takes seconds. */
const STARTING_PAUSE_MS = 100;
const NOTHING_STANDS_OUT = packKeypoints(emptyKeypoints(0, 0, 0));

export class EarlierPictures implements AsyncDisposable {
  readonly #parts: EarlierPicturesParts;
  readonly #stopped = new AbortController();
  #cursor = '';
  #state = { looked: 0, learned: 0, gone: 0, unreadable: 0, isDone: false };
  /** The last likeness looked at since the start. */
  #last = 0;
  readonly #earlierDone = Promise.withResolvers<void>();
  #work: Promise<void> = Promise.resolve();

  constructor(parts: EarlierPicturesParts) {
    this.#parts = parts;
  }

  get state(): EarlierPicturesState {
    return { ...this.#state, total: this.#parts.store.read.analyses.count };
  }

  start(): void {
    this.#work = this.#run(this.#stopped.signal);
  }

  /** Resolves when every analysis from before the start was looked at. */
  async settled(): Promise<void> {
    await this.#earlierDone.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#work;
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    await this.#untilDone(signal, async () => {
      await this.#idle(signal);
      await this.#parts.keptPictures.read();
      return true;
    });
    await this.#untilDone(signal, async () => this.#isKnownDone() || (await this.#step(signal)));
    const { learned, gone, unreadable, isDone } = this.#state;
    if (isDone && learned > 0)
      this.#parts.log.info({ learned, gone, unreadable }, 'earlier pictures are found by parts now');
    this.#earlierDone.resolve();
    await this.#untilDone(signal, () => this.#follow(signal));
  }

  async #untilDone(signal: AbortSignal, step: () => Promise<boolean>): Promise<void> {
    const { log, clock } = this.#parts;
    while (!signal.aborted) {
      try {
        if (await step()) return;
        await nextTurn();
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, 'pictures could not be described; it goes on in a moment');
        await pause(clock, STORE_PAUSE_MS, signal);
      }
    }
  }

  /** Looks at some likenesses of analyses since; never done. */
  async #follow(signal: AbortSignal): Promise<boolean> {
    const { store, clock } = this.#parts;
    const rows = store.read.likenessesAfter(this.#last, LIKENESSES_AT_ONCE);
    for (const { sequence, likeness } of rows) {
      const analysis = store.read.analyses.getUnlessDamaged(likeness.analysisId);
      // The first frame of a film brings all the others.
      if (!store.read.keypoints.has(sequence) && analysis !== undefined && lacksParts(store.read, analysis)) {
        await this.#idle(signal);
        await this.#learn(analysis, signal);
      }
      this.#last = sequence;
    }
    if (rows.length < LIKENESSES_AT_ONCE) await pause(clock, FOLLOW_PAUSE_MS, signal);
    return false;
  }

  #isKnownDone(): boolean {
    if (this.#parts.store.read.records.picturesDescribed === DESCRIPTION_VERSION) this.#state.isDone = true;
    return this.#state.isDone;
  }

  /** Looks at some analyses; true if none is left. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#parts;
    const analyses = store.read.analysesAfter(this.#cursor, ANALYSES_AT_ONCE);
    for (const analysis of analyses) {
      if (lacksParts(store.read, analysis)) {
        await this.#idle(signal);
        const outcome = await this.#learn(analysis, signal);
        if (outcome !== null) this.#state[outcome] += 1;
      }
      this.#cursor = analysis.id;
      this.#state.looked += 1;
    }
    if (analyses.length > 0) return false;
    // Undecodable pictures are retried after the next start.
    if (this.#state.unreadable === 0)
      await store.transact((tx) => tx.notePicturesDescribed(DESCRIPTION_VERSION));
    this.#state.isDone = true;
    return true;
  }

  /** Waits until no one waits for other work. */
  async #idle(signal: AbortSignal): Promise<void> {
    const { engine, clock } = this.#parts;
    for (;;) {
      const { queueDepth, running, phase } = engine.status();
      const isStarting = phase === 'starting';
      if (!isStarting && queueDepth + running === 0) return;
      await pause(clock, isStarting ? STARTING_PAUSE_MS : BUSY_PAUSE_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** Null if it changed meanwhile, or has too little detail. */
  async #learn(analysis: Analysis, signal: AbortSignal): Promise<'learned' | 'gone' | 'unreadable' | null> {
    const { store, clock, log } = this.#parts;
    const kept = await keptOf(store, analysis);
    if (kept.length === 0) return 'gone';
    let likenesses: FoundLikeness[];
    try {
      likenesses = await this.#describe(kept, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, analysis: analysis.id }, 'a picture could not be described');
      return 'unreadable';
    }
    const isWritten = await store.transact((tx) => {
      const current = tx.analyses.get(analysis.id);
      if (current === undefined || current.endedAt !== analysis.endedAt) return false;
      tx.relearnLikenesses(current, likenesses, clock.now());
      return true;
    });
    return isWritten && likenesses.length > 0 ? 'learned' : null;
  }

  async #describe(kept: readonly KeptPicture[], signal: AbortSignal): Promise<FoundLikeness[]> {
    const likenesses: FoundLikeness[] = [];
    for (const { timeSeconds, stored } of kept) {
      await this.#idle(signal);
      const described = await this.#parts.looks.describeStored(stored, signal);
      likenesses.push(...toLikenesses(described, timeSeconds));
    }
    return likenesses;
  }
}

interface KeptPicture {
  timeSeconds: number | null;
  stored: KeptFile;
}

/** The original of a picture, or the frames of a film; none if they are gone. */
async function keptOf(store: Store, { id, hash, result }: Analysis): Promise<KeptPicture[]> {
  if (result?.kind !== 'video')
    return (await store.blobs.has(hash)) ? [{ timeSeconds: null, stored: { hash } }] : [];
  if (!store.artifacts.isThere(id)) return [];
  const frames = result.frames.slice(0, LIKENESSES_MAX);
  return frames.map(({ timeSeconds, file }) => ({
    timeSeconds,
    stored: { framePath: store.artifacts.pathOf(id, file) },
  }));
}

/** A picture or film that was not described, or was before there were keypoints. Nothing is kept under zero retention. */
function lacksParts(read: StoreReader, { id, kind, state, result, accountId }: Analysis): boolean {
  if (kind === 'audio' || state !== 'done' || result === null) return false;
  const plan = read.accounts.planUnlessDamaged(accountId);
  if (plan === undefined || plan.zeroRetention) return false;
  const known = read.nearMatches.getUnlessDamaged(id);
  return known === undefined || known.sequences.some((sequence) => !read.keypoints.has(sequence));
}

function toLikenesses(described: DescribedPicture | null, timeSeconds: number | null): FoundLikeness[] {
  if (described === null || described.quality < LIKENESS_QUALITY_MIN) return [];
  const { hash, keypoints } = described;
  const packed = keypoints === undefined ? NOTHING_STANDS_OUT : Buffer.from(keypoints, 'base64');
  return [{ hash, timeSeconds, keypoints: packed }];
}
