/** Holds work that no one waits for to a number of bytes in a second, so that the disk has time for the others. */
import { setTimeout as delay } from 'node:timers/promises';

/** A longer rest would let a fast disk idle between bursts; a shorter one costs more than it gives. */
const REST_MS_MIN = 5;

export class Pace {
  readonly #bytesPerSecondMax: number;
  readonly #signal: AbortSignal;
  /** Time on the monotonic clock up to which the bytes so far are paid for. */
  #paidUntilMs = 0;

  /** `bytesPerSecondMax` 0: no bound. */
  constructor(bytesPerSecondMax: number, signal: AbortSignal) {
    this.#bytesPerSecondMax = bytesPerSecondMax;
    this.#signal = signal;
  }

  /** Resolves when so many bytes more may have been read or written. Throws AbortError. */
  async spend(bytes: number): Promise<void> {
    if (this.#bytesPerSecondMax === 0) return;
    const now = performance.now();
    this.#paidUntilMs = Math.max(this.#paidUntilMs, now) + (1000 * bytes) / this.#bytesPerSecondMax;
    const restMs = this.#paidUntilMs - now;
    if (restMs >= REST_MS_MIN) await delay(restMs, undefined, { signal: this.#signal });
  }
}
