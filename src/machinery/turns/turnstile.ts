/** Lets a fixed number in at once; the others wait, and the accounts that wait take turns. */
import { AccountTurns } from './account-turns.ts';

interface Waiter {
  /** All accounts that wait for the work: it runs when the first of them has its turn. */
  accounts: Set<number>;
  begin: () => void;
}

export class Turnstile {
  #free: number;
  #arrivals = 0;
  readonly #turns = new AccountTurns();
  readonly #waiting = new Map<string, Waiter>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** How many pieces of work the account waits for. */
  depthOf(accountId: number): number {
    return [...this.#waiting.values()].filter(({ accounts }) => accounts.has(accountId)).length;
  }

  /** Resolves when its turn has come; disposing lets the next begin. No wait can be given up, so work must be short. */
  async enter(accountId: number, id = this.#newId()): Promise<Disposable> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(accountId, id);
    let hasLeft = false;
    return {
      [Symbol.dispose]: () => {
        if (hasLeft) return;
        hasLeft = true;
        this.#leave();
      },
    };
  }

  /** Lets another account wait for the same work. The work then also gets a turn of that account. */
  join(id: string, accountId: number): void {
    const waiter = this.#waiting.get(id);
    if (waiter === undefined || waiter.accounts.has(accountId)) return;
    waiter.accounts.add(accountId);
    this.#turns.add(id, accountId);
  }

  #newId(): string {
    this.#arrivals += 1;
    return String(this.#arrivals);
  }

  async #wait(accountId: number, id: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(id, { accounts: new Set([accountId]), begin: resolve });
    this.#turns.add(id, accountId);
    await promise;
  }

  #leave(): void {
    const id = this.#turns.take();
    const next = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(id);
    for (const accountId of next.accounts) this.#turns.remove(id, accountId);
    next.begin();
  }
}
