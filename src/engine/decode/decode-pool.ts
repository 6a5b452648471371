/**
 * The decode children of this box: starts them when they are first needed, keeps them warm, recycles them after
 * a number of requests, and hands each to one piece of work at a time.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { SafeFolder } from '../../machinery/safe-folder.ts';
import { IsolationMissingError, WorkerLostError } from '../children/worker-errors.ts';
import { CopyRoom } from './copy-room.ts';
import { DecodeSlot } from './decode-slot.ts';
import { detectIsolation, faultOfIsolation, type Isolation, type IsolationWish } from './isolation.ts';
import { type SlotPurpose, SlotQueue, type WaitOptions } from './slot-queue.ts';

export interface DecodePoolConfig {
  /** No child sees more of it than its own slot. */
  dataFolder: string;
  /** Lies in it, and is swept at start: what is there belongs to work that a start begins anew. */
  jobsFolder: string;
  /** Must stay free on the disk where inputs are copied. */
  diskFreeBytesMin: number;
  /** Analyses that decode at the same time. */
  slots: number;
  /** Slots beside them that only probes use. */
  probeSlotsMin: number;
  /** A child is replaced after so many requests: a slow leak in a decoder stays small. */
  requestsPerChildMax: number;
  /** Private memory of one child, mapped or not; the runtime maps 0.7 GB, a WebP of PIXELS_MAX takes 1.6 GB. */
  memoryBytesMax: number;
  /** Largest file that a child may write: two hours of stereo FLAC that cannot be compressed take 1.4 GB. */
  fileBytesMax: number;
  /** For one request that names no time of its own, and for a child to be ready. */
  stepTimeoutMs: number;
  isolation: IsolationWish;
  /** Children get the GPU's devices inside their walls. */
  usesGpu: boolean;
}

export const DECODE_POOL_DEFAULTS: Readonly<Omit<DecodePoolConfig, 'dataFolder' | 'jobsFolder'>> = {
  diskFreeBytesMin: 0,
  slots: availableParallelism(),
  probeSlotsMin: 1,
  requestsPerChildMax: 1000,
  memoryBytesMax: 3 * 1024 ** 3,
  fileBytesMax: 2 * 1024 ** 3,
  stepTimeoutMs: 60_000,
  isolation: 'auto',
  usesGpu: false,
};

/** Some minutes; the next start goes on. */
const SWEPT_NAMES_MAX = 1_000_000;

export interface RunOptions extends WaitOptions {
  /** For a child that has to be started to be ready; `stepTimeoutMs` if it is absent. */
  startTimeoutMs?: number | undefined;
}

/** Receives what happens to children; for the log and the counters. */
export interface DecodePoolObserver {
  childStarted(pid: number | undefined, startMs: number): void;
  /** A child that crashed, hung, misbehaved or was called off in mid-work; not one that was recycled. */
  childLost(pid: number | undefined, error: WorkerLostError): void;
  childSaid(line: string): void;
}

export class DecodePool implements AsyncDisposable {
  readonly #config: DecodePoolConfig;
  readonly #observer: DecodePoolObserver;
  readonly #queue: SlotQueue;
  readonly #copyRoom: CopyRoom;
  readonly #slots = new Set<DecodeSlot>();
  readonly #idle: DecodeSlot[] = [];
  /** Who would take one that comes back before the one that is started for them is ready. */
  readonly #wanting = new Set<(slot: DecodeSlot) => void>();
  /** Children on their way up; a stop waits for them, so that none outlives it. */
  readonly #opening = new Set<Promise<DecodeSlot>>();
  /** Slots that are emptied behind their work; a stop waits for them too. */
  readonly #emptying = new Set<Promise<void>>();
  #started: Promise<Isolation> | null = null;
  #isolation: Isolation | null = null;
  #isClosed = false;

  constructor(config: DecodePoolConfig, observer: DecodePoolObserver) {
    this.#config = config;
    this.#observer = observer;
    this.#queue = new SlotQueue(config);
    this.#copyRoom = new CopyRoom(config.diskFreeBytesMin);
  }

  /** Sweeps the jobs folder and finds out what isolates a child here. `run` does it too, but a start should fail early. */
  async start(): Promise<void> {
    this.#started ??= this.#prepare();
    this.#isolation = await this.#started;
  }

  /** What walls children in; null before the start. */
  get isolation(): Isolation | null {
    return this.#isolation;
  }

