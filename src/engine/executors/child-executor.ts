/** The children of one box that decode and judge, with their packs, and the analyses made by them. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { VideoDecoderChoice } from '../../worker/protocol/decode-protocol.ts';
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';
import type { AnalysisFiles, AnalysisParts, Attempt } from '../analyses/analysis-parts.ts';
import { timeParts } from '../analyses/timed-parts.ts';
import {
  DECODE_POOL_DEFAULTS,
  DecodePool,
  type DecodePoolConfig,
  type DecodePoolObserver,
} from '../decode/decode-pool.ts';
import { VideoDecoding } from '../decode/video-decoding.ts';
import { CheckMemory } from '../inference/check-memory.ts';
import {
  INFERENCE_POOL_DEFAULTS,
  InferencePool,
  type InferencePoolConfig,
} from '../inference/inference-pool.ts';
import type { InferenceObserver } from '../inference/inference-process.ts';
import { PackShelf } from '../packs/pack-shelf.ts';
import { analyse } from './analyse.ts';
import type { EngineObserver } from './engine-observer.ts';
import type { Execution } from './executor.ts';
import type { LocalExecutor } from './local-executor.ts';
import { type Note, noteChildren } from './noted-children.ts';

/** Configuration that this box and a worker share. */
export interface ExecutorConfig {
  /** The slots' `jobs/` lies in it: hard links need the same disk as the media. */
  dataFolder: string;
  decode: Partial<Omit<DecodePoolConfig, 'dataFolder' | 'jobsFolder' | 'diskFreeBytesMin' | 'isolation'>>;
  inference: Partial<InferencePoolConfig>;
  /** Folders whose sub-folders are packs; one that does not exist holds none. */
  modelFolders: readonly string[];
  /** The present trust lists, which administrators change while the daemon runs. */
  trust: () => TrustMaterial;
  /** Deadline of one attempt, including its wait for a slot and for the models. */
  analysisTimeoutMs: number;
  /** Analyses in work at once on this box; 0 if workers on others carry out all. */
  analysesMax: number;
  /** Whether each picture is measured again on a recompressed and a scaled copy. */
  stability: boolean;
  isolation: DecodePoolConfig['isolation'];
  videoDecoder: VideoDecoderChoice;
}

export interface ChildExecutorConfig extends ExecutorConfig {
  diskFreeBytesMin: number;
  /** All of a worker's packs must have given their golden outputs before it gets work. */
  checksAllPacksAtOnce: boolean;
}

export interface ChildExecutorParts {
  log: Logger;
  observer: EngineObserver;
  /** Called when packs or their providers may have changed. */
  changed: () => void;
}

const CHECKS_FILE = 'model-checks.json';

export class ChildExecutor implements LocalExecutor {
  readonly #config: ChildExecutorConfig;
  readonly #parts: ChildExecutorParts;
  readonly shelf: PackShelf;
  readonly decodePool: DecodePool;
  readonly videoDecoding: VideoDecoding;
  readonly inferenceConfig: InferencePoolConfig;
  readonly isElsewhere = false;
  #inference: InferencePool | null = null;
  #checks: CheckMemory | null = null;
  #isClosing = false;

  constructor(config: ChildExecutorConfig, parts: ChildExecutorParts) {
    this.#config = config;
    this.#parts = parts;
    this.shelf = new PackShelf(config.checksAllPacksAtOnce);
    const { decode, dataFolder, isolation, videoDecoder, diskFreeBytesMin } = config;
    this.videoDecoding = new VideoDecoding(videoDecoder);
    this.inferenceConfig = { ...INFERENCE_POOL_DEFAULTS, ...config.inference };
    this.decodePool = new DecodePool(
      {
        ...DECODE_POOL_DEFAULTS,
        ...decode,
        isolation,
        usesGpu: videoDecoder !== 'cpu',
        dataFolder,
        jobsFolder: join(dataFolder, 'jobs'),
        diskFreeBytesMin,
      },
      decodeObserver(parts),
    );
  }

  get slots(): number {
    return this.#config.analysesMax;
  }

  waitReason(): null {
    return null;
  }

  get inference(): InferencePool | null {
    return this.#inference;
  }

