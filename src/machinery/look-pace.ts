/** Bounds how often folders are looked at in a second, over all who look: a network share has other users too. */
import { type Clock, pause } from '../domain/clock.ts';

const SECOND_MS = 1000;

export class LookPace {
  readonly #perSecondMax: number;
  readonly #clock: Clock;
  #startedMs: number;
  #count = 0;

  constructor(perSecondMax: number, clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
    this.#perSecondMax = perSecondMax;
  }

  /** Resolves when another look may be made. */
  async take(): Promise<void> {
    this.#count += 1;
    if (this.#count < this.#perSecondMax) return;
    const leftMs = SECOND_MS - (this.#clock.elapsedMs() - this.#startedMs);
    // Reset before the wait, or every later caller would wait a second more.
    this.#count = 0;
    this.#startedMs = this.#clock.elapsedMs() + Math.max(0, leftMs);
    if (leftMs > 0) await pause(this.#clock, leftMs);
  }
}
