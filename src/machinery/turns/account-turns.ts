/** Waiting work by account: the accounts take turns, and inside one the first that came is the first served. */
export class AccountTurns {
  /** The first account is the next one served; a Set keeps the order of arrival. */
  readonly #lines = new Map<number, Set<string>>();

  get isWaiting(): boolean {
    return this.#lines.size > 0;
  }

  add(id: string, accountId: number): void {
    const line = this.#lines.get(accountId);
    if (line === undefined) this.#lines.set(accountId, new Set([id]));
    else line.add(id);
  }

  remove(id: string, accountId: number): void {
    const line = this.#lines.get(accountId);
    line?.delete(id);
    if (line?.size === 0) this.#lines.delete(accountId);
  }

  /** Removes and returns the next work of an account that may go on (by default any); undefined if none of them waits. */
  take(mayGoOn: (accountId: number) => boolean = () => true): string | undefined {
    for (const [accountId, line] of this.#lines) {
      if (!mayGoOn(accountId)) continue;
      for (const id of line) {
        this.remove(id, accountId);
        this.#sendToBack(accountId, line);
        return id;
      }
    }
    return undefined;
  }

  #sendToBack(accountId: number, line: Set<string>): void {
    if (line.size === 0) return;
    this.#lines.delete(accountId);
    this.#lines.set(accountId, line);
  }
}
