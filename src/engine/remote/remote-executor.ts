/** The daemon's side of workers: JetStream only announces work; leases and results are decided here. */
import type { NatsConnection } from '@nats-io/transport-node';
import { pause } from '../../domain/clock.ts';
import type { WaitReason } from '../../domain/records/wait-reason.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';
import { AbortError, ExecutorLostError, WorkerLostError } from '../children/worker-errors.ts';
import type { Execution, Executor } from '../executors/executor.ts';
import { knowsSyncInterval } from './broker-version.ts';
import type { OpenLease } from './lease-book.ts';
import { type LeaseCarrier, LeaseStream } from './lease-stream.ts';
import { ASK_SUBJECTS, cancelSubject, encode, packSetOf } from './messages.ts';
import { WorkerRequests, type WorkerRequestsConfig, type WorkerRequestsParts } from './worker-requests.ts';
import { type DrainedNames, HELLO_INTERVAL_MS, WorkerRoster, type WorkerStatus } from './worker-roster.ts';

export interface RemoteExecutorParts extends Pick<WorkerRequestsParts, 'book' | 'log' | 'clock'> {
  /** Resolves once an allowed server is there; `refused` is called for any other. */
  connect: (signal: AbortSignal, refused: (fault: string) => void) => Promise<NatsConnection>;
  brokerFault: (connection: NatsConnection) => string | null;
  isByTls: boolean;
  drained: DrainedNames;
  /** JetStream of the server if absent. */
  carrier?: LeaseCarrier;
}

export interface BrokerStatus {
  isReached: boolean;
  /** Why no reached server may be used. */
  fault: string | null;
  isByTls: boolean;
  /** Whether the server asks for a key; null before one was reached. */
  isAuthenticated: boolean | null;
}

/** The engine's own data; `changed`: there may be more or fewer slots than before. */
export interface EngineSide extends Pick<WorkerRequestsParts, 'packs' | 'terms' | 'changed'> {
  findPack: OpenLease['findPack'];
}

/** After so many workers vanished or answered nonsense over a file, the file is taken for the cause. */
const LOSSES_MAX = 6;
/** Work that no one takes returns to the queue before it has spent its own time on waiting. */
const PUBLICATIONS_MAX = 2;
/** The share of that time after which untaken work is published again. */
const WAIT_SHARE = 0.1;

