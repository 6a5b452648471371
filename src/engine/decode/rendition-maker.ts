/** Makes each rendition once, by turns over accounts; films and sounds have a lane of their own, so no picture waits. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';
import {
  RENDITION_FILES,
  type RenditionKind,
  type SheetFacts,
  type SheetFrame,
} from '../../domain/media/rendition.ts';
import { Turnstile } from '../../machinery/turns/turnstile.ts';
import type { StoredRendition } from '../../store/rendition-store.ts';
import type { Store } from '../../store/store.ts';
import { AbortError, MediaFaultError, WorkerLostError } from '../children/worker-errors.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import type { DecodeSlot, DecodeWork } from './decode-slot.ts';
import { placeOriginal } from './place-original.ts';

export interface RenditionsConfig {
  /** Disk that all renditions together may take; the least recently used ones go first. */
  bytesMax: number;
  /** Below this much free disk no rendition is made. */
  diskFreeBytesMin: number;
  /** A child's time for one rendition, by lane. */
  timeoutsMs?: Readonly<Record<Lane, number>>;
}

interface OrderName {
  /** Owner of its source: a media file's hash, or the analysis that made the file. */
  owner: string;
  name: string;
}

export interface FileOrder extends OrderName {
  kind: Exclude<RenditionKind, 'sheet'>;
  sourcePath: string;
  /** Whether the source is the submitted file, and not an analysis' output. */
  isOriginal: boolean;
}

/** A contact sheet of the frames that an analysis made. */
export interface SheetOrder extends OrderName {
  kind: 'sheet';
  facts: SheetFacts;
  /** In the order of the film, at most SHEET_FRAMES_MAX. */
  frames: (SheetFrame & { sourcePath: string })[];
}

export type RenditionOrder = FileOrder | SheetOrder;

export type RenditionView =
  | { state: 'none' }
  | { state: 'waiting' | 'making'; done: number; total: number }
  | { state: 'ready'; rendition: StoredRendition }
  | { state: 'failed'; error: AppError };

interface RenditionsParts {
  store: Pick<Store, 'blobs' | 'renditions' | 'freeBytes'>;
  pool: Pick<DecodePool, 'run'>;
  log: Logger;
  stepTimed: (step: string, seconds: number) => void;
}

interface Job {
  state: 'waiting' | 'making';
  done: number;
  total: number;
  /** When somebody last asked about it, on the clock of `performance`. */
  askedAtMs: number;
  /** Never rejects. */
  ended: Promise<RenditionView>;
}

type Lane = 'quick' | 'slow';

const LANES: Readonly<Record<RenditionKind, Lane>> = {
  picture: 'quick',
  preview: 'quick',
  tiles: 'quick',
  strip: 'quick',
  peaks: 'quick',
  sheet: 'quick',
  thumbnail: 'quick',
  film: 'slow',
  sound: 'slow',
};
/** Two hours of film at twice the speed of watching; the others take seconds on an idle box. */
const TIMEOUTS_MS: Readonly<Record<Lane, number>> = { quick: 90_000, slow: 3_600_000 };
/** Waiting orders in one lane: a few open pages of an account. */
const ACCOUNT_WAITING_MAX = 16;
/** Running and waiting orders of all accounts. */
const JOBS_MAX = 256;
/** A page that shows it asks every other second; an order that no one asked about for so long is not begun. */
const FORGOTTEN_MS = 60_000;
const QUEUE_RETRY_SECONDS = 30;
const DISK_RETRY_SECONDS = 60;
/** A child may die once for reasons of its own; twice over the same file, the file is the cause. */
const TRIES_MAX = 2;
/** Remembered failures, so that a polling page does not retry each time. */
const FAILURES_MAX = 1000;
const FAILURE_TTL_MS = 600_000;
/** A film grows by some megabytes meanwhile. */
const DISK_CHECK_MS = 5000;

export class RenditionMaker {
  readonly #config: RenditionsConfig;
  readonly #parts: RenditionsParts;
  readonly #jobs = new Map<string, Job>();
  readonly #failures = new LRUCache<string, AppError>({ max: FAILURES_MAX, ttl: FAILURE_TTL_MS });
  readonly #lanes: Readonly<Record<Lane, Turnstile>> = { quick: new Turnstile(1), slow: new Turnstile(1) };
  readonly #stopped = new AbortController();

