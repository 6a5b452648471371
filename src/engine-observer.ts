/** What the engine reports of its work, as figures and traces. */

import type { Analysis } from './domain/records/classification.ts';
import { assessmentState } from './domain/verdicts/assessment.ts';
import type { EngineObserver } from './engine/executors/engine-observer.ts';
import type { Metrics } from './machinery/metrics.ts';
import type { Tracing } from './machinery/tracing.ts';
import type { Store } from './store/store.ts';

interface ObserverParts {
  metrics: Metrics;
  tracing: Tracing | null;
  read: Store['read'];
}

/** `ended` is called with each analysis that has ended, before anything else. */
export function observe(
  { metrics, tracing, read }: ObserverParts,
  ended: EngineObserver['analysisEnded'],
): EngineObserver {
  /** The trace of an analysis is that of the first record that it is for. */
  const identifierOf = ({ id }: Analysis) => read.classificationsOfAnalysis(id)[0]?.identifier;
  return {
    analysisEnded(analysis) {
      ended(analysis);
      metrics.analyses.inc({ kind: analysis.kind, state: analysis.state });
      const state = analysis.result === null ? null : assessmentState(analysis.result);
      if (state !== null) metrics.verdicts.inc({ kind: analysis.kind, state });
      const identifier = tracing === null ? undefined : identifierOf(analysis);
      if (identifier !== undefined) tracing?.ended(identifier, analysis);
    },
    stepTimed(step, seconds, analysis) {
      metrics.stepSeconds.observe({ step }, seconds);
      if (tracing === null || analysis === undefined) return;
      const identifier = identifierOf(analysis);
      if (identifier !== undefined) tracing.stepped(identifier, analysis.id, step, seconds);
    },
    workerDied(worker) {
      metrics.workerDeaths.inc({ worker });
    },
    videoDecoded(wanted, used) {
      metrics.videoDecoders.inc({ wanted, used });
    },
    queueChanged(depth, running) {
      metrics.queueDepth.set(depth);
      metrics.running.set(running);
    },
  };
}