export class RemoteExecutor implements Executor, AsyncDisposable {
  readonly #config: WorkerRequestsConfig;
  readonly #parts: RemoteExecutorParts;
  readonly #roster: WorkerRoster;
  readonly #stream: LeaseCarrier;
  /** Workers lost under an analysis, in a row. */
  readonly #losses = new Map<string, number>();
  readonly #stopped = new AbortController();
  #engine: EngineSide | null = null;
  #slots = 0;
  #known: NatsConnection | null = null;
  #isCutOff = true;
  #brokerFault: string | null = null;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(config: WorkerRequestsConfig, parts: RemoteExecutorParts) {
    this.#config = config;
    this.#parts = parts;
    this.#roster = new WorkerRoster(parts.drained, parts.clock);
    this.#stream =
      parts.carrier ??
      new LeaseStream(config.leaseMs, {
        connection: () => this.#connection,
        clock: parts.clock,
        log: parts.log,
      });
  }

  /** Begins to listen for workers. */
  attach(engine: EngineSide): void {
    this.#engine = engine;
    this.#settled = this.#open(engine).catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) this.#parts.log.error({ err: error }, 'workers cannot be heard');
    });
  }

  async #open(engine: EngineSide): Promise<void> {
    await Promise.all([this.#serve(engine), this.#watchRoster()]);
  }

  /** Reconnects after each connection that ended, as after a server that came back and may not be used. */
  async #serve(engine: EngineSide): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#known = await this.#parts.connect(signal, (fault) => {
        this.#brokerFault = fault;
      });
      await this.#speak(engine, this.#known);
    }
  }

  /** Runs until the connection is closed. */
  async #speak(engine: EngineSide, known: NatsConnection): Promise<void> {
    this.#isCutOff = false;
    this.#brokerFault = null;
    const version = known.info?.version ?? '';
    if (!knowsSyncInterval(version)) {
      const sentence = 'the NATS server may lose leases of its last two minutes; they are published again';
      this.#parts.log.warn({ version }, sentence);
    }
    await Promise.all([this.#listen(engine), this.#watchBroker(known)]);
  }

  /** Throws before there is one. */
  get #connection(): NatsConnection {
    if (this.#known === null) throw new ExecutorLostError('no NATS server was reached yet');
    return this.#known;
  }

  readonly isElsewhere = true;

  get slots(): number {
    return this.#slots;
  }

  workers(): WorkerStatus[] {
    return this.#roster.list((name) => this.#parts.book.leasesOf(name).length);
  }

  waitReason(): WaitReason | null {
    if (this.#slots > 0) return null;
    const sentence = this.#brokerFault ?? 'the NATS server is not reached';
    if (this.#isCutOff) return { step: 'no-broker', sentence };
    return { step: 'no-worker', sentence: this.#roster.describeAbsence() };
  }

  broker(): BrokerStatus {
    const isAuthenticated = this.#known === null ? null : this.#known.info?.auth_required === true;
    const { isByTls } = this.#parts;
    return { isReached: !this.#isCutOff, fault: this.#brokerFault, isByTls, isAuthenticated };
  }

  /** Call it when the drained workers in the store have changed. */
  recount(): void {
    const slots = this.#roster.slots();
    if (slots === this.#slots) return;
    this.#slots = slots;
    this.#engine?.changed();
  }

  /** Drops a lost worker; its work goes to others. */
  forget(name: string): void {
    this.#roster.forget(name);
    this.#parts.book.takeBack(name, `the worker ${name} was forgotten`);
    this.recount();
  }

  async execute(attempt: Attempt, files: AnalysisFiles): Promise<Execution> {
    const { analysis, signal } = attempt;
    if (signal.aborted) throw new AbortError(signal);
    const findPack = this.#engine?.findPack ?? (() => undefined);
    const lease = this.#parts.book.open(attempt, files, findPack);
    const onAbort = () => lease.outcome.reject(new AbortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#publish(lease), lease.outcome.promise]);
      const republishing = this.#publishAgain(lease);
      const result = await lease.outcome.promise;
      await republishing;
      this.#losses.delete(analysis.id);
      return { result, settled: (isStored) => this.#settle(lease, isStored) };
    } catch (error) {
      await this.#parts.book.discard(lease);
      if (lease.holder !== null) await this.#callOff(lease.id, lease.holder);
      const isLost = lease.isExpired || lease.isRefused;
      throw isLost && error instanceof ExecutorLostError ? this.#noteLoss(analysis.id, error) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Never rejects: a worker that a closed connection keeps from hearing it learns it at its renewal. */
  async #callOff(id: string, worker: string): Promise<void> {
    this.#roster.count(worker, 'failed');
    try {
      this.#connection.publish(cancelSubject(worker), await encode({ lease: id }));
    } catch (error) {
      this.#parts.log.debug(
        { err: error, worker },
        'a worker could not be notified that its lease has ended',
      );
    }
  }

  /** Notifies its worker only now. */
  #settle(lease: OpenLease, isStored: boolean): void {
    if (lease.holder !== null && isStored) this.#roster.count(lease.holder, 'done');
    lease.confirm?.(isStored);
    lease.confirm = null;
    this.#parts.book.close(lease);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#known?.close();
    await this.#settled;
  }

  #noteLoss(analysisId: string, error: ExecutorLostError): Error {
    const losses = (this.#losses.get(analysisId) ?? 0) + 1;
    this.#losses.set(analysisId, losses);
    this.#parts.log.warn({ analysis: analysisId, losses }, error.message);
    if (losses < LOSSES_MAX) return error;
    this.#losses.delete(analysisId);
    return new WorkerLostError('ended', `${losses} workers were lost over the file`);
  }

  async #publish(lease: OpenLease): Promise<void> {
    await this.#stream.publish(lease, packSetOf(this.#engine?.packs() ?? []));
  }

  /** Publishes what the broker lost or could not take. */
  async #publishAgain(lease: OpenLease): Promise<void> {
    const ended = lease.outcome.promise.then(
      () => true,
      () => true,
    );
    const timeoutMs = this.#engine?.terms().analysisTimeoutMs ?? this.#config.leaseMs;
    const pauseMs = Math.min(this.#config.leaseMs / 2, timeoutMs * WAIT_SHARE);
    for (let published = 1; lease.holder === null; published += 1) {
      const waited = pause(this.#parts.clock, pauseMs).then(() => false);
      if (await Promise.race([ended, waited])) return;
      if (lease.holder !== null) return;
      if (this.#slots > 0 && published < PUBLICATIONS_MAX) await this.#publish(lease);
      else lease.outcome.reject(new ExecutorLostError('no worker has taken the work'));
    }
  }

  async #listen(engine: EngineSide): Promise<void> {
    const requests = new WorkerRequests(this.#config, {
      ...this.#parts,
      ...engine,
      roster: this.#roster,
      stream: this.#stream,
      changed: () => this.recount(),
    });
    for await (const message of this.#connection.subscribe(ASK_SUBJECTS)) void requests.answer(message);
  }

  async #watchBroker(known: NatsConnection): Promise<void> {
    for await (const { type } of known.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#brokerFault = type === 'disconnect' ? null : this.#parts.brokerFault(known);
      if (this.#brokerFault !== null) {
        this.#parts.log.error(this.#brokerFault);
        this.#isCutOff = true;
        this.#stream.invalidate();
        return await known.close();
      }
      this.#isCutOff = type === 'disconnect';
      this.#stream.invalidate();
      this.#parts.log.warn(`the NATS server: ${type}`);
    }
  }

  async #watchRoster(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.recount();
      await pause(this.#parts.clock, HELLO_INTERVAL_MS, signal);
    }
  }
}
