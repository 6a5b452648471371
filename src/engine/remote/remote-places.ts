/**
 * The daemon's side of workers on other boxes. JetStream only carries word that there is work; who holds which lease, and
 * whether a result counts, is decided here. A broker that forgets everything costs a publication: what nobody has
 * claimed is published again, and whatever is delivered twice is claimed once.
 */
import { setInterval as every } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import { VERSION } from '../../domain/version.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';
import type { ExecutionPlace } from '../places/execution-place.ts';
import { AbortError, PlaceLostError, WorkerLostError } from '../worker-errors.ts';
import { knowsSyncInterval } from './broker-version.ts';
import { faultOfResult, renameParts, toError } from './judge-result.ts';
import type { LeaseBook, OpenLease } from './lease-book.ts';
import {
  type AnswerTo,
  ASK_SUBJECTS,
  cancelSubject,
  consumerOf,
  decode,
  type Ending,
  encode,
  ending,
  type Hello,
  hello,
  leaseFilter,
  lease as leaseShape,
  leaseSubject,
  packSetOf,
  type Renewal,
  renewal,
  STREAM,
  VERBS,
  type Verb,
  type Welcome,
  WORKER_NAME,
} from './messages.ts';
import { HELLO_INTERVAL_MS, WorkerRoster, type WorkerStatus } from './worker-roster.ts';

export interface RemotePlacesConfig {
  /** A worker that is silent for so long has lost what it held. */
  leaseMs: number;
  /** Where workers reach the listener for media. */
  mediaUrl: () => string;
  certificatePem: () => string | null;
}

export interface RemotePlacesParts {
  /** Resolves once a server is there. */
  connect: (signal: AbortSignal) => Promise<NatsConnection>;
  book: LeaseBook;
  log: Logger;
  /** Microseconds since 1970 UTC. */
  clock: { now(): number };
  newIdentifier: () => string;
}

/** What only the engine knows. */
export interface EngineSide {
  /** Packs that a worker must have, byte for byte; empty before they are read. */
  packs: () => readonly { key: string; sha256: string; tolerance: number }[];
  terms: Welcome['terms'];
  /** There may be more or fewer places than before. */
  changed: () => void;
}

/** A file that was at work on so many workers when they vanished is held for the cause. */
const LOSSES_MAX = 6;
/** What nobody takes goes back into the queue before it has spent its own time on waiting. */
const PUBLICATIONS_MAX = 2;
/** Of that time, before what nobody took is published again. */
const WAIT_SHARE = 0.1;
/** Of the stream: more waits in the store, which is the queue of record. */
const LEASES_MAX = 100_000;

