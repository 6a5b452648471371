/**
 * Runs queued analyses: claims one, tries it within its deadline, and writes down how it ended. Every change of
 * state is a transaction of its own, so that a kill at any instant leaves either the old state or the new.
 */
import type { Logger } from 'pino';
import { type Alarm, type Clock, deadline, pause } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Analysis, Lease, Progress } from '../../domain/records/classification.ts';
import { StepTimes } from '../../domain/records/step-times.ts';
import { TRANSCRIPT_TIMEOUTS } from '../../domain/transcripts/transcript.ts';
import { type CheckedResult, checkResult } from '../../domain/verdicts/result.ts';
import { type Findings, NO_FINDINGS } from '../../domain/verdicts/tentative.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AttemptReports, FoundLikenesses, SeenLikeness } from '../analyses/analysis-parts.ts';
import { failureOf, giveUpSentence } from '../children/engine-errors.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { Execution } from '../executors/executor.ts';
import { markHealthy } from '../queue/recovery.ts';
import { Schedule, type Turn } from '../queue/schedule.ts';
import {
  type CompletedWork,
  completeAnalysis,
  failAnalysis,
  leaseAnalysis,
  requeueAnalysis,
} from '../queue/transitions.ts';
import { AcceptingPlaces } from './accepting-places.ts';

export interface RunnerConfig {
  attemptsMax: number;
  analysisTimeoutMs: number;
  analysesMax: number;
}

export interface RunnerParts {
  store: Store;
  clock: Clock;
  bootId: string;
  log: Logger;
  /** Undefined if the analysis was cancelled under way. */
  execute: (
    analysis: Analysis,
    reports: AttemptReports,
    signal: AbortSignal,
  ) => Promise<Execution | undefined>;
  /** SHA-256 of the files of these packs, by key. */
  digestsOf: (models: readonly string[]) => Readonly<Record<string, string>>;
  /** Off the request path; null if nothing is to be kept. */
  lookForCopies: (analysis: Analysis, seen: readonly SeenLikeness[]) => Promise<FoundLikenesses | null>;
  /** Puts what was made for another analysis where its readers look for it, before its result names it. */
  adding: (analysis: Analysis, result: CheckedResult) => Promise<void>;
  /** The state or the progress of an analysis changed. */
  changed: (analysisId: string) => void;
  ended: (analysis: Analysis) => void;
  /** How an attempt ended was written down and flushed. */
  stored: (analysis: Analysis, seconds: number) => void;
  queueChanged: (depth: number, running: number) => void;
}

type AttemptEnd =
  | ({ type: 'done' } & CompletedWork)
  | { type: 'errored'; error: string; isQuarantined?: boolean }
  | { type: 'requeued'; isCounted: boolean; pauseMs: number }
  | { type: 'left' };

interface Attempted {
  end: AttemptEnd;
  settled: Execution['settled'];
}

interface Job {
  slot: number;
  turn: Turn;
  controller: AbortController;
  progress: Progress | null;
  findings: Findings;
  settled: Promise<void>;
}

const NOTHING_YET = { progress: null, findings: NO_FINDINGS } as const;

type AbortCause = 'cancelled' | 'drained';

/** What waits for the box (a full disk, a busy pool, a failing store) must not be asked in a tight loop. */
const WAIT_PAUSE_MS = 2000;
/** After a worker's death, so that a box in trouble gets its breath. */
const RETRY_PAUSE_MS = 200;
/**
 * A suspected file begins only if the daemon has lived so long: a file that kills the daemon every few seconds never
 * meets it again, and it is done when that stops; a file that kills is found out all the same.
 */
const SUSPECT_WAIT_MS = 10_000;
/** Aborted work ends at once; what does not is left to the next start. */
const ABORT_WAIT_MS = 5000;

export class AnalysisRunner {
  readonly #config: RunnerConfig;
  readonly #parts: RunnerParts;
  readonly #schedule: Schedule;
  readonly #accepting: AcceptingPlaces;
  readonly #jobs = new Map<string, Job>();
  readonly #stopped = new AbortController();
  /** Cut off by the last daemon's death, or suspected of it: until they have ended one analysis runs at a time. */
  readonly #careful = new Set<string>();
  /** Suspected, and not in the row yet. */
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

  /** Begins to take work. */
  open(): void {
    this.#isOpen = true;
    this.pump();
  }

  /** Begins nothing until it is opened again; what runs goes on. */
  close(): void {
    this.#isOpen = false;
  }

  add({ id, accountId, priority = 'interactive' }: Pick<Analysis, 'id' | 'accountId' | 'priority'>): void {
    this.#schedule.add({ id, accountId, priority });
  }

  /** What a start has found, in the order of the row. */
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

  /** Somebody waits for it now, if no one did. */
  promote(analysisId: string): void {
    this.#schedule.promote(analysisId);
  }

  /** A file is being accepted: until this is disposed analyses leave it a place. */
  accept(): Disposable {
    return this.#accepting.enter();
  }

  /** Starts what may be started. */
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

  /** There are more or fewer places where analyses are carried out. */
  resize(analysesMax: number): void {
    this.#schedule.resize(analysesMax);
    this.pump();
  }

