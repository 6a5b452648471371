/** One piece of work at a time, by turns over the accounts that wait for it. */
import { AccountTurns } from './account-turns.ts';

interface Waiter {
  /** All that wait for it: it comes up when the first of them has its turn. */
  accounts: Set<number>;
  begin: (turn: Disposable) => void;
}

export class TurnLine {
  readonly #turns = new AccountTurns();
  readonly #waiting = new Map<string, Waiter>();
  #isBusy = false;

  /** How many pieces of work wait that the account asked for. */
  depthOf(accountId: number): number {
    return [...this.#waiting.values()].filter(({ accounts }) => accounts.has(accountId)).length;
  }

  /** Resolves when the turn has come; disposing it lets the next one begin. */
  async enter(id: string, accountId: number): Promise<Disposable> {
    const { promise, resolve } = Promise.withResolvers<Disposable>();
    this.#waiting.set(id, { accounts: new Set([accountId]), begin: resolve });
    this.#turns.add(id, accountId);
    this.#advance();
    return await promise;
  }

  /** Another account waits for it too: it must not stand behind all else that the first one asked for. */
  join(id: string, accountId: number): void {
    const waiter = this.#waiting.get(id);
    if (waiter === undefined || waiter.accounts.has(accountId)) return;
    waiter.accounts.add(accountId);
    this.#turns.add(id, accountId);
  }

  #advance(): void {
    const id = this.#isBusy ? undefined : this.#turns.take();
    const waiter = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiter === undefined) return;
    this.#waiting.delete(id);
    for (const accountId of waiter.accounts) this.#turns.remove(id, accountId);
    this.#isBusy = true;
    waiter.begin({
      [Symbol.dispose]: () => {
        this.#isBusy = false;
        this.#advance();
      },
    });
  }
}
