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
  /** After so many dead workers a file is given up. */
  attemptsMax: number;
  /** How long a probe waits for a slot while a caller waits. */
  probeWaitMs: number;
  /** Deadline of a probe in its slot: a hanging child must not keep a caller waiting. */
  probeTimeoutMs: number;
  videoHeightMin: number;
  queueMax: number;
  renditions: RenditionsConfig;
}

export interface EngineParts {
  store: Store;
  clock: Clock;
  /** The kernel's identifier of this boot. */
  bootId: string;
  newIdentifier: () => string;
  log: Logger;
  observer: EngineObserver;
  fetchMedia: FetchMedia;
  fetchManifest: FetchManifest;
  /** The executor of this box; child processes of its own if absent. */
  local?: LocalExecutor;
  /** Workers on other boxes; null if none may come. */
  remote: RemoteExecutor | null;
  /** Describes the pictures that an analysis saw, and finds earlier ones near to them; null if nothing is kept. */
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
  /** Keys of the packs in memory; others are brought up at their next request. */
  resident: ReadonlySet<string>;
}
