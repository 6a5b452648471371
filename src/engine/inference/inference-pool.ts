/** Hands each request to the least loaded of several inference processes, or to a slowly prepared one once it is up. */

import { availableParallelism } from 'node:os';
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { CheckMemory } from './check-memory.ts';
import {
  type DetectionWork,
  INFERENCE_DEFAULTS,
  type Inference,
  type InferenceConfig,
  type InferenceObserver,
  type InferenceOptions,
  InferenceProcess,
  type InferenceWork,
  type SpeechDetection,
  type Transcription,
  type TranscriptionWork,
} from './inference-process.ts';

export interface InferencePoolConfig extends InferenceConfig {
  /** One per device; on a CPU one per core, since many processes of one thread run as fast as one of many. */
  processes: number;
  /** Providers that build for minutes at a start; another one answers meanwhile, if there is one. */
  slowProviders: readonly string[];
}

export const INFERENCE_POOL_DEFAULTS: Readonly<InferencePoolConfig> = {
  ...INFERENCE_DEFAULTS,
  processes: availableParallelism(),
  slowProviders: ['tensorrt'],
};

/** The work of a sound for the speech detector, roughly, in patches: a minute of it. */
const SOUND_LOAD = 32;
/** The work of a window of half a minute for a transcription model. */
const TRANSCRIPTION_LOAD = 64;

export class InferencePool implements AsyncDisposable {
  /** Processes that answer from the beginning. */
  readonly #members: Member[];
  readonly #preparation: Preparation | null;

