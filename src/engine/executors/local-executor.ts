/** The engine's view of its own box: decoders, packs, and analyses made with them. */
import type { DecodePool } from '../decode/decode-pool.ts';
import type { VideoDecoding } from '../decode/video-decoding.ts';
import type { InferencePool, InferencePoolConfig } from '../inference/inference-pool.ts';
import type { PackShelf } from '../packs/pack-shelf.ts';
import type { Executor } from './executor.ts';

export interface LocalExecutor extends Executor, AsyncDisposable {
  readonly shelf: Pick<
    PackShelf,
    'usable' | 'installed' | 'find' | 'digestsOf' | 'status' | 'describeCpuFallback' | 'describeEmptiness'
  >;
  readonly decodePool: Pick<DecodePool, 'run' | 'isolation' | 'pids'>;
  readonly videoDecoding: Pick<VideoDecoding, 'description' | 'notReadyReason'>;
  readonly inferenceConfig: InferencePoolConfig;
  /** Null before there are packs to load. */
  readonly inference: InferencePool | null;
  start(): Promise<void>;
  loadPacks(): Promise<void>;
  reloadPacks(): Promise<void>;
}
