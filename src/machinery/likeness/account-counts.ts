/** How many rows of an index each account has. */
export class AccountCounts {
  readonly #counts = new Map<number, number>();

  change(accountId: number, by: 1 | -1): void {
    this.#counts.set(accountId, (this.#counts.get(accountId) ?? 0) + by);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  of(accounts: ReadonlySet<number>): number {
    return [...accounts].reduce((sum, accountId) => sum + (this.#counts.get(accountId) ?? 0), 0);
  }
}