  constructor(
    config: InferencePoolConfig,
    packs: readonly LoadedPack[],
    observer: InferenceObserver,
    checks: CheckMemory | null = null,
  ) {
    const quick = config.providers.filter((provider) => !config.slowProviders.includes(provider));
    const isPrepared = quick.length > 0 && quick.length < config.providers.length;
    const processes = Math.max(1, config.processes);
    const own = isPrepared ? { ...config, providers: quick } : config;
    this.#members = Array.from({ length: processes }, () => ({
      process: new InferenceProcess(own, packs, observer, checks),
      load: 0,
    }));
    this.#preparation = isPrepared ? new Preparation({ ...config, processes }, packs, observer) : null;
  }

  /** Reports of the process that was ready first, since all run the same packs on the same kind of device, or of a prepared one. */
  get reports(): readonly PackReport[] | null {
    const first = this.#members.find(({ process }) => process.reports !== null)?.process.reports ?? null;
    return first?.map((report) => this.#preparation?.amend(report) ?? report) ?? null;
  }

  get resident(): ReadonlySet<string> {
    const processes = [...this.#members, ...(this.#preparation?.members ?? [])];
    return new Set(processes.flatMap(({ process }) => process.resident));
  }

  pids(): number[] {
    return [
      ...this.#members.flatMap(({ process }) => process.pid ?? []),
      ...(this.#preparation?.pids() ?? []),
    ];
  }

  /** Resolves when every process is up, except the slowly prepared ones. */
  async ready(): Promise<readonly PackReport[]> {
    const [reports = []] = await Promise.all(this.#members.map(({ process }) => process.ready()));
    return this.reports ?? reports;
  }

  /** Replaces the packs in one process after the other, so that the others go on answering. */
  async load(packs: readonly LoadedPack[]): Promise<readonly PackReport[]> {
    let reports: PackReport[] = [];
    this.#preparation?.load(packs);
    for (const { process } of this.#members) reports = await process.load(packs);
    return this.reports ?? reports;
  }

  async infer(work: InferenceWork, options: InferenceOptions = {}): Promise<Inference> {
    return await this.#lend(work.pack, work.count, (process) => process.infer(work, options));
  }

  async detectSpeech(work: DetectionWork, options: InferenceOptions = {}): Promise<SpeechDetection> {
    return await this.#lend(work.pack, SOUND_LOAD, (process) => process.detectSpeech(work, options));
  }

  async transcribe(work: TranscriptionWork, options: InferenceOptions = {}): Promise<Transcription> {
    return await this.#lend(work.pack, TRANSCRIPTION_LOAD, (process) => process.transcribe(work, options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#preparation?.[Symbol.asyncDispose]();
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }

  async #lend<T>(pack: string, load: number, work: (process: InferenceProcess) => Promise<T>): Promise<T> {
    const member = this.#leastLoaded(pack);
    member.load += load;
    try {
      return await work(member.process);
    } finally {
      member.load -= load;
    }
  }

  /** A starting process gets work only if no other can take it. */
  #leastLoaded(pack: string): Member {
    const isReady = ({ process }: Member) => process.reports !== null;
    const prepared = this.#preparation?.membersFor(pack) ?? [];
    const first = this.#members.some(isReady) ? this.#members.filter(isReady) : this.#members;
    const candidates = prepared.length > 0 ? prepared : first;
    return candidates.reduce((least, member) => (member.load < least.load ? member : least));
  }
}

/** Far beyond any build; a longer one hangs. */
const PREPARATION_MS_MAX = 3_600_000;
/** A build that ended its process so often would do so forever, and hold the device each time. */
const LOSSES_MAX = 3;

interface Member {
  readonly process: InferenceProcess;
  /** Patches, windows and sounds in work. */
  load: number;
}

interface PreparationConfig extends InferenceConfig {
  processes: number;
  slowProviders: readonly string[];
}

/** Processes of providers that build for minutes at each start (TensorRT); others answer meanwhile, and after a loss. */
class Preparation implements AsyncDisposable {
  readonly #slow: readonly string[];
  readonly #observer: InferenceObserver;
  readonly #members: Member[];
  readonly #since = new Date();
  readonly #overdue: NodeJS.Timeout;
  #losses = 0;
  #reports: readonly PackReport[] | null = null;
  /** Why it was given up; null while it goes on. */
  #givenUp: string | null = null;
  #closing: Promise<unknown> = Promise.resolve();

  constructor(config: PreparationConfig, packs: readonly LoadedPack[], observer: InferenceObserver) {
    this.#slow = config.providers.filter((provider) => config.slowProviders.includes(provider));
    this.#observer = observer;
    const watcher: InferenceObserver = {
      childReady: (...args) => this.#childReady(...args),
      childLost: (...args) => this.#childLost(...args),
      childSaid: (line) => observer.childSaid(line),
    };
    this.#members = Array.from({ length: config.processes }, () => ({
      process: new InferenceProcess(config, packs, watcher),
      load: 0,
    }));
    this.#overdue = setTimeout(
      () => this.#giveUp(`no answer within ${PREPARATION_MS_MAX / 60_000} minutes`),
      PREPARATION_MS_MAX,
    ).unref();
  }

  /** The processes that can answer for a pack on a prepared provider. */
  membersFor(key: string): Member[] {
    return this.#givenUp === null
      ? this.#members.filter(({ process }) => this.#runs(process.reports, key))
      : [];
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  pids(): number[] {
    return this.#members.flatMap(({ process }) => process.pid ?? []);
  }

  /** A pack's report, with `report` by the other processes. */
  amend(report: PackReport): PackReport {
    const [able] = this.membersFor(report.key);
    const own = (able?.process.reports ?? this.#reports)?.find(({ key }) => key === report.key);
    if (able !== undefined && own !== undefined) return own;
    const names = this.#slow.join(', ');
    if (own?.fault === null && !this.#runs([own], own.key)) return { ...report, passedOver: own.passedOver };
    if (this.#givenUp === null)
      return { ...report, preparing: `${names} since ${this.#since.toISOString()}` };
    return { ...report, passedOver: [`${names}: ${this.#givenUp}`, ...report.passedOver] };
  }

  /** Replaces the packs after the others have theirs. */
  load(packs: readonly LoadedPack[]): void {
    if (this.#givenUp !== null) return;
    for (const { process } of this.#members)
      process.load(packs).catch((error: unknown) => {
        if (!(error instanceof WorkerLostError)) throw error;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#overdue);
    await this.#closing;
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }

  #runs(reports: readonly PackReport[] | null, key: string): boolean {
    return (reports ?? []).some(
      (report) => report.key === key && report.provider !== null && this.#slow.includes(report.provider),
    );
  }

  #childReady(...[pid, reports, startMs]: Parameters<InferenceObserver['childReady']>): void {
    clearTimeout(this.#overdue);
    this.#losses = 0;
    this.#reports = reports;
    if (!reports.some(({ key }) => this.#runs(reports, key))) this.#giveUp('it takes none of the models');
    this.#observer.childReady(pid, reports, startMs);
  }

  #childLost(...[pid, error, restartMs]: Parameters<InferenceObserver['childLost']>): void {
    this.#losses += 1;
    if (this.#losses >= LOSSES_MAX) this.#giveUp(`${LOSSES_MAX} times over, ${error.message}`);
    this.#observer.childLost(pid, error, restartMs);
  }

  /** Its processes hold memory of the device that no one uses. */
  #giveUp(why: string): void {
    if (this.#givenUp !== null) return;
    this.#givenUp = why;
    clearTimeout(this.#overdue);
    this.#closing = Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }
}
