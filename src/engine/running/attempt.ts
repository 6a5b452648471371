/** One try of an analysis within its deadline, and the consequence of its end; nothing is written here. */
import type { Logger } from 'pino';
import { type Clock, deadline } from '../../domain/clock.ts';
import type { Analysis, Progress } from '../../domain/records/classification.ts';
import { StepTimes } from '../../domain/records/step-times.ts';
import { TRANSCRIPT_TIMEOUTS } from '../../domain/transcripts/transcript.ts';
import { checkResult } from '../../domain/verdicts/result.ts';
import type { Findings } from '../../domain/verdicts/tentative.ts';
import type { AttemptReports, FoundLikenesses, SeenLikeness } from '../analyses/analysis-parts.ts';
import { failureOf, giveUpSentence } from '../children/engine-errors.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { Execution } from '../executors/executor.ts';
import type { CompletedWork } from '../queue/transitions.ts';

export interface AttemptConfig {
  /** Counted tries until a file is given up. */
  attemptsMax: number;
  analysisTimeoutMs: number;
}

export interface AttemptParts {
  clock: Clock;
  log: Logger;
  /** Undefined if the analysis was cancelled meanwhile. */
  execute: (
    analysis: Analysis,
    reports: AttemptReports,
    signal: AbortSignal,
  ) => Promise<Execution | undefined>;
  digestsOf: (models: readonly string[]) => Readonly<Record<string, string>>;
  /** Runs outside of requests; null if nothing is kept. */
  lookForCopies: (analysis: Analysis, seen: readonly SeenLikeness[]) => Promise<FoundLikenesses | null>;
  /** Called when the state or the progress of an analysis changed. */
  changed: (analysisId: string) => void;
}

/** The visible state of a running attempt; `controller` aborts it with an AbortCause. */
export interface AttemptJob {
  readonly controller: AbortController;
  progress: Progress | null;
  findings: Findings;
}

export type AbortCause = 'cancelled' | 'drained';

export type AttemptEnd =
  | ({ type: 'done' } & CompletedWork)
  | { type: 'errored'; error: string; isQuarantined?: boolean }
  | { type: 'requeued'; isCounted: boolean; pauseMs: number }
  | { type: 'left' };

/** Pause before work that waits for the box (a full disk, a busy pool, a failing store) is retried. */
export const WAIT_PAUSE_MS = 2000;
/** Pause after a worker's death, so that a struggling box recovers. */
const RETRY_PAUSE_MS = 200;

/** Never rejects. Call `settled` with whether the end was written. */
export async function attempt(
  config: AttemptConfig,
  parts: AttemptParts,
  { analysis, job }: { analysis: Analysis; job: AttemptJob },
): Promise<{ end: AttemptEnd; settled: Execution['settled'] }> {
  using time = deadline(parts.clock, timeoutOf(config, analysis));
  const signal = AbortSignal.any([job.controller.signal, time.signal]);
  const steps = new StepTimes();
  const likenesses: SeenLikeness[] = [];
  const reports: AttemptReports = {
    report: (progress) => {
      job.progress = progress;
      parts.changed(analysis.id);
    },
    found: (findings) => {
      job.findings = findings;
    },
    seen: (likeness) => likenesses.push(likeness),
    stepTimed: (step, seconds) => steps.add(step, seconds),
  };
  let settled: Execution['settled'] = () => {};
  try {
    const execution = await parts.execute(analysis, reports, signal);
    if (execution === undefined) return { end: { type: 'left' }, settled };
    settled = execution.settled;
    const result = checkResult(execution.result);
    const copies = await lookForCopies(parts, analysis, likenesses);
    const modelDigests = parts.digestsOf(analysis.models);
    return { end: { type: 'done', result, stepTimes: steps.toList(), modelDigests, copies }, settled };
  } catch (error) {
    const failed = { analysis, error, isOverdue: time.signal.aborted, cause: job.controller.signal.reason };
    return { end: endOfFailure(config, parts, failed), settled };
  }
}

interface FailedAttempt {
  analysis: Analysis;
  error: unknown;
  isOverdue: boolean;
  /** Undefined if it was not aborted. */
  cause: AbortCause | undefined;
}

function endOfFailure(
  config: AttemptConfig,
  { log }: AttemptParts,
  { analysis, error, isOverdue, cause }: FailedAttempt,
): AttemptEnd {
  if (cause === 'cancelled') return { type: 'left' };
  if (cause === 'drained') return { type: 'requeued', isCounted: false, pauseMs: 0 };
  const failure = failureOf(error, { isOverdue, timeoutMs: timeoutOf(config, analysis) });
  if (failure.type === 'final') return { type: 'errored', error: failure.sentence };
  const { id, attempts } = analysis;
  log.warn({ err: error, analysis: id, attempts }, 'an attempt at an analysis failed');
  if (failure.type === 'wait') return { type: 'requeued', isCounted: false, pauseMs: WAIT_PAUSE_MS };
  if (attempts < config.attemptsMax) return { type: 'requeued', isCounted: true, pauseMs: RETRY_PAUSE_MS };
  const isQuarantined = isOverdue || error instanceof WorkerLostError;
  return { type: 'errored', error: giveUpSentence(attempts, failure.sentence), isQuarantined };
}

/** Failing to find copies does not cost the result. */
async function lookForCopies(
  parts: AttemptParts,
  analysis: Analysis,
  seen: readonly SeenLikeness[],
): Promise<FoundLikenesses | null> {
  try {
    return await parts.lookForCopies(analysis, seen);
  } catch (error) {
    parts.log.warn({ err: error, analysis: analysis.id }, 'earlier copies could not be looked for');
    return null;
  }
}

/** Transcribing hours of speech takes longer than judging it. */
function timeoutOf({ analysisTimeoutMs }: AttemptConfig, { options }: Pick<Analysis, 'options'>): number {
  return options.withTranscript ? analysisTimeoutMs * TRANSCRIPT_TIMEOUTS : analysisTimeoutMs;
}