  /** Stops work whose record was cancelled; its state is written already. */
  abort(analysisId: string): void {
    this.#jobs.get(analysisId)?.controller.abort('cancelled' satisfies AbortCause);
    this.#suspected.get(analysisId)?.cancel();
    this.#suspected.delete(analysisId);
    if (!this.#jobs.has(analysisId)) this.#careful.delete(analysisId);
    if (this.#schedule.remove(analysisId)) this.#parts.queueChanged(this.depth, this.running);
  }

  /** Takes no more work, lets the running end until the time is up, then puts it back into the queue. */
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
      // Only the store fails here: nothing can be written down, so the analysis stays as it is and is claimed anew.
      this.#parts.log.error({ err: error, analysis: id }, 'the store failed under an analysis');
      // A damaged one would fail forever, in a place that others wait for.
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

  /** Whether the analysis is in the queue again. */
  async #runOnce(id: string, job: Job): Promise<boolean> {
    const { store, clock, bootId } = this.#parts;
    const leased = await store.transact((tx) =>
      claim(tx, id, { slot: job.slot, startedAt: clock.now(), bootId }),
    );
    if (leased === undefined) return false;
    this.#parts.changed(id);
    const { end: outcome, settled } = await this.#attempt(leased, job);
    if (outcome.type === 'done') await this.#parts.adding(leased, outcome.result);
    const storedAt = clock.elapsedMs();
    const written = await this.#store(id, outcome, settled);
    this.#parts.stored(leased, (clock.elapsedMs() - storedAt) / 1000);
    if (written === undefined) {
      await store.artifacts.removeAll(id);
      return false;
    }
    // Frames of an attempt that failed belong to no record, and what adds to a result has given up its own.
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

  async #attempt(analysis: Analysis, job: Job): Promise<Attempted> {
    const timeoutMs = this.#timeoutOf(analysis);
    using time = deadline(this.#parts.clock, timeoutMs);
    const signal = AbortSignal.any([job.controller.signal, time.signal]);
    const steps = new StepTimes();
    const stepTimed = (step: string, seconds: number) => steps.add(step, seconds);
    const report = (progress: Progress) => {
      job.progress = progress;
      this.#parts.changed(analysis.id);
    };
    const found = (findings: Findings) => {
      job.findings = findings;
    };
    const likenesses: SeenLikeness[] = [];
    const seen = (likeness: SeenLikeness) => likenesses.push(likeness);
    let settled: Execution['settled'] = () => {};
    try {
      const execution = await this.#parts.execute(analysis, { report, found, seen, stepTimed }, signal);
      if (execution === undefined) return { end: { type: 'left' }, settled };
      settled = execution.settled;
      const result = checkResult(execution.result);
      const copies = await this.#lookForCopies(analysis, likenesses);
      const modelDigests = this.#parts.digestsOf(analysis.models);
      return { end: { type: 'done', result, stepTimes: steps.toList(), modelDigests, copies }, settled };
    } catch (error) {
      const cause: AbortCause | undefined = job.controller.signal.reason;
      if (cause === 'cancelled') return { end: { type: 'left' }, settled };
      if (cause === 'drained') return { end: { type: 'requeued', isCounted: false, pauseMs: 0 }, settled };
      return { end: this.#endOf(analysis, error, time.signal.aborted), settled };
    }
  }

  /** A result without them is still a result. */
  async #lookForCopies(analysis: Analysis, seen: readonly SeenLikeness[]): Promise<FoundLikenesses | null> {
    try {
      return await this.#parts.lookForCopies(analysis, seen);
    } catch (error) {
      this.#parts.log.warn({ err: error, analysis: analysis.id }, 'earlier copies could not be looked for');
      return null;
    }
  }

  /** Writing down hours of speech takes longer than judging it. */
  #timeoutOf({ options }: Pick<Analysis, 'options'>): number {
    const { analysisTimeoutMs } = this.#config;
    return options.withTranscript ? analysisTimeoutMs * TRANSCRIPT_TIMEOUTS : analysisTimeoutMs;
  }

  #endOf(analysis: Analysis, error: unknown, isOverdue: boolean): AttemptEnd {
    const { id, attempts } = analysis;
    const { attemptsMax } = this.#config;
    const timeoutMs = this.#timeoutOf(analysis);
    const failure = failureOf(error, { isOverdue, timeoutMs });
    if (failure.type === 'final') return { type: 'errored', error: failure.sentence };
    this.#parts.log.warn({ err: error, analysis: id, attempts }, 'an attempt at an analysis failed');
    if (failure.type === 'wait') return { type: 'requeued', isCounted: false, pauseMs: WAIT_PAUSE_MS };
    if (attempts < attemptsMax) return { type: 'requeued', isCounted: true, pauseMs: RETRY_PAUSE_MS };
    const isQuarantined = isOverdue || error instanceof WorkerLostError;
    return { type: 'errored', error: giveUpSentence(attempts, failure.sentence), isQuarantined };
  }
}

/** No one else runs it, so a lease that is found here was lost when the store failed; it costs no attempt. */
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
