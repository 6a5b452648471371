/** The use cases' way into the queue: work is joined, added and called off inside their transactions. */
import type { Clock } from '../../domain/clock.ts';
import { type Analysis, type Classification, hasEnded } from '../../domain/records/classification.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { type AdditionSpec, cancelAddition, queueAddition } from '../queue/additions.ts';
import { type AnalysisSpec, type Joined, joinOrQueue, leaveAnalysis } from '../queue/queue.ts';
import { assertRoom, type QueueParts } from '../queue/queue-room.ts';
import type { AnalysisRunner } from './analysis-runner.ts';

interface WorkQueueParts {
  store: Pick<Store, 'read'>;
  clock: Clock;
  runner: Pick<AnalysisRunner, 'accept' | 'add' | 'promote' | 'abort' | 'pump' | 'depth'>;
  newIdentifier: () => string;
  queueMax: number;
}

export class WorkQueue {
  readonly #parts: WorkQueueParts;
  /** Work that was queued in transactions which may yet be rolled back. */
  readonly #unconfirmed: string[] = [];

  constructor(parts: WorkQueueParts) {
    this.#parts = parts;
  }

  accept(): Disposable {
    return this.#parts.runner.accept();
  }

  /** Joins or queues; call `wake` after the commit. Throws `queue_full`. */
  join(tx: StoreTransaction, spec: AnalysisSpec): Joined {
    const joined = joinOrQueue(tx, spec, this.#place(tx));
    if (joined.origin === 'analysed') this.#begin(joined.analysis);
    else if (spec.priority === 'interactive') this.#parts.runner.promote(joined.analysis.id);
    return joined;
  }

  /** Like `join`, for additions to a finished record. */
  add(tx: StoreTransaction, spec: AdditionSpec): void {
    const place = this.#place(tx);
    assertRoom(place);
    this.#begin(queueAddition(tx, spec, place));
  }

  /** Ends an addition to the analysis; call the returned function after the commit. */
  cancelAddition(tx: StoreTransaction, analysisId: string): () => void {
    const id = cancelAddition(tx, analysisId);
    return () => {
      if (id !== undefined) this.#parts.runner.abort(id);
    };
  }

  /** Cancels the analysis if this record was the last that waited for it; call `abort` after the commit. */
  cancel(tx: StoreTransaction, classification: Classification): void {
    leaveAnalysis(tx, classification, this.#parts.clock.now());
  }

  /** Stops the work of an analysis that was cancelled or deleted; does nothing to any other. */
  abort(analysisId: string): void {
    const analysis = this.#parts.store.read.analyses.getUnlessDamaged(analysisId);
    if (analysis === undefined || hasEnded(analysis.state)) this.#parts.runner.abort(analysisId);
  }

  /** After a commit: starts queued work. */
  wake(): void {
    this.#dropRolledBack(this.#parts.store.read);
    this.#parts.runner.pump();
  }

  /** Frees the queue's places of rolled-back transactions. */
  #dropRolledBack(reader: StoreReader): void {
    for (const id of this.#unconfirmed.splice(0)) {
      if (!reader.analyses.has(id)) this.#parts.runner.abort(id);
    }
  }

  #place(tx: StoreTransaction): QueueParts {
    this.#dropRolledBack(tx);
    const { newIdentifier, clock, queueMax, runner } = this.#parts;
    return { id: newIdentifier(), now: clock.now(), depth: runner.depth, queueMax };
  }

  #begin(analysis: Analysis): void {
    this.#parts.runner.add(analysis);
    this.#unconfirmed.push(analysis.id);
  }
}