export class RemotePlaces implements ExecutionPlace, AsyncDisposable {
  readonly #config: RemotePlacesConfig;
  readonly #parts: RemotePlacesParts;
  readonly #roster = new WorkerRoster();
  /** Workers lost under an analysis, in a row. */
  readonly #losses = new Map<string, number>();
  /** By analysis, from the result's arrival until it is stored. */
  readonly #brought = new Map<string, OpenLease>();
  readonly #stopped = new AbortController();
  #engine: EngineSide | null = null;
  #places = 0;
  #known: NatsConnection | null = null;
  /** The pack set whose stream and consumer were seen in the broker. */
  #prepared: string | null = null;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(config: RemotePlacesConfig, parts: RemotePlacesParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Begins to listen for workers. */
  attach(engine: EngineSide): void {
    this.#engine = engine;
    this.#settled = this.#open().catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) this.#parts.log.error({ err: error }, 'workers cannot be heard');
    });
  }

  async #open(): Promise<void> {
    this.#known = await this.#parts.connect(this.#stopped.signal);
    const version = this.#known.info?.version ?? '';
    if (!knowsSyncInterval(version)) {
      const sentence = 'the NATS server may lose leases of its last two minutes; they are published again';
      this.#parts.log.warn({ version }, sentence);
    }
    await Promise.all([this.#listen(), this.#watchBroker(), this.#watchRoster()]);
  }

  /** Nobody is there before there is one. */
  get #connection(): NatsConnection {
    if (this.#known === null) throw new PlaceLostError('no NATS server was reached yet');
    return this.#known;
  }

  /** Analyses that workers take at once. */
  get places(): number {
    return this.#places;
  }

  workers(): WorkerStatus[] {
    return this.#roster.list((name) => this.#parts.book.leasesOf(name).length);
  }

  async analyse(attempt: Attempt, files: AnalysisFiles): Promise<AnalysisResult> {
    const { analysis, signal } = attempt;
    if (signal.aborted) throw new AbortError(signal);
    const lease = this.#parts.book.open(attempt, files);
    const onAbort = () => lease.outcome.reject(new AbortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#publish(lease), lease.outcome.promise]);
      const republishing = this.#publishAgain(lease);
      const result = await lease.outcome.promise;
      await republishing;
      this.#losses.delete(analysis.id);
      this.#brought.set(analysis.id, lease);
      return result;
    } catch (error) {
      if (lease.holder !== null) {
        this.#roster.count(lease.holder, 'failed');
        this.#connection.publish(cancelSubject(lease.holder), await encode({ lease: lease.id }));
      }
      this.#parts.book.close(lease);
      throw lease.isExpired && error instanceof PlaceLostError ? this.#noteLoss(analysis.id, error) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** How an attempt ended was written down; only now is its worker told. */
  stored(analysisId: string): void {
    const lease = this.#brought.get(analysisId);
    if (lease === undefined) return;
    this.#brought.delete(analysisId);
    if (lease.holder !== null) this.#roster.count(lease.holder, 'done');
    lease.confirm?.(true);
    lease.confirm = null;
    this.#parts.book.close(lease);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#known?.close();
    await this.#settled;
  }

  #noteLoss(analysisId: string, error: PlaceLostError): Error {
    const losses = (this.#losses.get(analysisId) ?? 0) + 1;
    this.#losses.set(analysisId, losses);
    this.#parts.log.warn({ analysis: analysisId, losses }, error.message);
    if (losses < LOSSES_MAX) return error;
    this.#losses.delete(analysisId);
    return new WorkerLostError('ended', `${losses} workers vanished over the file`);
  }

  async #publish({ id, attempt }: OpenLease): Promise<void> {
    const connection = this.#connection;
    const packSet = this.#packSet();
    try {
      if (this.#prepared !== packSet) await this.#prepare(packSet);
      const subject = leaseSubject(packSet, attempt.analysis.kind);
      await jetstream(connection).publish(subject, await encode({ lease: id }), { msgID: id });
    } catch (error) {
      this.#prepared = null;
      this.#parts.log.warn({ err: error }, 'a lease could not be published; it is tried again');
    }
  }

  /** What the broker lost, or could not take. */
  async #publishAgain(lease: OpenLease): Promise<void> {
    const ended = lease.outcome.promise.then(
      () => true,
      () => true,
    );
    const timeoutMs = this.#engine?.terms.analysisTimeoutMs ?? this.#config.leaseMs;
    const pauseMs = Math.min(this.#config.leaseMs / 2, timeoutMs * WAIT_SHARE);
    for (let published = 1; lease.holder === null; published += 1) {
      const pause = new Promise<false>((resolve) => {
        setTimeout(() => resolve(false), pauseMs).unref();
      });
      if (await Promise.race([ended, pause])) return;
      if (lease.holder !== null) return;
      if (this.#places > 0 && published < PUBLICATIONS_MAX) await this.#publish(lease);
      else lease.outcome.reject(new PlaceLostError('no worker has taken the work'));
    }
  }

  async #prepare(packSet: string): Promise<void> {
    const connection = this.#connection;
    const manager = await jetstreamManager(connection);
    const stream = {
      ...{ name: STREAM, subjects: ['assay.leases.>'], max_msgs: LEASES_MAX },
      ...{
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        duplicate_window: (this.#config.leaseMs * 1e6) / 4,
      },
    };
    await manager.streams.info(STREAM).catch(() => manager.streams.add(stream));
    await manager.consumers.info(STREAM, consumerOf(packSet)).catch(() =>
      manager.consumers.add(STREAM, {
        ...{ durable_name: consumerOf(packSet), filter_subject: leaseFilter(packSet) },
        ...{ ack_policy: AckPolicy.Explicit, ack_wait: this.#config.leaseMs * 1e6 },
      }),
    );
    this.#prepared = packSet;
  }

  #packSet(): string {
    return packSetOf(this.#engine?.packs() ?? []);
  }

  async #listen(): Promise<void> {
    for await (const message of this.#connection.subscribe(ASK_SUBJECTS)) void this.#answer(message);
  }

  /** After a loss of the connection nothing is known of what the broker still has. */
  async #watchBroker(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect' || type === 'reconnect') {
        this.#prepared = null;
        this.#parts.log.warn(`the NATS server: ${type}`);
      }
    }
  }

  async #watchRoster(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      for await (const _ of every(HELLO_INTERVAL_MS, undefined, { signal, ref: false })) this.#countPlaces();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #countPlaces(): void {
    const places = this.#roster.places();
    if (places === this.#places) return;
    this.#places = places;
    this.#engine?.changed();
  }

  /** Never rejects: what is no message is answered by nothing. */
  async #answer(message: Msg): Promise<void> {
    const [, , worker = '', , verb = ''] = message.subject.split('.');
    if (!WORKER_NAME.test(worker) || !(VERBS as readonly string[]).includes(verb)) return;
    try {
      const answer = await this.#answerTo(verb as Verb, worker, message.data);
      if (!message.respond(await encode(answer))) return;
    } catch (error) {
      this.#parts.log.warn({ err: error, worker, verb }, 'a worker said something that cannot be');
    }
  }

  async #answerTo(verb: Verb, worker: string, data: Uint8Array): Promise<AnswerTo<Verb>> {
    switch (verb) {
      case 'hello':
        return await this.#welcome(worker, await decode(hello, data));
      case 'claim':
        return this.#claim(worker, (await decode(leaseShape, data)).lease);
      case 'renew':
        return this.#renew(worker, await decode(renewal, data));
      case 'end':
        return { isHeld: await this.#end(worker, data) };
      case 'give-back': {
        const { lease: id } = await decode(leaseShape, data);
        const held = this.#parts.book.renew(id, worker);
        held?.outcome.reject(new PlaceLostError(`the worker ${worker} gave the work back`));
        return { isHeld: held !== undefined };
      }
    }
  }

  async #welcome(worker: string, said: Hello): Promise<Welcome> {
    if (this.#engine === null) throw new AppError('starting', 'the engine is starting');
    const refusal = this.#refusalOf(said);
    const packSet = this.#packSet();
    if (refusal === null && this.#prepared !== packSet) await this.#prepare(packSet);
    this.#roster.hear(worker, said, { refusal, now: this.#parts.clock.now() });
    this.#countPlaces();
    return { refusal, packSet, leaseMs: this.#config.leaseMs, terms: this.#engine.terms };
  }

  /** Golden outputs are held against the tolerance that this box's own packs state. */
  #refusalOf({ version, packs }: Hello): string | null {
    if (version !== VERSION) return `it is version ${version}, and the daemon ${VERSION}`;
    const wanted = this.#engine?.packs() ?? [];
    if (packs.length === 0) return 'it has loaded no packs yet';
    for (const { key, sha256, tolerance } of wanted) {
      const found = packs.find((pack) => pack.key === key);
      if (found === undefined) return `it lacks the pack ${key}`;
      if (found.sha256 !== sha256) return `its pack ${key} has other bytes`;
      if (found.fault !== null) return `its pack ${key} is out of service: ${found.fault}`.slice(0, 500);
      if (found.goldenError === null || found.goldenError > tolerance) {
        return `its pack ${key} does not give the golden outputs`;
      }
    }
    const extra = packs.find(({ key }) => !wanted.some((pack) => pack.key === key));
    return extra === undefined ? null : `it has the pack ${extra.key}, which the daemon lacks`;
  }

  #claim(worker: string, id: string): AnswerTo<'claim'> {
    if (!this.#roster.isAccepted(worker)) return { type: 'later' };
    const claimed = this.#parts.book.claim(id, worker);
    if (typeof claimed === 'string') return { type: claimed };
    const { id: analysisId, kind, hash, options, models } = claimed.lease.attempt.analysis;
    return {
      type: 'granted',
      analysis: { id: analysisId, kind, hash, options, models },
      token: claimed.token,
      mediaUrl: this.#config.mediaUrl(),
      certificatePem: this.#config.certificatePem(),
    };
  }

  #renew(worker: string, { lease: id, progress, findings }: Renewal): AnswerTo<'renew'> {
    const held = this.#parts.book.renew(id, worker);
    if (held !== undefined && findings !== null) held.attempt.found(findings);
    if (held !== undefined && progress !== null) held.attempt.report(progress);
    return { isHeld: held !== undefined };
  }

  /** Resolves once the store has what was brought, or does not want it. */
  async #end(worker: string, data: Uint8Array): Promise<boolean> {
    const said = await decode(ending, data).catch((error: unknown) => {
      this.#distrust(worker, 'it brought what is no result');
      this.#parts.log.warn({ err: error, worker }, 'a worker brought what is no result');
      return undefined;
    });
    if (said === undefined) return false;
    const held = this.#parts.book.renew(said.lease, worker);
    // A second word about what is being stored waits for nothing.
    if (held === undefined || held.confirm !== null) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    held.confirm = resolve;
    this.#parts.book.stopClock(held);
    this.#settle(held, said);
    return await promise;
  }

  /** Whoever lies once gets no more work, and what it holds goes to others. */
  #distrust(worker: string, reason: string): void {
    this.#roster.distrust(worker, reason);
    this.#countPlaces();
    for (const held of this.#parts.book.leasesOf(worker)) {
      held.outcome.reject(new PlaceLostError(`the worker ${worker} is not trusted: ${reason}`));
    }
  }

  #settle(held: OpenLease, { outcome }: Ending): void {
    if (outcome.type === 'failed') {
      held.outcome.reject(toError(outcome.failure));
      return;
    }
    const { attempt, kept } = held;
    const fault = faultOfResult(attempt.analysis, outcome, kept);
    if (fault !== null) {
      this.#distrust(held.holder ?? '', `it brought what cannot be: ${fault}`);
      return;
    }
    for (const likeness of outcome.likenesses) attempt.seen(likeness);
    for (const { step, seconds } of outcome.stepTimes) attempt.stepTimed(step, seconds);
    held.outcome.resolve(renameParts(outcome.result, this.#parts.newIdentifier));
  }
}
