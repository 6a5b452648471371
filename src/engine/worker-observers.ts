/** What happens to worker processes, as log lines and figures. */
import type { PackReport } from '../worker/inference-protocol.ts';
import type { DecodePoolObserver } from './decode-pool.ts';
import type { EngineParts } from './engine-config.ts';
import type { InferenceObserver } from './inference-process.ts';

type ObserverParts = Pick<EngineParts, 'log' | 'observer'>;

export function decodeObserver({ log, observer }: ObserverParts): DecodePoolObserver {
  return {
    childStarted: (pid, startMs) =>
      log.debug({ workerPid: pid, startMs: Math.round(startMs) }, 'decoder started'),
    childLost(pid, error) {
      // Stopped by ourselves: the work was cancelled.
      if (error.loss === 'stopped') return;
      log.warn({ workerPid: pid, loss: error.loss }, error.message);
      observer.workerDied('decode', error.message);
    },
    childSaid: (line) => log.debug({ worker: 'decode' }, line),
  };
}

export function inferenceObserver(
  { log, observer }: ObserverParts,
  applyReports: (reports: readonly PackReport[]) => void,
): InferenceObserver {
  return {
    childReady(pid, reports, startMs) {
      log.info({ workerPid: pid, startMs: Math.round(startMs), packs: reports }, 'models loaded');
      applyReports(reports);
    },
    childLost(pid, error, restartMs) {
      if (error.loss === 'stopped') return;
      log.error({ workerPid: pid, loss: error.loss, restartMs }, error.message);
      observer.workerDied('inference', error.message);
    },
    childSaid: (line) => log.debug({ worker: 'inference' }, line),
  };
}
