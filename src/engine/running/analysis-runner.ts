/** Runs queued analyses. Every change of state is a transaction of its own: a kill leaves the old state or the new. */
import { type Alarm, pause } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Analysis, Lease, Progress } from '../../domain/records/classification.ts';
import type { CheckedResult } from '../../domain/verdicts/result.ts';
import { type Findings, NO_FINDINGS } from '../../domain/verdicts/tentative.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { Execution } from '../executors/executor.ts';
import { fitsTo } from '../queue/additions.ts';
import { markHealthy } from '../queue/recovery.ts';
import { Schedule, type Turn } from '../queue/schedule.ts';
import { completeAnalysis, failAnalysis, leaseAnalysis, requeueAnalysis } from '../queue/transitions.ts';
import { AcceptingPlaces } from './accepting-places.ts';
import {
  type AbortCause,
  type AttemptConfig,
  type AttemptEnd,
  type AttemptJob,
  type AttemptParts,
  attempt,
  WAIT_PAUSE_MS,
} from './attempt.ts';

export interface RunnerConfig extends AttemptConfig {
  analysesMax: number;
}

export interface RunnerParts extends AttemptParts {
  store: Store;
  bootId: string;
  ended: (analysis: Analysis) => void;
  /** Called once the end of an attempt is written and flushed. */
  stored: (analysis: Analysis, seconds: number) => void;
  queueChanged: (depth: number, running: number) => void;
}

interface Job extends AttemptJob {
  slot: number;
  turn: Turn;
  settled: Promise<void>;
}

const NOTHING_YET = { progress: null, findings: NO_FINDINGS } as const;

/** Suspected files wait so long, so that a daemon that dies every few seconds for another reason does not count. */
const SUSPECT_WAIT_MS = 10_000;
/** Aborted work ends at once; the next start handles the rest. */
const ABORT_WAIT_MS = 5000;

export class AnalysisRunner {
  readonly #config: RunnerConfig;
  readonly #parts: RunnerParts;
  readonly #schedule: Schedule;
  readonly #accepting: AcceptingPlaces;
  readonly #jobs = new Map<string, Job>();
  readonly #stopped = new AbortController();
  /** Interrupted or suspected at the last daemon's death: until these have ended one analysis runs at a time. */
  readonly #careful = new Set<string>();
  /** Suspected analyses that are not scheduled yet. */
  readonly #suspected = new Map<string, Alarm>();
  #isOpen = false;

  constructor(config: RunnerConfig, parts: RunnerParts) {
    this.#config = config;
    this.#parts = parts;
    this.#schedule = new Schedule(config.analysesMax);
    const { clock } = parts;
    const placesMax = config.analysesMax;
    this.#accepting = new AcceptingPlaces({ clock, placesMax, freed: () => this.pump() });
  }

  get depth(): number {
    return this.#schedule.depth + this.#suspected.size;
  }

  get running(): number {
    return this.#schedule.running;
  }

  progressOf(analysisId: string): Progress | null {
    return this.#jobs.get(analysisId)?.progress ?? null;
  }

  findingsOf(analysisId: string): Findings {
    return this.#jobs.get(analysisId)?.findings ?? NO_FINDINGS;
  }

  open(): void {
    this.#isOpen = true;
    this.pump();
  }

  /** Begins nothing until it is opened again; running work goes on. */
  close(): void {
    this.#isOpen = false;
  }

  add({ id, accountId, priority = 'interactive' }: Pick<Analysis, 'id' | 'accountId' | 'priority'>): void {
    this.#schedule.add({ id, accountId, priority });
  }

  /** Schedules what a start has found, in this order. */
  resume(open: readonly Analysis[], careful: ReadonlySet<string>): void {
    for (const id of careful) this.#careful.add(id);
    for (const analysis of open) {
      if (analysis.suspicion === undefined) this.add(analysis);
      else this.#addLater(analysis);
    }
  }

