/** What happens to worker processes, as log lines and figures. */
import type { Logger } from 'pino';
import type { DecodePoolObserver } from '../decode/decode-pool.ts';
import type { InferenceObserver } from '../inference/inference-process.ts';
import type { EngineObserver } from './engine-observer.ts';

/** As ONNX Runtime begins what it says of severity E. */
const RUNTIME_ERROR = /\[E:onnxruntime:/;

interface ObserverParts {
  log: Logger;
  observer: EngineObserver;
}

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
  /** What runs where may have changed. */
  changed: () => void,
): InferenceObserver {
  return {
    childReady(pid, reports, startMs) {
      // How far the golden outputs are off is said; they themselves are hundreds of figures.
      const packs = reports.map(({ goldenOutputs: _, ...report }) => report);
      log.info({ workerPid: pid, startMs: Math.round(startMs), packs }, 'models loaded');
      changed();
    },
    childLost(pid, error, restartMs) {
      if (error.loss === 'stopped') return;
      changed();
      log.error({ workerPid: pid, loss: error.loss, restartMs }, error.message);
      observer.workerDied('inference', error.message);
    },
    // If a provider cannot be loaded, only the runtime's own words name the library that is missing.
    childSaid: (line) => log[RUNTIME_ERROR.test(line) ? 'warn' : 'debug']({ worker: 'inference' }, line),
  };
}
