/** The use cases' way into the queue: work is joined, added and called off inside their transactions. */
import type { Analysis } from '../../domain/records/classification.ts';
import type { CheckedResult } from '../../domain/verdicts/result.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { type AdditionSpec, cancelAddition, fitsTo, queueAddition } from '../queue/additions.ts';
import { type AnalysisSpec, type Joined, joinOrQueue } from '../queue/queue.ts';
import { assertRoom, type QueueParts } from '../queue/queue-room.ts';
import type { AnalysisRunner } from './analysis-runner.ts';

interface WorkQueueParts {
  store: Pick<Store, 'read' | 'artifacts'>;
  runner: () => Pick<AnalysisRunner, 'accept' | 'add' | 'promote' | 'abort' | 'depth'>;
  newIdentifier: () => string;
  now: () => number;
  queueMax: number;
}

export class WorkQueue {
  readonly #parts: WorkQueueParts;
  /** Work that was queued in transactions which may yet be rolled back. */
  readonly #unconfirmed: string[] = [];

  constructor(parts: WorkQueueParts) {
    this.#parts = parts;
  }

  /** Call this when a file has arrived whole and its sender is waiting. Until you dispose of the result, fewer analyses begin (AcceptingPlaces). */
  accept(): Disposable {
    return this.#parts.runner().accept();
  }

  /** Joins or queues; call the engine's `wake` after the commit. Throws `queue_full`. */
  join(tx: StoreTransaction, spec: AnalysisSpec): Joined {
    const joined = joinOrQueue(tx, spec, this.#place(tx));
    if (joined.origin === 'analysed') this.#begin(joined.analysis);
    else if (spec.priority === 'interactive') this.#parts.runner().promote(joined.analysis.id);
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
      if (id !== undefined) this.#parts.runner().abort(id);
    };
  }

  /** Puts an addition's files where readers of the record look for them, before its result names it. */
  async adopt({ id, addsTo }: Analysis, result: CheckedResult): Promise<void> {
    const { read, artifacts } = this.#parts.store;
    if (addsTo === undefined || !fitsTo(read.analysis(addsTo.analysisId), result)) return;
    await artifacts.adopt(id, addsTo.analysisId);
  }

  /** Frees the queue's places of rolled-back transactions. */
  dropRolledBack(reader: StoreReader): void {
    for (const id of this.#unconfirmed.splice(0)) {
      if (!reader.hasAnalysis(id)) this.#parts.runner().abort(id);
    }
  }

  #place(tx: StoreTransaction): QueueParts {
    this.dropRolledBack(tx);
    const { newIdentifier, now, queueMax, runner } = this.#parts;
    return { id: newIdentifier(), now: now(), depth: runner().depth, queueMax };
  }

  #begin(analysis: Analysis): void {
    this.#parts.runner().add(analysis);
    this.#unconfirmed.push(analysis.id);
  }
}
