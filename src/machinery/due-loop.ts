/** Carries out what is due, a few pieces at once, without state: a kill costs one piece, which is done again. */
import type { Logger } from 'pino';
import { type Alarm, type Clock, pause } from '../domain/clock.ts';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';

export interface DueWork<T> {
  /** What is due now, the first due first; bounded. */
  due(): Iterable<T>;
  /** When the next item is due, in microseconds since 1970 UTC; undefined if nothing waits. */
  nextAt(): number | undefined;
  keyOf(item: T): string;
  /** Items of one group fail together in one outage. */
  groupOf(item: T): string;
  /** Does the work and writes down how it ended. Rejects only if that cannot be written, or when the signal aborts. */
  carryOut(item: T, signal: AbortSignal): Promise<void>;
  /** The log's sentence for an end that could not be written down. */
  fault: string;
}

export interface DueLoopBounds {
  inFlightMax: number;
  /** A group that answers slowly must not take the slots of all others. */
  inFlightPerGroupMax: number;
}

/** While work is under way, what comes due is looked for this often. */
const BUSY_WAIT_MS = 1000;
/** Timers are bounded, and a clock that was set is noticed within an hour. */
const IDLE_WAIT_MS_MAX = 3_600_000;
/** A store that fails (a full disk) must not be asked in a tight loop, nor must a receiver get the same at once. */
export const STORE_PAUSE_MS = 5000;

export class DueLoop<T> implements AsyncDisposable {
  readonly #bounds: DueLoopBounds;
  readonly #work: DueWork<T>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #inFlight = new Map<string, { group: string; settled: Promise<void> }>();
  readonly #stopped = new AbortController();
  #alarm: Alarm | undefined;
  #isOpen = false;
  #isWoken = false;

  constructor(bounds: DueLoopBounds, work: DueWork<T>, { clock, log }: { clock: Clock; log: Logger }) {
    this.#bounds = bounds;
    this.#work = work;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Looks for due items. Many calls of one moment cost one look. */
  wake(): void {
    if (!this.#isOpen || this.#isWoken) return;
    this.#isWoken = true;
    this.#clock.soon(() => {
      this.#isWoken = false;
      this.#look();
    });
  }

  /** Starts nothing more, lets running work end, then cuts it: it is done again after the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#isOpen = false;
    this.#alarm?.cancel();
    const settled = Promise.all(Array.from(this.#inFlight.values(), (work) => work.settled));
    const patience = new AbortController();
    await Promise.race([settled, pause(this.#clock, graceMs, patience.signal)]);
    patience.abort();
    this.#stopped.abort();
    await settled;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0);
  }

  #look(): void {
    if (!this.#isOpen) return;
    for (const item of this.#work.due()) {
      if (this.#inFlight.size >= this.#bounds.inFlightMax) break;
      if (this.#mayStart(item)) this.#begin(item);
    }
    this.#setTimer();
  }

  #mayStart(item: T): boolean {
    if (this.#inFlight.has(this.#work.keyOf(item))) return false;
    const group = this.#work.groupOf(item);
    const others = [...this.#inFlight.values()].filter((work) => work.group === group);
    return others.length < this.#bounds.inFlightPerGroupMax;
  }

  #begin(item: T): void {
    const key = this.#work.keyOf(item);
    const settled = this.#carryOut(item).finally(() => {
      this.#inFlight.delete(key);
      this.wake();
    });
    this.#inFlight.set(key, { group: this.#work.groupOf(item), settled });
  }

  /** Never rejects. */
  async #carryOut(item: T): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await this.#work.carryOut(item, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#log.error({ err: error, work: this.#work.keyOf(item) }, this.#work.fault);
      await pause(this.#clock, STORE_PAUSE_MS, signal);
    }
  }

  #setTimer(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    const dueAt = this.#work.nextAt();
    if (dueAt === undefined) return;
    const untilDueMs = Math.max(0, (dueAt - this.#clock.now()) / MICROSECONDS_PER_MS);
    const waitMs = this.#inFlight.size > 0 ? BUSY_WAIT_MS : Math.min(untilDueMs, IDLE_WAIT_MS_MAX);
    this.#alarm = this.#clock.after(Math.ceil(waitMs), () => this.#look());
  }
}
