/** Lets a fixed number in at once; the others wait, and their accounts take turns. */
import { AccountTurns } from './account-turns.ts';

export class Turnstile {
  #free: number;
  #arrivals = 0;
  readonly #turns = new AccountTurns();
  readonly #waiting = new Map<string, () => void>();

  constructor(places: number) {
    this.#free = places;
  }

  /** Dispose the turn to leave. For short work only: a wait cannot be given up. */
  async enter(accountId: number): Promise<Disposable> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(accountId);
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        this.#leave();
      },
    };
  }

  #wait(accountId: number): Promise<void> {
    this.#arrivals += 1;
    const id = String(this.#arrivals);
    this.#turns.add(id, accountId);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #leave(): void {
    const next = this.#turns.take();
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.get(next)?.();
    this.#waiting.delete(next);
  }
}
