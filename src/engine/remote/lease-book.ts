/** Which worker holds which analysis, in memory. Without its lease a worker can neither read, end nor add files. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Alarm, Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import { readBounded } from '../../machinery/read-bounded.ts';
import type { Store } from '../../store/store.ts';
import type { AnalysisFiles, AnalysisJob, Attempt } from '../analyses/analysis-parts.ts';
import { AbortError, ExecutorLostError } from '../children/worker-errors.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';
import { ChildAnswers, noteBatch } from './child-answers.ts';
import { decode, JSON_BYTES_MAX } from './messages.ts';

/** A FLAC of two hours of stereo, all frames and maps of one analysis: the bound of a decode child. */
const LEASE_FILES_BYTES_MAX = 2 * 1024 ** 3;
/** Uncompressed; those of a film of two hours with all options take some sixty megabytes. */
const LEASE_ANSWERS_BYTES_MAX = 256 * 1024 ** 2;
const TOKEN_BYTES = 32;

export interface OpenLease {
  readonly id: string;
  readonly attempt: Attempt;
  readonly files: AnalysisFiles;
  /** The packs of this box when the work was given, by which the result is judged. */
  readonly findPack: (key: string) => InstalledPack | undefined;
  /** Null until a worker has claimed it. */
  holder: string | null;
  /** When it was claimed, on the clock of `elapsedMs`. */
  claimedAtMs: number;
  /** SHA-256 of the holder's token. */
  tokenHash: string | null;
  readonly answers: ChildAnswers;
  answerBytes: number;
  /** Files that were received for it. */
  readonly kept: Map<string, { hash: string; sizeBytes: number }>;
  keptBytes: number;
  readonly outcome: PromiseWithResolvers<AnalysisResult>;
  /** Called with whether the holder's result is in the store. */
  confirm: ((isStored: boolean) => void) | null;
  expiry: Alarm | undefined;
  /** Its holder fell silent; a worker that gives work back has not vanished over it. */
  isExpired: boolean;
  /** Its holder sent an impossible or unreadable result. */
  isRefused: boolean;
  readonly closed: AbortController;
}

export class LeaseBook {
  readonly #leaseMs: number;
  readonly #store: Pick<Store, 'blobs' | 'artifacts'>;
  readonly #clock: Pick<Clock, 'after' | 'elapsedMs'>;
  readonly #leases = new Map<string, OpenLease>();

  constructor(
    leaseMs: number,
    store: Pick<Store, 'blobs' | 'artifacts'>,
    clock: Pick<Clock, 'after' | 'elapsedMs'>,
  ) {
    this.#leaseMs = leaseMs;
    this.#store = store;
    this.#clock = clock;
  }

