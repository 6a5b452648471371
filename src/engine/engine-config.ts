/** What the engine is made of and reports of itself. */
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import type { Analysis } from '../domain/records/classification.ts';
import type { Store } from '../store/store.ts';
import type { FoundLikenesses, SeenLikeness } from './analyses/analysis-parts.ts';
import type { Isolation } from './decode/isolation.ts';
import type { RenditionsConfig } from './decode/rendition-maker.ts';
import type { ExecutorConfig } from './executors/child-executor.ts';
import type { EngineObserver } from './executors/engine-observer.ts';
import type { LocalExecutor } from './executors/local-executor.ts';
import type { PackStatus } from './packs/pack-status.ts';
import type { RemoteExecutor } from './remote/remote-executor.ts';
import type { FetchManifest } from './running/outer-manifest.ts';
import type { FetchMedia } from './running/source.ts';

export interface EngineConfig extends ExecutorConfig {
  /** With `gpu`, nothing is analysed while a model runs on the CPU. */
  acceleratorRequire: 'any' | 'gpu' | 'cpu';
  /** A file that ends its worker so often is given up. */
  attemptsMax: number;
  /** How long a probe waits for a slot: somebody waits for its answer. */
  probeWaitMs: number;
  /** Deadline of a probe once it has its slot: a child that hangs must not keep a caller waiting. */
  probeTimeoutMs: number;
  /** Pixels that a video's height must reach. */
  videoHeightMin: number;
  /** Analyses that may wait. */
  queueMax: number;
  renditions: RenditionsConfig;
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
  /** Where this box works; child processes of its own if it is absent. */
  local?: LocalExecutor;
  /** Workers on other boxes; null if none may come. */
  remote: RemoteExecutor | null;
  /** What is kept of the pictures that an analysis saw, and which earlier ones are near; null if nothing is. */
  lookForCopies: (analysis: Analysis, seen: readonly SeenLikeness[]) => Promise<FoundLikenesses | null>;
}

export type EnginePhase = 'starting' | 'ready' | 'failed' | 'draining';

export interface EngineStatus {
  phase: EnginePhase;
  /** Null before the decoders have started. */
  isolation: Isolation | null;
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
