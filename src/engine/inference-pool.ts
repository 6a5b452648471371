/** Several inference processes over the same packs; each request goes to the one with the fewest patches in work. */
import { availableParallelism } from 'node:os';
import type { LoadedPack, PackReport } from '../worker/protocol.ts';
import {
  INFERENCE_DEFAULTS,
  type Inference,
  type InferenceConfig,
  type InferenceObserver,
  type InferenceOptions,
  InferenceProcess,
  type InferenceWork,
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
  patches: number;
}

export class InferencePool implements AsyncDisposable {
  readonly #members: Member[];

  constructor(config: InferencePoolConfig, packs: readonly LoadedPack[], observer: InferenceObserver) {
    this.#members = Array.from({ length: Math.max(1, config.processes) }, () => ({
      process: new InferenceProcess(config, packs, observer),
      patches: 0,
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
    const member = this.#leastLoaded();
    member.patches += work.count;
    try {
      return await member.process.infer(work, options);
    } finally {
      member.patches -= work.count;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }

  /** A process that is coming up gets work only when no other can take it. */
  #leastLoaded(): Member {
    const isReady = ({ process }: Member) => process.reports !== null;
    const candidates = this.#members.some(isReady) ? this.#members.filter(isReady) : this.#members;
    return candidates.reduce((least, member) => (member.patches < least.patches ? member : least));
  }
}
