/**
 * Whose turn it is: round robin over accounts, first come first served inside one, so that an account with ten
 * thousand submissions does not keep another's single one waiting. In memory only; the store is the truth, and
 * the schedule is filled from it at start.
 */
/** Work whose turn has come. */
export interface Turn {
  id: string;
  accountId: number;
}

export class Schedule {
  readonly #runningMax: number;
  /** The first account is the next one served; a Set keeps the order of arrival. */
  readonly #waiting = new Map<number, Set<string>>();
  readonly #accountOf = new Map<string, number>();
  readonly #running = new Set<string>();

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Work that waits, without the running. */
  get depth(): number {
    return this.#accountOf.size;
  }

  get running(): number {
    return this.#running.size;
  }

  has(id: string): boolean {
    return this.#accountOf.has(id) || this.#running.has(id);
  }

  /** Adding twice, or what runs already, changes nothing. */
  add(id: string, accountId: number): void {
    if (this.has(id)) return;
    this.#accountOf.set(id, accountId);
    const line = this.#waiting.get(accountId);
    if (line === undefined) this.#waiting.set(accountId, new Set([id]));
    else line.add(id);
  }

  /** Takes waiting work out; false where it does not wait. */
  remove(id: string): boolean {
    const accountId = this.#accountOf.get(id);
    if (accountId === undefined) return false;
    this.#accountOf.delete(id);
    const line = this.#waiting.get(accountId);
    line?.delete(id);
    if (line?.size === 0) this.#waiting.delete(accountId);
    return true;
  }

  /** The work to begin now, or undefined where nothing waits or enough is running. `release` ends it. */
  next(): Turn | undefined {
    if (this.#running.size >= this.#runningMax) return undefined;
    for (const [accountId, line] of this.#waiting) {
      for (const id of line) {
        this.remove(id);
        this.#sendToBack(accountId, line);
        this.#running.add(id);
        return { id, accountId };
      }
    }
    return undefined;
  }

  release(id: string): void {
    this.#running.delete(id);
  }

  #sendToBack(accountId: number, line: Set<string>): void {
    if (line.size === 0) return;
    this.#waiting.delete(accountId);
    this.#waiting.set(accountId, line);
  }
}
