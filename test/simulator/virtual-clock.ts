/** A clock that the test moves: a day of waiting takes no time, and the same run happens twice. */
import type { Alarm, Clock } from '../../src/domain/clock.ts';
import { MICROSECONDS_PER_MS } from '../../src/domain/time.ts';

interface Entry {
  atMs: number;
  /** Entries of one time run in the order in which they were asked for. */
  order: number;
  call: () => void;
}

export class VirtualClock implements Clock {
  readonly #startMs: number;
  #nowMs: number;
  #lastUs = 0;
  #order = 0;
  readonly #entries = new Set<Entry>();

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  /** Milliseconds since 1970. */
  get nowMs(): number {
    return this.#nowMs;
  }

  now(): number {
    this.#lastUs = Math.max(this.#lastUs + 1, Math.round(this.#nowMs * MICROSECONDS_PER_MS));
    return this.#lastUs;
  }

  elapsedMs(): number {
    return this.#nowMs - this.#startMs;
  }

  after(milliseconds: number, call: () => void): Alarm {
    this.#order += 1;
    const entry = { atMs: this.#nowMs + Math.max(0, milliseconds), order: this.#order, call };
    this.#entries.add(entry);
    return { cancel: () => this.#entries.delete(entry) };
  }

  soon(call: () => void): void {
    this.after(0, call);
  }

  /** When the next call comes; undefined where none is asked for. */
  get nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  /** Lets the time pass up to the next call, and makes it. False where none is asked for, or none until then. */
  step(untilMs = Number.POSITIVE_INFINITY): boolean {
    const next = this.#next();
    if (next === undefined || next.atMs > untilMs) {
      if (Number.isFinite(untilMs)) this.#nowMs = Math.max(this.#nowMs, untilMs);
      return false;
    }
    this.#entries.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.call();
    return true;
  }

  #next(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (first === undefined || isBefore(entry, first)) first = entry;
    }
    return first;
  }
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}
