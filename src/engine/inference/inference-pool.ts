/** Hands each request to the least loaded of several inference processes, or to a slowly prepared one once it is up. */

import { availableParallelism } from 'node:os';
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';
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
import { type Member, Preparation } from './preparation.ts';

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
