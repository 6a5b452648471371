/** What the engine is made of and reports of itself. */
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import type { TrustMaterial } from '../domain/provenance/trust-list.ts';
import type { Analysis } from '../domain/records/classification.ts';
import type { Store } from '../store/store.ts';
import type { VideoDecoder, VideoDecoderChoice } from '../worker/protocol/decode-protocol.ts';
import type { FoundLikenesses, SeenLikeness } from './analyses/analysis-parts.ts';
import type { FetchManifest } from './analyses/outer-manifest.ts';
import type { FetchMedia } from './analyses/source.ts';
import type { DecodePoolConfig } from './decode/decode-pool.ts';
import type { IsolationLevel } from './decode/isolation.ts';
import type { RenditionsConfig } from './decode/rendition-maker.ts';
import type { LocalExecutor } from './executors/local-executor.ts';
import type { InferencePoolConfig } from './inference/inference-pool.ts';
import type { PackStatus } from './packs/pack-status.ts';
import type { RemoteExecutor } from './remote/remote-executor.ts';

export interface EngineConfig {
  /** Slots work below it, in `jobs/`: hard links need the same disk as the media. */
  dataFolder: string;
  decode: Partial<Omit<DecodePoolConfig, 'dataFolder' | 'jobsFolder' | 'diskFreeBytesMin' | 'isolation'>>;
  inference: Partial<InferencePoolConfig>;
  /** With `gpu`, nothing is analysed while a model runs on the CPU. */
  acceleratorRequire: 'any' | 'gpu' | 'cpu';
  /** Folders whose sub-folders are packs; one that does not exist holds none. */
  modelFolders: readonly string[];
  /** The trust lists of now: administrators change them while the daemon runs. */
  trust: () => TrustMaterial;
  /** A file that ends its worker so often is given up. */
  attemptsMax: number;
  /** Deadline of one attempt, with its wait for a slot and for the models. */
  analysisTimeoutMs: number;
  /** How long a probe waits for a slot: somebody waits for its answer. */
  probeWaitMs: number;
  /** Deadline of a probe once it has its slot: a child that hangs must not keep a caller waiting. */
  probeTimeoutMs: number;
  /** Pixels that a video's height must reach. */
  videoHeightMin: number;
  /** Analyses that may wait. */
  queueMax: number;
  /** Analyses in work at once on this box; 0 where workers on others carry out all. */
  analysesMax: number;
  /** Whether each picture is measured again on a recompressed and a scaled copy. */
  stability: boolean;
  renditions: RenditionsConfig;
  isolation: DecodePoolConfig['isolation'];
  videoDecoder: VideoDecoderChoice;
}

/** For metrics; must not throw. */
export interface EngineObserver {
  analysisEnded(analysis: Analysis): void;
  /** `analysis`: what it was a step of; absent for what belongs to none. */
  stepTimed(step: string, seconds: number, analysis?: Analysis): void;
  workerDied(worker: 'decode' | 'inference', message: string): void;
  queueChanged(depth: number, running: number): void;
  /** A video's pictures were decoded, by what was wanted or by something else. */
  videoDecoded(wanted: VideoDecoder, used: VideoDecoder): void;
  batch(model: string, size: number): void;
}

export interface EngineParts {
  store: Store;
  clock: Clock;
  /** The kernel's name of this boot. */
  bootId: string;
  newIdentifier: () => string;
  log: Logger;
  observer: EngineObserver;
  fetchMedia: FetchMedia;
  fetchManifest: FetchManifest;
  /** Where this box works; child processes of its own where it is absent. */
  local?: LocalExecutor;
  /** Workers on other boxes; null where none may come. */
  remote: RemoteExecutor | null;
  /** What is kept of the pictures that an analysis saw, and which earlier ones are near; null where nothing is. */
  lookForCopies: (analysis: Analysis, seen: readonly SeenLikeness[]) => Promise<FoundLikenesses | null>;
}

export type EnginePhase = 'starting' | 'ready' | 'failed' | 'draining';

export interface EngineStatus {
  phase: EnginePhase;
  /** Null before the decoders have started. */
  isolation: IsolationLevel | null;
  /** `cpu`, `nvdec`, or `cpu: ` with the reason why it is not the GPU. */
  videoDecoder: string;
  queueDepth: number;
  running: number;
  decodePids: number[];
  inferencePids: number[];
  /** Every pack that was found, also those that are not used. */
  packs: PackStatus[];
  /** Keys of the packs that are in memory; the others are brought up when they are asked. */
  resident: ReadonlySet<string>;
}