  constructor(config: RenditionsConfig, parts: RenditionsParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** What exists of it, without making it. */
  async look(order: RenditionOrder): Promise<RenditionView> {
    const key = keyOf(order);
    const rendition = await this.#parts.store.renditions.find(order.owner, order.name);
    if (rendition !== undefined) return { state: 'ready', rendition };
    const job = this.#jobs.get(key);
    if (job !== undefined) {
      job.askedAtMs = performance.now();
      return { state: job.state, done: job.done, total: job.total };
    }
    const error = this.#failures.get(key);
    return error === undefined ? { state: 'none' } : { state: 'failed', error };
  }

  /** Makes it if it is missing, and waits for it up to a time. Throws AppErrors if it cannot be begun. */
  async open(
    order: RenditionOrder,
    { accountId, waitMs }: { accountId: number; waitMs: number },
  ): Promise<RenditionView> {
    const view = await this.look(order);
    if (view.state === 'ready' || view.state === 'failed') return view;
    const job = this.#jobs.get(keyOf(order)) ?? this.#begin(order, accountId);
    this.#lanes[LANES[order.kind]].join(keyOf(order), accountId);
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), waitMs);
    const ended = await Promise.race([job.ended, late]);
    clearTimeout(timer);
    return ended ?? { state: job.state, done: job.done, total: job.total };
  }

  /** Calls off all work; resolves when none is left. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  #begin(order: RenditionOrder, accountId: number): Job {
    if (this.#stopped.signal.aborted) throw new AppError('draining', 'the appliance is stopping');
    const lane = this.#lanes[LANES[order.kind]];
    if (this.#jobs.size >= JOBS_MAX || lane.depthOf(accountId) >= ACCOUNT_WAITING_MAX) {
      const details = { retryAfterSeconds: QUEUE_RETRY_SECONDS };
      throw new AppError('queue_full', 'too many renditions are waiting to be made', details);
    }
    const progress = { state: 'waiting', done: 0, total: 1, askedAtMs: performance.now() } as const;
    const job: Job = { ...progress, ended: Promise.resolve({ state: 'none' }) };
    job.ended = lane.enter(accountId, keyOf(order)).then((turn) => this.#run(order, job, turn));
    this.#jobs.set(keyOf(order), job);
    return job;
  }

  async #run(order: RenditionOrder, job: Job, turn: Disposable): Promise<RenditionView> {
    using _turn = turn;
    const key = keyOf(order);
    const startedAt = performance.now();
    job.state = 'making';
    try {
      if (startedAt - job.askedAtMs > FORGOTTEN_MS) return { state: 'none' };
      const rendition = await this.#make(order, job);
      this.#parts.stepTimed(`rendition-${order.kind}`, (performance.now() - startedAt) / 1000);
      return { state: 'ready', rendition };
    } catch (thrown) {
      const { error, isLasting } = faultOf(thrown, order.kind);
      if (isLasting) this.#failures.set(key, error);
      else this.#parts.log.warn({ err: thrown, kind: order.kind }, 'a rendition could not be made');
      return { state: 'failed', error };
    } finally {
      this.#jobs.delete(key);
    }
  }

  async #make(order: RenditionOrder, job: Job): Promise<StoredRendition> {
    const { pool, store, log } = this.#parts;
    for (let tries = 1; ; tries += 1) {
      await this.#assertRoom();
      try {
        const work = (slot: DecodeSlot) => this.#makeIn(slot, order, job);
        const made = await pool.run('rendition', work, { signal: this.#stopped.signal });
        const removed = await store.renditions.trim(this.#config.bytesMax, order);
        if (removed > 0) log.info({ removed }, 'renditions that nobody looked at made room for a new one');
        return made;
      } catch (error) {
        if (!isWorthAgain(error, LANES[order.kind]) || tries >= TRIES_MAX) throw error;
      }
    }
  }

  async #makeIn(slot: DecodeSlot, order: RenditionOrder, job: Job): Promise<StoredRendition> {
    const { owner, name, kind } = order;
    const lane = LANES[kind];
    // Its priority was lowered for good, so no analysis may get this child.
    if (lane === 'slow') slot.retire();
    const called = new AbortController();
    const signal = AbortSignal.any([this.#stopped.signal, called.signal]);
    let checkedAt = performance.now();
    const work = await this.#place(slot, order, signal).catch((error: unknown) => {
      throw isMissing(error) ? gone() : error;
    });
    const { figures } = await slot.request(work, {
      timeoutMs: (this.#config.timeoutsMs ?? TIMEOUTS_MS)[lane],
      signal,
      onProgress: ({ done, total }) => {
        Object.assign(job, { done, total });
        if (performance.now() - checkedAt < DISK_CHECK_MS) return;
        checkedAt = performance.now();
        this.#assertWanted(owner).catch((error: unknown) => called.abort(error));
      },
    });
    if (figures.kind !== kind)
      throw new WorkerLostError('broken', `it made ${figures.kind} instead of ${kind}`);
    using opened = new DisposableStack();
    const files = RENDITION_FILES[kind].map((file) => ({
      name: file,
      source: opened.use(slot.openOut(file)),
    }));
    const kept = await this.#parts.store.renditions.put(owner, name, { figures, files });
    if (kept === undefined) throw gone();
    return kept;
  }

  /** Puts its source into the slot; returns the request for the child. */
  async #place(
    slot: DecodeSlot,
    order: RenditionOrder,
    signal: AbortSignal,
  ): Promise<Extract<DecodeWork, { type: 'render' | 'draw-sheet' }>> {
    const limits = DECODE_LIMITS;
    if (order.kind === 'sheet') {
      const frames = [];
      for (const [index, { sourcePath, ...frame }] of order.frames.entries()) {
        frames.push({
          ...frame,
          input: await slot.placeInput(sourcePath, { name: `frame-${index}`, signal }),
        });
      }
      return { type: 'draw-sheet', ...order.facts, limits, frames };
    }
    const { owner, kind, sourcePath, isOriginal } = order;
    const input = isOriginal
      ? await placeOriginal(slot, this.#parts.store.blobs, { hash: owner, signal })
      : await slot.placeInput(sourcePath, { signal });
    return { type: 'render', input, limits, kind };
  }

  async #assertWanted(owner: string): Promise<void> {
    if (!this.#parts.store.renditions.isWanted(owner)) throw gone();
    await this.#assertRoom();
  }

  async #assertRoom(): Promise<void> {
    if ((await this.#parts.store.freeBytes()) >= this.#config.diskFreeBytesMin) return;
    throw new AppError('disk_full', 'the disk is nearly full: no rendition is made until space is free', {
      retryAfterSeconds: DISK_RETRY_SECONDS,
    });
  }
}

const keyOf = ({ owner, name }: OrderName): string => `${owner}/${name}`;

function gone(): AppError {
  return new AppError('media', 'the media of this record are not stored');
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

/** A quick rendition that was too slow may have met a busy box. No second hour of a film is spent on that. */
function isWorthAgain(error: unknown, lane: Lane): boolean {
  if (!(error instanceof WorkerLostError) || error.loss === 'stopped') return false;
  return error.loss !== 'deadline' || lane === 'quick';
}

/** The error for those who wait; a lasting failure would repeat at the next look. */
function faultOf(thrown: unknown, kind: RenditionKind): { error: AppError; isLasting: boolean } {
  if (thrown instanceof AbortError && thrown.cause instanceof AppError) {
    return { error: thrown.cause, isLasting: false };
  }
  if (thrown instanceof AppError) return { error: thrown, isLasting: false };
  if (thrown instanceof MediaFaultError) {
    return { error: new AppError(thrown.fault, thrown.message, { cause: thrown }), isLasting: true };
  }
  const cause = thrown;
  if (thrown instanceof WorkerLostError && thrown.loss === 'deadline') {
    const sentence = `a rendition of this file takes longer than ${TIMEOUTS_MS[LANES[kind]] / 1000} seconds to make`;
    return { error: new AppError('too_long', sentence, { cause }), isLasting: true };
  }
  if (thrown instanceof WorkerLostError && thrown.loss === 'frozen') {
    return { error: new AppError('exhausted', `${thrown.message}; try again`, { cause }), isLasting: false };
  }
  if (thrown instanceof AbortError || (thrown instanceof WorkerLostError && thrown.loss === 'stopped')) {
    return { error: new AppError('draining', 'the appliance is stopping', { cause }), isLasting: false };
  }
  if (thrown instanceof WorkerLostError) {
    const sentence = 'no rendition can be made of this file: the decoder ended over it';
    return { error: new AppError('corrupt', sentence, { cause }), isLasting: true };
  }
  return { error: new AppError('internal', 'internal error', { cause }), isLasting: false };
}
