/** Time in which this process could run: a busy machine may let it stand still for seconds, which bounds must not count. */

/** Gaps between two pulses that are no waiting for a processor. */
const PULSE_MS = 20;

export class GrantedTime implements Disposable {
  #passedMs = 0;
  #last = performance.now();
  #processor = process.cpuUsage();
  readonly #timer = setInterval(() => this.#pulse(), PULSE_MS / 2);

  /** Milliseconds since it was made. */
  get passedMs(): number {
    this.#pulse();
    return this.#passedMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #pulse(): void {
    const now = performance.now();
    const { user, system } = process.cpuUsage(this.#processor);
    this.#passedMs += Math.min(now - this.#last, PULSE_MS + (user + system) / 1000);
    this.#last = now;
    this.#processor = process.cpuUsage();
  }
}
