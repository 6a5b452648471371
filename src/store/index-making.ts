/** Makes an index that lacks entries beside running work, step by step, each in a transaction of its own. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Tables } from './tables/schema.ts';
import type { StoreTransaction } from './transaction.ts';

export interface IndexParts {
  tables: Tables;
  transact<T>(change: (tx: StoreTransaction) => T): Promise<T>;
}

export interface IndexStep {
  count: number;
  isLast: boolean;
}

export interface IndexMade {
  count: number;
  /** False if the signal came first: the next start continues. */
  isComplete: boolean;
}

/** Rests as long as it works, so that half of the time is for others. */
export async function makeIndex(
  isComplete: boolean,
  step: () => Promise<IndexStep>,
  signal: AbortSignal,
): Promise<IndexMade> {
  const made: IndexMade = { count: 0, isComplete };
  while (!made.isComplete && !signal.aborted) {
    const startedAt = performance.now();
    const { count, isLast } = await step();
    made.count += count;
    made.isComplete = isLast;
    await rest(performance.now() - startedAt, undefined, { ref: false });
  }
  return made;
}
