/** One inference child, restarted with growing pauses, given its packs each time. It never opens an uploaded file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { childEntry } from '../../machinery/program-folder.ts';
import type {
  DetectRequest,
  InferenceRequest,
  InferenceResponse,
  InferRequest,
  LoadedPack,
  PackReport,
  PackRequest,
  TranscribeRequest,
  WindowText,
} from '../../worker/protocol/inference-protocol.ts';
import { describeExit } from '../children/child-exit.ts';
import { forwardLines } from '../children/child-log.ts';
import { lowerPriority } from '../children/lower-priority.ts';
import { watchPulse } from '../children/pulse.ts';
import { AbortError, ModelFailedError, WorkerLostError } from '../children/worker-errors.ts';
import type { CheckMemory } from './check-memory.ts';
import { inferenceEnvironment } from './inference-environment.ts';

export interface InferenceConfig {
  /** Execution providers in the order in which they are tried. */
  providers: readonly string[];
  /** Providers that run a pack in half precision if its golden outputs hold in it. */
  halfProviders: readonly string[];
  /** Threads that one model run may use. */
  threads: number;
  /** Patches in one model run: more than 8 gain nothing on a CPU (measured on two cores with 32). */
  batchMax: number;
  /** How long an unfilled batch waits for patches of other analyses. */
  batchWaitMs: number;
  /** How long an unused pack stays in memory on the CPU; infinite: always. It is checked at the start either way. */
  keepLoadedMs: number;
  /** A child that owes answers and is silent for so long is taken for hung, and killed. */
  silenceMsMax: number;
  environment: Readonly<Record<string, string>>;
}

export const INFERENCE_DEFAULTS: Readonly<InferenceConfig> = {
  providers: ['cpu'],
  halfProviders: [],
  threads: 1,
  batchMax: 8,
  batchWaitMs: 4,
  keepLoadedMs: 3_600_000,
  silenceMsMax: 120_000,
  environment: {},
};

export interface InferenceObserver {
  childReady(pid: number | undefined, reports: readonly PackReport[], startMs: number): void;
  childLost(pid: number | undefined, error: WorkerLostError, restartMs: number): void;
  childSaid(line: string): void;
}

/** Patches or windows for one pack, by its key. */
export type InferenceWork = Omit<InferRequest, 'type' | 'id'>;

export type DetectionWork = Omit<DetectRequest, 'type' | 'id'>;

export type TranscriptionWork = Omit<TranscribeRequest, 'type' | 'id'>;

export interface InferenceOptions {
  signal?: AbortSignal | undefined;
  /** Bounds everything: the wait for the child and for other analyses' batches, and the model itself. */
  timeoutMs?: number | undefined;
}

export interface Inference {
  /** One per patch or window, in the order of the request. */
  logits: Float32Array;
  /** These items' share of the model's time. */
  elapsedMs: number;
  /** Wait in the child for a batch. */
  waitedMs: number;
  /** Execution provider that ran it. */
  device: string;
}

export interface SpeechDetection {
  /** Probability of speech, one per frame. */
  probabilities: Float32Array;
  elapsedMs: number;
}

export interface Transcription {
  text: WindowText;
  elapsedMs: number;
}

type Answer = Extract<InferenceResponse, { type: 'inferred' | 'detected' | 'transcribed' }>;

interface Waiting {
  /** Whether the present child has it; if not, it is sent to the next ready one. */
  isSent: boolean;
  isAnswered: boolean;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 10_000;
/** A child that lived so long ended for a new reason: the pauses begin small again. */
const HEALTHY_MS = 30_000;

export class InferenceProcess implements AsyncDisposable {
  readonly #config: InferenceConfig;
  readonly #observer: InferenceObserver;
  readonly #checks: CheckMemory | null;
  readonly #waiting = new Map<number, Waiting>();
  #packs: readonly LoadedPack[];
  #child: ChildProcess;
  #ended = Promise.withResolvers<void>();
  #ready = Promise.withResolvers<PackReport[]>();
  #reports: PackReport[] | null = null;
  #resident: readonly string[] = [];
  #requestId = 0;
  #startedAt = 0;
  /** Unanswered requests of the child, also those that no one waits for any more. */
  #owed = 0;
  #watchdog: NodeJS.Timeout | undefined;
  /** Set while the child owes answers. */
  #pulse: Disposable | null = null;
  #restartMs = RESTART_MS_MIN;
  #restart: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Without `checks` every pack is checked before the process is ready. */
  constructor(
    config: InferenceConfig,
    packs: readonly LoadedPack[],
    observer: InferenceObserver,
    checks: CheckMemory | null = null,
  ) {
    this.#config = config;
    this.#observer = observer;
    this.#checks = checks;
    this.#packs = packs;
    this.#child = this.#start();
  }

