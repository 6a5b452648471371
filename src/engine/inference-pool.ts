/** Several inference processes over the same packs; each request goes to the one with the least in work. */
import { availableParallelism } from 'node:os';
import type { LoadedPack, PackReport } from '../worker/inference-protocol.ts';
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
} from './inference-process.ts';

export interface InferencePoolConfig extends InferenceConfig {
  /** One per device, or one per core on a CPU: many processes of one thread run as fast as one of many. */
  processes: number;
}

export const INFERENCE_POOL_DEFAULTS: Readonly<InferencePoolConfig> = {
  ...INFERENCE_DEFAULTS,
  processes: availableParallelism(),
};

interface Member {
  process: InferenceProcess;
  /** Patches, windows and sounds in work. */
  load: number;
}

/** How many patches' worth of work a sound is for the speech detector, roughly: a minute of it. */
const SOUND_LOAD = 32;

export class InferencePool implements AsyncDisposable {
  readonly #members: Member[];

  constructor(config: InferencePoolConfig, packs: readonly LoadedPack[], observer: InferenceObserver) {
    this.#members = Array.from({ length: Math.max(1, config.processes) }, () => ({
      process: new InferenceProcess(config, packs, observer),
      load: 0,
    }));
  }

  /** Reports of the process that was ready first; all run the same packs on the same kind of device. */
  get reports(): readonly PackReport[] | null {
    return this.#members.find(({ process }) => process.reports !== null)?.process.reports ?? null;
  }

  pids(): number[] {
    return this.#members.flatMap(({ process }) => process.pid ?? []);
  }

  /** Resolves when every process is up. */
  async ready(): Promise<PackReport[]> {
    const [reports = []] = await Promise.all(this.#members.map(({ process }) => process.ready()));
    return reports;
  }

  /** Replaces the packs, process after process, so that the others go on answering. */
  async load(packs: readonly LoadedPack[]): Promise<PackReport[]> {
    let reports: PackReport[] = [];
    for (const { process } of this.#members) reports = await process.load(packs);
    return reports;
  }

  async infer(work: InferenceWork, options: InferenceOptions = {}): Promise<Inference> {
    return await this.#lend(work.count, (process) => process.infer(work, options));
  }

  async detectSpeech(work: DetectionWork, options: InferenceOptions = {}): Promise<SpeechDetection> {
    return await this.#lend(SOUND_LOAD, (process) => process.detectSpeech(work, options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }

  async #lend<T>(load: number, work: (process: InferenceProcess) => Promise<T>): Promise<T> {
    const member = this.#leastLoaded();
    member.load += load;
    try {
      return await work(member.process);
    } finally {
      member.load -= load;
    }
  }

  /** A process that is coming up gets work only when no other can take it. */
  #leastLoaded(): Member {
    const isReady = ({ process }: Member) => process.reports !== null;
    const candidates = this.#members.some(isReady) ? this.#members.filter(isReady) : this.#members;
    return candidates.reduce((least, member) => (member.load < least.load ? member : least));
  }
}