  leasesOf(worker: string): OpenLease[] {
    return [...this.#leases.values()].filter(({ holder }) => holder === worker);
  }

  open(attempt: Attempt, files: AnalysisFiles, findPack: OpenLease['findPack']): OpenLease {
    const packs = new Map(attempt.analysis.models.map((key) => [key, findPack(key)]));
    const opened: OpenLease = {
      id: attempt.id,
      attempt,
      files,
      findPack: (key) => packs.get(key),
      holder: null,
      claimedAtMs: 0,
      tokenHash: null,
      confirm: null,
      expiry: undefined,
      answers: new ChildAnswers(),
      answerBytes: 0,
      kept: new Map(),
      keptBytes: 0,
      isExpired: false,
      isRefused: false,
      outcome: Promise.withResolvers<AnalysisResult>(),
      closed: new AbortController(),
    };
    // It may end before anybody waits for it.
    opened.outcome.promise.catch(() => {});
    this.#leases.set(opened.id, opened);
    return opened;
  }

  close(lease: OpenLease): void {
    lease.expiry?.cancel();
    lease.tokenHash = null;
    lease.closed.abort();
    lease.answers.fail(new AbortError(lease.closed.signal));
    this.#leases.delete(lease.id);
    lease.confirm?.(false);
    lease.confirm = null;
  }

  /** Closes it, and removes its received files, which no record will name. */
  async discard(lease: OpenLease): Promise<void> {
    this.close(lease);
    if (lease.kept.size > 0) await this.#store.artifacts.removeAll(lease.attempt.analysis.id);
  }

  /** `gone`: no one waits for it any more; `later`: another worker holds it. */
  claim(id: string, worker: string): { lease: OpenLease; token: string } | 'gone' | 'later' {
    const lease = this.#leases.get(id);
    if (lease === undefined) return 'gone';
    if (lease.holder !== null) return 'later';
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    lease.holder = worker;
    lease.claimedAtMs = this.#clock.elapsedMs();
    lease.tokenHash = hashOf(token);
    this.#prolong(lease);
    return { lease, token };
  }

  heldSeconds({ claimedAtMs }: OpenLease): number {
    return (this.#clock.elapsedMs() - claimedAtMs) / 1000;
  }

  /** The lease if this worker holds it, prolonged to its whole time. */
  renew(id: string, worker: string): OpenLease | undefined {
    const lease = this.#leases.get(id);
    if (lease?.holder !== worker) return undefined;
    this.#prolong(lease);
    return lease;
  }

  /** Gives its work to others; the worker's result does not count. */
  refuse(lease: OpenLease, why: string): void {
    lease.isRefused = true;
    lease.outcome.reject(new ExecutorLostError(why));
  }

  /** Gives all of the worker's leases to others. */
  takeBack(worker: string, why: string): void {
    for (const held of this.leasesOf(worker)) held.outcome.reject(new ExecutorLostError(why));
  }

  /** Ends its time, since the daemon's own work follows. */
  stopClock(lease: OpenLease): void {
    lease.expiry?.cancel();
  }

  /** The stored bytes of the one file that the token opens; undefined for any other token. */
  async original(token: string): Promise<{ path: string; hash: string; signal: AbortSignal } | undefined> {
    const lease = this.#byToken(token);
    if (lease === undefined) return undefined;
    const { hash } = lease.attempt.analysis;
    await this.#store.blobs.checks.check(hash);
    return { path: this.#store.blobs.pathOf(hash), hash, signal: lease.closed.signal };
  }

  /** False if the token opens nothing. Throws AppErrors `too_large` and `disk_full`. */
  async keep(token: string, name: string, body: Readable, freeBytesMin: number): Promise<boolean> {
    const lease = this.#byToken(token);
    if (lease === undefined) return false;
    const { blobs } = this.#store;
    const countMax = filesMax(lease.attempt.analysis);
    if (!lease.kept.has(name) && lease.kept.size >= countMax) {
      throw new AppError('too_large', `an analysis leaves at most ${countMax} files`);
    }
    const bytesMax = LEASE_FILES_BYTES_MAX - lease.keptBytes;
    const temporary = await blobs.receive(body, { bytesMax, freeBytesMin }, lease.closed.signal);
    try {
      lease.keptBytes += temporary.sizeBytes;
      if (lease.keptBytes > LEASE_FILES_BYTES_MAX) throw new AppError('too_large', 'the files are too large');
      lease.closed.signal.throwIfAborted();
      await temporary.flushed;
      const { sizeBytes, path } = temporary;
      const chunks = () => createReadStream(path) as AsyncIterable<Buffer>;
      await lease.files.artifacts.put(lease.attempt.analysis.id, name, { sizeBytes, chunks });
      lease.kept.set(name, { hash: temporary.hash, sizeBytes: temporary.sizeBytes });
      return true;
    } finally {
      await blobs.discard(temporary);
    }
  }

  /** False if the token opens nothing. Unreadable notes fail the analysis. */
  async answer(token: string, body: Readable): Promise<boolean> {
    const lease = this.#byToken(token);
    if (lease === undefined) return false;
    const tooLarge = () => new AppError('too_large', 'the answers are too large');
    const bytes = await readBounded(body, JSON_BYTES_MAX, tooLarge);
    try {
      const batch = await decode(noteBatch, bytes, (inflated) => {
        lease.answerBytes += inflated;
      });
      if (lease.answerBytes > LEASE_ANSWERS_BYTES_MAX) throw tooLarge();
      lease.answers.take(batch);
    } catch (error) {
      lease.answers.fail(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  }

  #byToken(token: string): OpenLease | undefined {
    const found = hashOf(token);
    return [...this.#leases.values()].find(({ tokenHash }) => tokenHash === found);
  }

  #prolong(lease: OpenLease): void {
    lease.expiry?.cancel();
    const expire = () => {
      const sentence = `the worker ${lease.holder} was not heard of for ${this.#leaseMs / 1000} s`;
      lease.isExpired = true;
      lease.outcome.reject(new ExecutorLostError(sentence));
    };
    lease.expiry = this.#clock.after(this.#leaseMs, expire);
  }
}

/** Each frame with two maps, the track, and the maps of a picture. */
const filesMax = ({ options }: Pick<AnalysisJob, 'options'>): number => 4 * options.frames + 8;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