  /** Undefined between two children. */
  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  /** How each pack came up; null until the child is ready. */
  get reports(): readonly PackReport[] | null {
    return this.#reports;
  }

  get resident(): readonly string[] {
    return this.#resident;
  }

  /** Resolves when the child is up, again after a loss. */
  ready(): Promise<PackReport[]> {
    return this.#ready.promise;
  }

  /** Replaces the packs; requests for the old ones end in ModelFailedError. */
  async load(packs: readonly LoadedPack[]): Promise<PackReport[]> {
    this.#packs = packs;
    await this.ready();
    this.#becomeUnready();
    this.#sendLoad();
    return await this.ready();
  }

  /** Throws ModelFailedError, WorkerLostError when the child ends or is too slow, AbortError. */
  async infer(work: InferenceWork, options: InferenceOptions = {}): Promise<Inference> {
    const answer = await this.#ask((id) => ({ type: 'infer', id, ...work }), options);
    const device = this.#reports?.find(({ key }) => key === work.pack)?.provider ?? '';
    if (answer.type === 'inferred') return { ...answer, device };
    throw new ModelFailedError('the models answered another question');
  }

  /** Throws as `infer` does. */
  async detectSpeech(work: DetectionWork, options: InferenceOptions = {}): Promise<SpeechDetection> {
    const answer = await this.#ask((id) => ({ type: 'detect-speech', id, ...work }), options);
    if (answer.type === 'detected') return answer;
    throw new ModelFailedError('the models answered another question');
  }

  /** Throws as `infer` does. */
  async transcribe(work: TranscriptionWork, options: InferenceOptions = {}): Promise<Transcription> {
    const answer = await this.#ask((id) => ({ type: 'transcribe', id, ...work }), options);
    if (answer.type === 'transcribed') return answer;
    throw new ModelFailedError('the models answered another question');
  }