  /** Pieces of work under way and waiting, for status. */
  get load(): Record<SlotPurpose | 'waiting', number> {
    return { ...this.#queue.running, waiting: this.#queue.waiting };
  }

  /** Process ids of the living children (of bubblewrap, if it stands around them). */
  pids(): number[] {
    return [...this.#slots].flatMap(({ pid, isUsable }) => (isUsable && pid !== undefined ? [pid] : []));
  }

  /**
   * Lends a slot to `work` and empties it behind its result, for the next work. Throws what `work` throws,
   * SlotBusyError after `waitTimeoutMs`, AbortError when the signal aborts the wait.
   */
  async run<T>(
    purpose: SlotPurpose,
    work: (slot: DecodeSlot) => Promise<T>,
    options: RunOptions = {},
  ): Promise<T> {
    await this.start();
    this.#assertOpen();
    using permits = new DisposableStack();
    permits.use(await this.#queue.acquire(purpose, options));
    const slot = await this.#takeSlot(options.startTimeoutMs);
    try {
      return await work(slot);
    } finally {
      const emptying = this.#giveBack(slot, permits.move());
      // Who tries again must not meet what froze this child.
      if (slot.loss !== null) await emptying;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#queue.rejectAll(new WorkerLostError('stopped', 'the decoders are stopped'));
    await Promise.allSettled([...this.#opening, ...this.#emptying]);
    await Promise.all([...this.#slots].map((slot) => this.#drop(slot)));
  }

  async #prepare(): Promise<Isolation> {
    const { dataFolder, jobsFolder, isolation, usesGpu } = this.#config;
    await mkdir(jobsFolder, { recursive: true, mode: 0o700 });
    await this.#sweep(jobsFolder);
    const detected = await detectIsolation(join(jobsFolder, 'trial'), dataFolder);
    // What a GPU's driver opens and calls is the driver's own affair.
    const found = usesGpu ? { ...detected, kernel: null } : detected;
    const fault = faultOfIsolation(found, isolation, process.getuid?.() === 0);
    if (fault !== null) throw new IsolationMissingError(fault);
    return found;
  }

  /** A child that fell may have left what cannot be removed, and a process that goes on: no reason not to start. */
  async #sweep(jobsFolder: string): Promise<void> {
    try {
      await using jobs = await SafeFolder.open(jobsFolder);
      await jobs.empty(SWEPT_NAMES_MAX);
    } catch (error) {
      this.#observer.childSaid(`the folder of the decoders could not be emptied: ${String(error)}`);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new WorkerLostError('stopped', 'the decoders are stopped');
  }

  async #takeSlot(startTimeoutMs?: number): Promise<DecodeSlot> {
    for (;;) {
      this.#assertOpen();
      for (let slot = this.#idle.pop(); slot !== undefined; slot = this.#idle.pop()) {
        if (slot.isUsable) return slot;
        await this.#drop(slot);
      }
      // Emptied is sooner than started.
      if (this.#emptying.size === 0) break;
      await Promise.race(this.#emptying);
    }
    return await this.#openOrTake(startTimeoutMs);
  }

  /** A start takes half a second, and many on a busy box; a child that comes back meanwhile serves at once. */
  async #openOrTake(startTimeoutMs?: number): Promise<DecodeSlot> {
    const { promise, resolve: take, reject } = Promise.withResolvers<DecodeSlot>();
    this.#wanting.add(take);
    this.#openSlot(startTimeoutMs).then(
      (slot) => {
        if (this.#wanting.delete(take)) take(slot);
        else this.#offer(slot);
      },
      (error: unknown) => {
        // Who has taken another one needs none.
        if (this.#wanting.delete(take)) reject(error);
      },
    );
    return await promise;
  }

  /** To who waits longest for a child, or to the next. */
  #offer(slot: DecodeSlot): void {
    const [take] = this.#wanting;
    if (take === undefined) {
      this.#idle.push(slot);
      return;
    }
    this.#wanting.delete(take);
    take(slot);
  }

  #openSlot(startTimeoutMs?: number): Promise<DecodeSlot> {
    const opening = this.#start(startTimeoutMs).finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }

  async #start(startTimeoutMs?: number): Promise<DecodeSlot> {
    if (this.#isolation === null) throw new Error('a slot is opened before the pool has started');
    const { jobsFolder, memoryBytesMax, fileBytesMax, stepTimeoutMs, usesGpu } = this.#config;
    const startedAt = performance.now();
    const slot = await DecodeSlot.open({
      // A new name: what could not be swept is no one's slot.
      folder: join(jobsFolder, randomUUID()),
      isolation: this.#isolation,
      bounds: { memoryBytesMax, fileBytesMax },
      usesGpu,
      copyRoom: this.#copyRoom,
      timeoutMs: stepTimeoutMs,
      startTimeoutMs: startTimeoutMs ?? stepTimeoutMs,
      log: (line) => this.#observer.childSaid(line),
    });
    this.#slots.add(slot);
    this.#observer.childStarted(slot.pid, performance.now() - startedAt);
    return slot;
  }

  /** Never rejects. */
  #giveBack(slot: DecodeSlot, permits: DisposableStack): Promise<void> {
    const emptying = this.#empty(slot, permits).finally(() => this.#emptying.delete(emptying));
    this.#emptying.add(emptying);
    return emptying;
  }

  async #empty(slot: DecodeSlot, permits: DisposableStack): Promise<void> {
    using _permits = permits;
    if (slot.loss !== null && !this.#isClosed) this.#observer.childLost(slot.pid, slot.loss);
    await this.#putBack(slot);
    if (slot.loss?.loss === 'deadline' || slot.loss?.loss === 'frozen') await this.#dropIdle();
  }

  /** A slot that cannot be emptied is as suspect as one whose child was lost. */
  async #putBack(slot: DecodeSlot): Promise<void> {
    const isWorn = slot.isRetired || slot.requestCount >= this.#config.requestsPerChildMax;
    if (this.#isClosed || isWorn || !slot.isUsable || !(await isCleared(slot))) return await this.#drop(slot);
    this.#offer(slot);
  }

  /** What froze one child has often frozen all: the next caller must not find out one after the other. */
  async #dropIdle(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((slot) => this.#drop(slot)));
  }

  async #drop(slot: DecodeSlot): Promise<void> {
    this.#slots.delete(slot);
    try {
      await slot[Symbol.asyncDispose]();
    } catch (error) {
      // The child is dead; what it left is swept at the next start.
      this.#observer.childSaid(`a slot's folder could not be removed: ${String(error)}`);
    }
  }
}

async function isCleared(slot: DecodeSlot): Promise<boolean> {
  try {
    await slot.clear();
    return true;
  } catch {
    return false;
  }
}
