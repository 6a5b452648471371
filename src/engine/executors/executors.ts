/** All executors of an engine: each attempt goes to the one with the smallest share of used slots. */
import { AppError } from '../../domain/errors.ts';
import type { WaitReason } from '../../domain/records/wait-reason.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';
import type { Execution, Executor } from './executor.ts';

export class Executors {
  readonly #executors: readonly Executor[];
  readonly #read: Pick<StoreReader, 'accounts'>;
  readonly #running = new Map<Executor, number>();

  /** The first of equally busy executors gets an attempt. */
  constructor(executors: readonly Executor[], read: Pick<StoreReader, 'accounts'>) {
    this.#executors = executors;
    this.#read = read;
  }

  get slots(): number {
    return this.#executors.reduce((sum, { slots }) => sum + slots, 0);
  }

  /** Why nothing begins, or nothing of this account; null if work only waits for its turn. */
  waitReason(accountId?: number): WaitReason | null {
    const allowed = accountId === undefined ? this.#executors : this.#allowed(accountId);
    if (allowed.length === 0) return { step: 'kept-here', sentence: KEPT_HERE };
    const reasons = allowed.map((executor) => executor.waitReason());
    return reasons.includes(null) ? null : (reasons[0] ?? null);
  }

  /** Throws as `Executor.execute` does, and AppError `starting` if no executor may have the account's media. */
  async execute(accountId: number, attempt: Attempt, files: AnalysisFiles): Promise<Execution> {
    const executor = this.#choose(accountId);
    this.#running.set(executor, this.#runningOn(executor) + 1);
    try {
      return await executor.execute(attempt, files);
    } finally {
      this.#running.set(executor, this.#runningOn(executor) - 1);
    }
  }

  #choose(accountId: number): Executor {
    const [first, ...others] = this.#allowed(accountId);
    if (first === undefined) throw new AppError('starting', KEPT_HERE);
    return others.reduce((least, other) => (this.#load(other) < this.#load(least) ? other : least), first);
  }

  /** Media under zero retention leave this box only if their plan allows it. */
  #allowed(accountId: number): readonly Executor[] {
    const plan = this.#read.accounts.planOf(accountId);
    const mayLeave = plan !== undefined && (!plan.zeroRetention || plan.zeroRetentionOnWorkers);
    return mayLeave ? this.#executors : this.#executors.filter(({ isElsewhere }) => !isElsewhere);
  }

  #runningOn(executor: Executor): number {
    return this.#running.get(executor) ?? 0;
  }

  #load(executor: Executor): number {
    return executor.slots === 0 ? Number.POSITIVE_INFINITY : this.#runningOn(executor) / executor.slots;
  }
}

const KEPT_HERE = 'the plan keeps such media on this box, and all work is done on others';
