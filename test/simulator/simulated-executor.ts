/** The box's executor without children: answers come after virtual time, and a child may die, hang or refuse by the seed. */
import { pause } from '../../src/domain/clock.ts';
import type { Attempt } from '../../src/engine/analyses/analysis-parts.ts';
import { AbortError, MediaFaultError, WorkerLostError } from '../../src/engine/children/worker-errors.ts';
import type { DecodePool } from '../../src/engine/decode/decode-pool.ts';
import type { DecodeSlot } from '../../src/engine/decode/decode-slot.ts';
import type { Execution } from '../../src/engine/executors/executor.ts';
import type { LocalExecutor } from '../../src/engine/executors/local-executor.ts';
import { INFERENCE_POOL_DEFAULTS } from '../../src/engine/inference/inference-pool.ts';
import type { Random } from '../heavy/random.ts';
import { PACKS } from './packs.ts';
import { analysePicture, SIDE } from './results.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface ChildFaults {
  /** Shares of the pieces of work over which a child dies, hangs for ever, or refuses the file. */
  dies: number;
  hangs: number;
  refuses: number;
}

export class SimulatedExecutor implements LocalExecutor {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  faults: ChildFaults;
  /** How long a child takes at most. */
  takesMsMax = 3000;
  /** Pieces of work under way. */
  busy = 0;
  readonly inferenceConfig = INFERENCE_POOL_DEFAULTS;
  readonly inference = null;
  readonly isElsewhere = false;
  /** Set by each life from its settings. */
  slots = 0;
  readonly videoDecoding = { description: 'cpu', notReadyReason: null };
  readonly shelf: LocalExecutor['shelf'] = {
    usable: [...PACKS],
    installed: PACKS,
    find: (key) => PACKS.find(({ pack }) => `${pack.id}@${pack.version}` === key),
    digestsOf: (keys) => Object.fromEntries(keys.map((key) => [key, '0'.repeat(64)])),
    status: () => [],
    describeCpuFallback: () => null,
    describeEmptiness: () => '',
  };
  readonly decodePool: LocalExecutor['decodePool'];

  constructor(clock: VirtualClock, random: Random, faults: ChildFaults) {
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
    const run: DecodePool['run'] = async (_purpose, work, { signal } = {}) =>
      await this.#work(signal, async () => await work(this.#slot()));
    this.decodePool = { run, isolation: null, pids: () => [] };
  }

  waitReason(): null {
    return null;
  }

  async start(): Promise<void> {}
  async loadPacks(): Promise<void> {}
  async reloadPacks(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}

  async execute({ analysis, signal, report }: Attempt): Promise<Execution> {
    const result = await this.#work(signal, async () => {
      report({ step: 'pixels', done: 0, total: 1 });
      await this.#child(signal);
      return await analysePicture(analysis, this.#random);
    });
    return { result, settled: () => {} };
  }

  async #work<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new AbortError(signal);
    this.busy += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
    }
  }

  /** One piece of work in a child. */
  async #child(signal: AbortSignal | undefined, timeoutMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { dies, hangs, refuses } = this.faults;
    const isHanging = this.#random.chance(hangs);
    const takesMs = isHanging ? Number.POSITIVE_INFINITY : this.#random.whole(1, this.takesMsMax);
    const waitMs = Math.min(takesMs, timeoutMs);
    if (Number.isFinite(waitMs)) await pause(this.#clock, waitMs, signal);
    else await aborted(signal);
    if (signal?.aborted) throw new AbortError(signal);
    if (takesMs > timeoutMs) throw new WorkerLostError('deadline', 'the simulated child hung');
    if (this.#random.chance(dies)) throw new WorkerLostError('ended', 'the simulated child died');
    if (this.#random.chance(refuses)) throw new MediaFaultError('corrupt', 'the simulated file is corrupt');
  }

  /** The engine asks a decode child for probes only: what analyses ask of it is `analyse`'s here. */
  #slot(): DecodeSlot {
    const slot: Pick<DecodeSlot, 'placeInput'> & { request: (...args: never) => Promise<unknown> } = {
      placeInput: async () => 'input',
      request: async (
        _work: unknown,
        { timeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
      ) => {
        await this.#child(signal, timeoutMs);
        const sides = { width: SIDE, height: SIDE, pages: 1 };
        return {
          probe: { kind: 'image', mime: 'image/png', ...sides, durationSeconds: null, hasSound: false },
        };
      },
    };
    return slot as unknown as DecodeSlot;
  }
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) throw new Error('a child hangs, and nothing bounds the wait for it');
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
