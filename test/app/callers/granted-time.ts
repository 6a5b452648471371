/**
 * Time in which this process could run. On a machine that is busy with other things a process may stand still for seconds; a
 * bound on what it does must not count them. A process that computes is not standing still: its processor time counts.
 */

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
