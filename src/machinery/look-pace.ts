/** So many looks in a second and no more, over all who look: a network share has other users too. */
import { setTimeout as delay } from 'node:timers/promises';

const SECOND_MS = 1000;

export class LookPace {
  readonly #perSecondMax: number;
  #startedMs = performance.now();
  #count = 0;

  constructor(perSecondMax: number) {
    this.#perSecondMax = perSecondMax;
  }

  /** Resolves when another look may be made. */
  async take(): Promise<void> {
    this.#count += 1;
    if (this.#count < this.#perSecondMax) return;
    const leftMs = SECOND_MS - (performance.now() - this.#startedMs);
    // Counted anew before the wait, or everybody who comes meanwhile would wait a second more.
    this.#count = 0;
    this.#startedMs = performance.now() + Math.max(0, leftMs);
    if (leftMs > 0) await delay(leftMs);
  }
}
