/** What the engine reports of analyses and of the processes that carry them out. */
import type { Analysis } from '../../domain/records/classification.ts';
import type { VideoDecoder } from '../../worker/protocol/decoded-media.ts';

/** For metrics; must not throw. */
export interface EngineObserver {
  analysisEnded(analysis: Analysis): void;
  /** `analysis`: what it was a step of; absent for what belongs to none. */
  stepTimed(step: string, seconds: number, analysis?: Analysis): void;
  workerDied(worker: 'decode' | 'inference', message: string): void;
  queueChanged(depth: number, running: number): void;
  /** A video's pictures were decoded, by what was wanted or by something else. */
  videoDecoded(wanted: VideoDecoder, used: VideoDecoder): void;
}