  /** Reads the packs and begins with decoders and models; `loadPacks` follows. Throws if the box must not serve. */
  async start(): Promise<void> {
    // Isolation is tried in other processes while this one hashes the packs, and the models need not wait for it.
    const reading = Promise.all([this.shelf.read(this.#config.modelFolders), this.#openChecks()]);
    await Promise.all([reading.then(() => this.#beginLoading()), this.decodePool.start()]);
    await this.videoDecoding.look(this.decodePool, this.#parts.log);
  }

  /** Resolves once the models that `start` found are up. */
  async loadPacks(): Promise<void> {
    if (this.#inference === null) return;
    this.shelf.applyReports(await this.#inference.ready());
  }

  /** Starts nothing without slots of its own, nor once a stop has begun, since nothing would end the process. */
  #beginLoading(): void {
    if (this.#isClosing) return;
    const packs = this.shelf.toLoad();
    if (packs.length > 0 && this.#config.analysesMax > 0) this.#inference = this.#openInference(packs);
  }

  async reloadPacks(): Promise<void> {
    const { modelFolders } = this.#config;
    await this.shelf.readAgain(modelFolders, async (packs) => {
      if (this.#inference !== null) return await this.#inference.load(packs);
      this.#inference = this.#openInference(packs);
      return await this.#inference.ready();
    });
  }

  /** `note` gets each child's answers. */
  async execute(attempt: Attempt, files: AnalysisFiles, note?: (note: Note) => void): Promise<Execution> {
    const { stability, analysisTimeoutMs } = this.#config;
    const { observer } = this.#parts;
    const inference = this.#inference;
    if (inference === null) throw new AppError('starting', 'the models are not loaded');
    const { stepTimed } = attempt;
    const children = timeParts({ decodePool: this.decodePool, inference }, stepTimed);
    const parts: AnalysisParts = {
      store: files,
      stability,
      stepTimed,
      trust: this.#config.trust(),
      findPack: (key) => this.shelf.find(key),
      videoDecoder: this.videoDecoding.decoder,
      ...(note === undefined ? children : noteChildren(children, note)),
      inferTimeoutMs: analysisTimeoutMs / 2,
      decodeTimeoutMs: analysisTimeoutMs,
      videoDecoded: (used) => observer.videoDecoded(this.videoDecoding.wanted, used),
    };
    return { result: await analyse(parts, attempt), settled: () => {} };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.decodePool[Symbol.asyncDispose]();
    await this.#inference?.[Symbol.asyncDispose]();
    await this.#checks?.settled();
  }

  /** A worker shows its golden outputs to the daemon at every start. */
  async #openChecks(): Promise<void> {
    if (this.#config.checksAllPacksAtOnce) return;
    this.#checks = await CheckMemory.open(join(this.#config.dataFolder, 'cache', CHECKS_FILE), (error) =>
      this.#parts.log.warn({ err: error }, 'what is known of the models of this box could not be kept'),
    );
  }

  #openInference(packs: readonly LoadedPack[]): InferencePool {
    const watcher = inferenceObserver(this.#parts, () => {
      const reports: readonly PackReport[] | null | undefined = this.#inference?.reports;
      if (!reports) return;
      this.shelf.applyReports(reports);
      this.#parts.changed();
    });
    return new InferencePool(this.inferenceConfig, packs, watcher, this.#checks);
  }
}

/** The beginning of ONNX Runtime's messages of severity E. */
const RUNTIME_ERROR = /\[E:onnxruntime:/;

interface ObserverParts {
  log: Logger;
  observer: EngineObserver;
}

function decodeObserver({ log, observer }: ObserverParts): DecodePoolObserver {
  return {
    childStarted: (pid, startMs) =>
      log.debug({ workerPid: pid, startMs: Math.round(startMs) }, 'decoder started'),
    childLost(pid, error) {
      // We stopped it ourselves: the work was cancelled.
      if (error.loss === 'stopped') return;
      log.warn({ workerPid: pid, loss: error.loss }, error.message);
      observer.workerDied('decode', error.message);
    },
    childSaid: (line) => log.debug({ worker: 'decode' }, line),
  };
}

function inferenceObserver({ log, observer }: ObserverParts, changed: () => void): InferenceObserver {
  return {
    childReady(pid, reports, startMs) {
      // Logs the difference of the golden outputs without these hundreds of figures.
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
    // If a provider cannot be loaded, only the runtime's own message names the missing library.
    childSaid: (line) => log[RUNTIME_ERROR.test(line) ? 'warn' : 'debug']({ worker: 'inference' }, line),
  };
}
