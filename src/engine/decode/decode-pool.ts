/** The decode children of this box, kept warm, recycled after a number of requests, each at one piece of work. */
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
  /** A child sees only its own slot of it. */
  dataFolder: string;
  /** Lies in the data folder, and is swept at start, which begins its work anew. */
  jobsFolder: string;
  /** Bytes that must stay free on the disk where inputs are copied. */
  diskFreeBytesMin: number;
  /** Slots of analyses. */
  slots: number;
  /** Slots beside them that only probes use. */
  probeSlotsMin: number;
  /** A child is replaced after so many requests: a slow leak in a decoder stays small. */
  requestsPerChildMax: number;
  /** Private memory of one child, mapped or not; the runtime maps 0.7 GB, a WebP of PIXELS_MAX takes 1.6 GB. */
  memoryBytesMax: number;
  /** Largest file that a child may write: two hours of stereo FLAC that cannot be compressed take 1.4 GB. */
  fileBytesMax: number;
  /** Longest request without a time of its own, and the longest start of a child. */
  stepTimeoutMs: number;
  isolation: IsolationWish;
  /** Gives children the GPU's devices inside their walls. */
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

/** Takes some minutes; the next start continues. */
const SWEPT_NAMES_MAX = 1_000_000;

export interface RunOptions extends WaitOptions {
  /** Longest start of a child for this work; `stepTimeoutMs` if absent. */
  startTimeoutMs?: number | undefined;
}

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
  /** Work that takes a returning child before the one that is started for it is ready. */
  readonly #wanting = new Set<(slot: DecodeSlot) => void>();
  /** Children that are starting; a stop waits for them, so that none outlives it. */
  readonly #opening = new Set<Promise<DecodeSlot>>();
  /** Slots that are being emptied after their work; a stop waits for them too. */
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

  /** Sweeps the jobs folder and finds the isolation of this box. `run` does it too, but a start should fail early. */
  async start(): Promise<void> {
    this.#started ??= this.#prepare();
    this.#isolation = await this.#started;
  }

  /** The walls around children; null before the start. */
  get isolation(): Isolation | null {
    return this.#isolation;
  }

  get load(): Record<SlotPurpose | 'waiting', number> {
    return { ...this.#queue.running, waiting: this.#queue.waiting };
  }

  /** Process ids of the living children (or of bubblewrap around them). */
  pids(): number[] {
    return [...this.#slots].flatMap(({ pid, isUsable }) => (isUsable && pid !== undefined ? [pid] : []));
  }

  /** Lends a slot to `work`. Throws what it throws, SlotBusyError after `waitTimeoutMs`, AbortError if aborted. */
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
      // A retry must not meet the cause that froze this child.
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
    // A GPU's driver opens and calls what it likes, so no filter is applied.
    const found = usesGpu ? { ...detected, kernel: null } : detected;
    const fault = faultOfIsolation(found, isolation, process.getuid?.() === 0);
    if (fault !== null) throw new IsolationMissingError(fault);
    return found;
  }

  /** A compromised child may have left undeletable files and a running process: the start goes on all the same. */
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
      // Emptying is faster than starting a child.
      if (this.#emptying.size === 0) break;
      await Promise.race(this.#emptying);
    }
    return await this.#openOrTake(startTimeoutMs);
  }

  /** A start takes half a second, and longer on a busy box; a child that comes back meanwhile serves at once. */
  async #openOrTake(startTimeoutMs?: number): Promise<DecodeSlot> {
    const { promise, resolve: take, reject } = Promise.withResolvers<DecodeSlot>();
    this.#wanting.add(take);
    this.#openSlot(startTimeoutMs).then(
      (slot) => {
        if (this.#wanting.delete(take)) take(slot);
        else this.#offer(slot);
      },
      (error: unknown) => {
        // Work that has taken another child needs no new one.
        if (this.#wanting.delete(take)) reject(error);
      },
    );
    return await promise;
  }

  /** Gives the slot to the work that has waited longest, or keeps it. */
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
      // A new name, since unswept folders belong to no slot.
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

  /** A slot that cannot be emptied is as suspect as one that lost its child. */
  async #putBack(slot: DecodeSlot): Promise<void> {
    const isWorn = slot.isRetired || slot.requestCount >= this.#config.requestsPerChildMax;
    if (this.#isClosed || isWorn || !slot.isUsable || !(await isCleared(slot))) return await this.#drop(slot);
    this.#offer(slot);
  }

  /** The cause that froze one child has often frozen all: the next callers must not find out one after the other. */
  async #dropIdle(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((slot) => this.#drop(slot)));
  }

  async #drop(slot: DecodeSlot): Promise<void> {
    this.#slots.delete(slot);
    try {
      await slot[Symbol.asyncDispose]();
    } catch (error) {
      // The child is dead; the next start sweeps what it left.
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