  #addLater(analysis: Analysis): void {
    const begin = () => {
      this.#suspected.delete(analysis.id);
      this.add(analysis);
      this.pump();
    };
    this.#suspected.set(analysis.id, this.#parts.clock.after(SUSPECT_WAIT_MS, begin));
  }

  promote(analysisId: string): void {
    this.#schedule.promote(analysisId);
  }

  accept(): Disposable {
    return this.#accepting.enter();
  }

  pump(): void {
    while (this.#mayBegin()) {
      const turn = this.#schedule.next();
      if (turn === undefined) break;
      this.#accepting.noteBegin();
      this.#start(turn);
    }
    this.#parts.queueChanged(this.depth, this.running);
  }

  #mayBegin(): boolean {
    if (!this.#isOpen || this.#schedule.depth === 0) return false;
    if (this.#careful.size > 0 && this.#jobs.size > 0) return false;
    return this.#accepting.mayBegin(this.running, this.#schedule.slots);
  }

  resize(analysesMax: number): void {
    this.#schedule.resize(analysesMax);
    this.pump();
  }

  /** Stops the work of a cancelled record, whose state is written already. */
  abort(analysisId: string): void {
    this.#jobs.get(analysisId)?.controller.abort('cancelled' satisfies AbortCause);
    this.#suspected.get(analysisId)?.cancel();
    this.#suspected.delete(analysisId);
    if (!this.#jobs.has(analysisId)) this.#careful.delete(analysisId);
    if (this.#schedule.remove(analysisId)) this.#parts.queueChanged(this.depth, this.running);
  }

  /** Takes no more work, lets running work end until the time is up, then requeues it. */
  async drain(timeoutMs: number): Promise<void> {
    this.#isOpen = false;
    this.#stopped.abort();
    for (const alarm of this.#suspected.values()) alarm.cancel();
    this.#accepting.close();
    await this.#settle(timeoutMs);
    for (const { controller } of this.#jobs.values()) controller.abort('drained' satisfies AbortCause);
    await this.#settle(ABORT_WAIT_MS);
  }

  async #settle(timeoutMs: number): Promise<void> {
    if (this.#jobs.size === 0) return;
    const timer = new AbortController();
    const settled = Promise.all(Array.from(this.#jobs.values(), (job) => job.settled));
    await Promise.race([settled, pause(this.#parts.clock, timeoutMs, timer.signal)]);
    timer.abort();
  }

  #start(turn: Turn): void {
    const slots = new Set(Array.from(this.#jobs.values(), ({ slot }) => slot));
    let slot = 0;
    while (slots.has(slot)) slot += 1;
    const controller = new AbortController();
    const job: Job = { slot, turn, controller, ...NOTHING_YET, settled: Promise.resolve() };
    this.#jobs.set(turn.id, job);
    job.settled = this.#work(turn.id, job);
  }

  /** Never rejects. */
  async #work(id: string, job: Job): Promise<void> {
    let isToRepeat = false;
    try {
      isToRepeat = await this.#runOnce(id, job);
    } catch (error) {
      // Only the store fails here: nothing can be written, so the analysis stays as it is and is claimed anew.
      this.#parts.log.error({ err: error, analysis: id }, 'the store failed under an analysis');
      // A damaged one would fail forever, in a slot that others wait for.
      isToRepeat = !(error instanceof AppError && error.reason === 'damaged');
      if (isToRepeat) await pause(this.#parts.clock, WAIT_PAUSE_MS, this.#stopped.signal);
    }
    this.#jobs.delete(id);
    this.#schedule.release(id);
    if (isToRepeat) this.#schedule.add(job.turn);
    else this.#careful.delete(id);
    this.pump();
    this.#parts.changed(id);
  }

  /** Returns whether the analysis is in the queue again. */
  async #runOnce(id: string, job: Job): Promise<boolean> {
    const { store, clock, bootId } = this.#parts;
    const leased = await store.transact((tx) =>
      claim(tx, id, { slot: job.slot, startedAt: clock.now(), bootId }),
    );
    if (leased === undefined) return false;
    this.#parts.changed(id);
    const { end: outcome, settled } = await attempt(this.#config, this.#parts, { analysis: leased, job });
    if (outcome.type === 'done') await adopt(store, leased, outcome.result);
    const storedAt = clock.elapsedMs();
    const written = await this.#store(id, outcome, settled);
    this.#parts.stored(leased, (clock.elapsedMs() - storedAt) / 1000);
    if (written === undefined) {
      await store.artifacts.removeAll(id);
      return false;
    }
    // Frames of a failed attempt belong to no record, and an addition has handed over its own.
    const isSpent = outcome.type === 'errored' || (outcome.type === 'done' && leased.addsTo !== undefined);
    if (isSpent) await store.artifacts.removeAll(id);
    if (outcome.type !== 'requeued') {
      this.#parts.ended(written);
      return false;
    }
    Object.assign(job, NOTHING_YET);
    this.#parts.changed(id);
    await pause(clock, outcome.pauseMs, AbortSignal.any([this.#stopped.signal, job.controller.signal]));
    return true;
  }

  async #store(
    id: string,
    outcome: AttemptEnd,
    settled: Execution['settled'],
  ): Promise<Analysis | undefined> {
    const { store, clock } = this.#parts;
    let isStored = false;
    try {
      const written = await store.transact((tx) => {
        // While there are suspects, nothing runs beside anything.
        if (outcome.type === 'done') markHealthy(tx, this.#careful.difference(new Set([id])));
        return write(tx, id, outcome, clock.now());
      });
      isStored = true;
      return written;
    } finally {
      settled(isStored);
    }
  }
}

/** Puts an addition's files where its target's readers look for them, before its result names it. */
async function adopt(
  { read, artifacts }: Store,
  { id, addsTo }: Analysis,
  result: CheckedResult,
): Promise<void> {
  if (addsTo === undefined || !fitsTo(read.analyses.get(addsTo.analysisId), result)) return;
  await artifacts.adopt(id, addsTo.analysisId);
}

/** No one else runs it, so this lease was lost when the store failed; it costs no attempt. */
function claim(tx: StoreTransaction, id: string, lease: Lease): Analysis | undefined {
  requeueAnalysis(tx, id, { isCounted: false });
  return leaseAnalysis(tx, id, lease);
}

function write(tx: StoreTransaction, id: string, outcome: AttemptEnd, now: number): Analysis | undefined {
  switch (outcome.type) {
    case 'done':
      return completeAnalysis(tx, id, outcome, now);
    case 'errored':
      return failAnalysis(tx, id, outcome, now);
    case 'requeued':
      return requeueAnalysis(tx, id, outcome);
    case 'left':
      return undefined;
  }
}
