import type { Analysis } from '../../domain/records/classification.ts';
import type { VideoDecoder } from '../../worker/protocol/decoded-media.ts';

/** For metrics; must not throw. */
export interface EngineObserver {
  analysisEnded(analysis: Analysis): void;
  /** `analysis` is the one that had the step; absent if none did. */
  stepTimed(step: string, seconds: number, analysis?: Analysis): void;
  workerDied(worker: 'decode' | 'inference', message: string): void;
  queueChanged(depth: number, running: number): void;
  videoDecoded(wanted: VideoDecoder, used: VideoDecoder): void;
}