  async #ask(
    toRequest: (id: number) => PackRequest,
    { signal, timeoutMs }: InferenceOptions,
  ): Promise<Answer> {
    if (signal?.aborted) throw new AbortError(signal);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#requestId += 1;
    const id = this.#requestId;
    const waiting: Waiting = { isSent: false, isAnswered: false, resolve, reject };
    this.#waiting.set(id, waiting);
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => reject(overdue(timeoutMs)), timeoutMs);
    const onAbort = () => signal && reject(new AbortError(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    this.ready().then(
      () => {
        if (!this.#waiting.has(id)) return;
        waiting.isSent = true;
        this.#owed += 1;
        this.#watch();
        this.#send(toRequest(id));
      },
      (error: Error) => reject(error),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(id);
      // Called off or overdue: its files are about to vanish, and others wait for the device.
      if (waiting.isSent && !waiting.isAnswered) this.#send({ type: 'cancel', id });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    clearTimeout(this.#watchdog);
    this.#endPulse();
    const stopped = new WorkerLostError('stopped', 'the models are stopped');
    this.#ready.reject(stopped);
    for (const waiting of this.#waiting.values()) waiting.reject(stopped);
    this.#child.kill('SIGKILL');
    await this.#ended.promise;
  }

  #start(): ChildProcess {
    this.#startedAt = performance.now();
    this.#ended = Promise.withResolvers<void>();
    // No one may be waiting when the process is stopped.
    this.#ready.promise.catch(() => {});
    const { flags, path } = childEntry('inference');
    const child = spawn(process.execPath, [...flags, path], {
      env: inferenceEnvironment(this.#config.environment),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    lowerPriority(child);
    if (child.stderr !== null) forwardLines(child.stderr, (line) => this.#observer.childSaid(line));
    child.on('message', (message) => this.#receive(message as InferenceResponse));
    child.on('error', (error) => this.#end(child, `it could not be started or reached: ${error.message}`));
    child.on('exit', (code, signal) => this.#end(child, describeExit(code, signal)));
    this.#sendLoad();
    return child;
  }

  #sendLoad(): void {
    const { threads, batchMax, batchWaitMs, keepLoadedMs } = this.#config;
    const [providers, halfProviders] = [[...this.#config.providers], [...this.#config.halfProviders]];
    const packs = [...this.#packs];
    const bounds = { threads, batchMax, batchWaitMs, keepLoadedMs };
    const remembered = this.#checks?.recall(packs, this.#config) ?? [];
    this.#send({ type: 'load', packs, remembered, providers, halfProviders, ...bounds });
  }

  #send(request: InferenceRequest): void {
    this.#child.send(request, () => {
      // `exit` follows a closed channel, and rejects what waits.
    });
  }

  #receive(response: InferenceResponse): void {
    if (response.type === 'ready') {
      this.#reports = response.packs;
      this.#checks?.remember(this.#packs, response.packs, this.#config);
      this.#ready.resolve(response.packs);
      this.#observer.childReady(this.pid, response.packs, performance.now() - this.#startedAt);
      return;
    }
    if (response.type === 'proved') {
      this.#prove(response.report);
      return;
    }
    if (response.type === 'resident') {
      this.#resident = response.packs;
      return;
    }
    if (response.type !== 'working') this.#owed -= 1;
    this.#watch();
    if (response.type === 'working') return;
    // No caller waits for the answer to a request that was called off.
    const waiting = this.#waiting.get(response.id);
    if (waiting !== undefined) waiting.isAnswered = true;
    if (response.type === 'failed') waiting?.reject(new ModelFailedError(response.message));
    else waiting?.resolve(response);
  }

  /** A pack that the start did not wait for was brought up: if its outputs are wrong, it is out of service from now on. */
  #prove(report: PackReport): void {
    if (this.#reports === null) return;
    const before = this.#reports.find(({ key }) => key === report.key);
    this.#reports = this.#reports.map((other) => (other === before ? report : other));
    if (report.fault === null) this.#checks?.remember(this.#packs, [report], this.#config);
    else this.#checks?.forget(this.#packs, report.key, this.#config);
    const isLastOfStart =
      before?.goldenError === null && !this.#reports.some((other) => this.#isUnproved(other));
    if (report.fault === null && !isLastOfStart) return;
    this.#observer.childReady(this.pid, this.#reports, performance.now() - this.#startedAt);
  }

  #isUnproved({ key, fault, goldenError }: PackReport): boolean {
    const pack = this.#packs.find((candidate) => candidate.key === key);
    return (
      pack?.isProvedNext === true && pack.isCheckedLate !== true && fault === null && goldenError === null
    );
  }

  /** Restarts the count of silence. A slow request does not cost the child; a hung one does. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    if (this.#owed === 0 || this.#isClosed) {
      this.#endPulse();
      return;
    }
    const kill = () => this.#child.kill('SIGKILL');
    this.#watchdog = setTimeout(kill, this.#config.silenceMsMax);
    this.#pulse ??= watchPulse(this.#child.pid, kill);
  }

  #endPulse(): void {
    this.#pulse?.[Symbol.dispose]();
    this.#pulse = null;
  }

  #end(child: ChildProcess, how: string): void {
    // An error may follow the exit, when the next child is already up.
    if (child !== this.#child) return;
    this.#ended.resolve();
    if (this.#isClosed || this.#restart !== undefined) return;
    const error = new WorkerLostError('ended', `the model process ended: ${how}`);
    const lifeMs = performance.now() - this.#startedAt;
    const restartMs = lifeMs > HEALTHY_MS ? RESTART_MS_MIN : this.#restartMs;
    this.#restartMs = Math.min(RESTART_MS_MAX, restartMs * 2);
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      this.#start();
    }, restartMs);
    this.#becomeUnready();
    this.#resident = [];
    this.#owed = 0;
    this.#watch();
    for (const waiting of this.#waiting.values()) {
      if (!waiting.isSent) continue;
      waiting.isAnswered = true;
      waiting.reject(error);
    }
    this.#observer.childLost(child.pid, error, restartMs);
  }

  #becomeUnready(): void {
    if (this.#reports === null) return;
    this.#reports = null;
    this.#ready = Promise.withResolvers<PackReport[]>();
    this.#ready.promise.catch(() => {});
  }
}

function overdue(timeoutMs: number): WorkerLostError {
  return new WorkerLostError('deadline', `the models took longer than ${timeoutMs / 1000} s`);
}
