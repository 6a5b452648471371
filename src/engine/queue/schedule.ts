/** Interactive work goes before batch work, each round robin over accounts. In memory, filled from the store at start. */
import type { Priority } from '../../domain/records/classification.ts';
import { AccountTurns } from '../../machinery/turns/account-turns.ts';

export interface Turn {
  id: string;
  accountId: number;
  priority: Priority;
}

/** While interactive work never ends, batch work gets one turn in so many. */
export const BATCH_TURN_EVERY = 8;

export class Schedule {
  #runningMax = 0;
  #batchRunningMax = 0;
  readonly #turns: Record<Priority, AccountTurns> = {
    interactive: new AccountTurns(),
    batch: new AccountTurns(),
  };
  readonly #waiting = new Map<string, Turn>();
  readonly #running = new Map<string, Priority>();
  /** Interactive turns since the last one of batch work. */
  #sinceBatch = 0;

  constructor(runningMax: number) {
    this.resize(runningMax);
  }

  /** Batch work never takes the last of several slots: a film of an hour would hold up everyone. */
  resize(runningMax: number): void {
    this.#runningMax = runningMax;
    this.#batchRunningMax = Math.max(1, runningMax - 1);
  }

  get slots(): number {
    return this.#runningMax;
  }

  get depth(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running.size;
  }

  has(id: string): boolean {
    return this.#waiting.has(id) || this.#running.has(id);
  }

  /** Does nothing for work that waits or runs already. */
  add(turn: Turn): void {
    if (this.has(turn.id)) return;
    this.#waiting.set(turn.id, turn);
    this.#turns[turn.priority].add(turn.id, turn.accountId);
  }

  /** Makes waiting batch work interactive. Does nothing for other work. */
  promote(id: string): void {
    const turn = this.#waiting.get(id);
    if (turn?.priority !== 'batch') return;
    this.remove(id);
    this.add({ ...turn, priority: 'interactive' });
  }

  /** Takes waiting work out; false if it does not wait. */
  remove(id: string): boolean {
    const turn = this.#waiting.get(id);
    if (turn === undefined) return false;
    this.#waiting.delete(id);
    this.#turns[turn.priority].remove(id, turn.accountId);
    return true;
  }

  /** The next work, or undefined if nothing may begin. `release` ends it. */
  next(): Turn | undefined {
    if (this.#running.size >= this.#runningMax) return undefined;
    const turn = this.#waiting.get(this.#nextId() ?? '');
    if (turn === undefined) return undefined;
    this.#waiting.delete(turn.id);
    this.#running.set(turn.id, turn.priority);
    this.#sinceBatch = turn.priority === 'batch' ? 0 : this.#sinceBatch + 1;
    return turn;
  }

  release(id: string): void {
    this.#running.delete(id);
  }

  #nextId(): string | undefined {
    const { interactive, batch } = this.#turns;
    const batchRunning = [...this.#running.values()].filter((priority) => priority === 'batch').length;
    if (batchRunning >= this.#batchRunningMax) return interactive.take();
    const isBatchDue = this.#sinceBatch >= BATCH_TURN_EVERY - 1;
    return isBatchDue ? (batch.take() ?? interactive.take()) : (interactive.take() ?? batch.take());
  }
}
