/** Reports progress to the daemon: real shares of the work, in few messages. */
import type { ProgressStep } from '../../domain/records/progress-steps.ts';

export type ReportStep = (step: ProgressStep, done: number, total: number) => void;

/** A person's eye follows no faster. */
const INTERVAL_MS = 250;

/** Reports whole seconds of sound; if the length is unknown, the total is what is done. */
export function secondsReporter(
  report: ReportStep,
  step: ProgressStep,
  totalSeconds: number | null,
): (seconds: number) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (seconds) => {
    const now = performance.now();
    if (now - last < INTERVAL_MS) return;
    last = now;
    const done = Math.floor(seconds);
    report(step, done, Math.max(done, Math.ceil(totalSeconds ?? done)));
  };
}
