/** Accepts work in the caller's transaction and has it done in worker processes; alone changes an analysis' state. */

import { join } from 'node:path';
import type { Held } from '../domain/desk.ts';
import { isImagePack, isSpeechPack, packKey } from '../domain/packs/model-pack.ts';
import type { Progress } from '../domain/records/classification.ts';
import type { WaitReason } from '../domain/records/wait-reason.ts';
import type { Findings } from '../domain/verdicts/tentative.ts';
import type { StoreReader } from '../store/reader.ts';
import { FileLooks } from './decode/file-looks.ts';
import { RenditionMaker } from './decode/rendition-maker.ts';
import type { EngineConfig, EngineParts, EnginePhase, EngineStatus } from './engine-config.ts';
import { ChildExecutor } from './executors/child-executor.ts';
import { Executors } from './executors/executors.ts';
import type { LocalExecutor } from './executors/local-executor.ts';
import { PackChanges } from './packs/pack-changes.ts';
import { Feed } from './queue/feed.ts';
import { recoverAnalyses } from './queue/recovery.ts';
import { AnalysisExecutor } from './running/analysis-executor.ts';
import { AnalysisRunner } from './running/analysis-runner.ts';
import { WorkQueue } from './running/work-queue.ts';

export class Engine implements AsyncDisposable {
  readonly #config: EngineConfig;
  readonly #parts: EngineParts;
  readonly shelf: LocalExecutor['shelf'];
  readonly packChanges: PackChanges;
  readonly work: WorkQueue;
  readonly feed: RecordFeed;
  readonly executor: AnalysisExecutor;
  readonly looks: FileLooks;
  readonly renditions: RenditionMaker;
  readonly #local: LocalExecutor;
  readonly #executors: Executors;
  readonly #runner: AnalysisRunner;
  readonly #modelsLoading = Promise.withResolvers<void>();
  #phase: EnginePhase = 'starting';
  #notReadyReason: string | null = 'the models are being loaded';

  constructor(config: EngineConfig, parts: EngineParts) {
    const { store, clock, observer, newIdentifier, log, remote } = parts;
    this.#config = config;
    this.#parts = parts;
    const local =
      parts.local ??
      new ChildExecutor(
        { ...config, diskFreeBytesMin: config.renditions.diskFreeBytesMin, checksAllPacksAtOnce: false },
        { ...parts, changed: () => this.#packsChanged() },
      );
    this.#local = local;
    this.shelf = local.shelf;
    this.looks = new FileLooks(config, { pool: local.decodePool, blobs: store.blobs });
    this.renditions = new RenditionMaker(config.renditions, {
      store,
      log,
      pool: local.decodePool,
      stepTimed: (step, seconds) => observer.stepTimed(step, seconds),
    });
    this.packChanges = new PackChanges({
      folder: join(config.dataFolder, 'models'),
      local,
      reloaded: () => this.#packsChanged(),
    });
    const isWorkingHere = config.analysesMax > 0 || remote === null;
    this.#executors = new Executors(
      [remote, isWorkingHere ? local : null].filter((executor) => executor !== null),
      store.read,
    );
    const { trust, videoHeightMin } = config;
    const executors = this.#executors;
    this.executor = new AnalysisExecutor({ ...parts, trust, videoHeightMin, local, executors });
    this.feed = new RecordFeed(store.read);
    this.#runner = new AnalysisRunner(config, {
      store,
      clock,
      bootId: parts.bootId,
      log,
      execute: (analysis, reports, signal) => this.executor.execute(analysis, reports, signal),
      digestsOf: (models) => local.shelf.digestsOf(models),
      // An addition's pictures are known by the analysis that it adds to.
      lookForCopies: async (analysis, seen) =>
        analysis.addsTo === undefined ? await parts.lookForCopies(analysis, seen) : null,
      changed: (analysisId) => this.feed.publishAnalysis(analysisId),
      ended: (analysis) => {
        observer.analysisEnded(analysis);
        if (analysis.addsTo !== undefined) this.feed.publishAnalysis(analysis.addsTo.analysisId);
      },
      stored: (analysis, seconds) => observer.stepTimed('store', seconds, analysis),
      queueChanged: (depth, running) => observer.queueChanged(depth, running),
    });
    const { queueMax } = config;
    this.work = new WorkQueue({ store, clock, newIdentifier, queueMax, runner: this.#runner });
  }

  /** Requeues the work of a dead daemon, then brings the models up. Throws if the box must not serve at all. */
  async start(): Promise<void> {
    const isStopping = (): boolean => this.#phase === 'draining';
    await this.#recover();
    await this.packChanges.sweep();
    await this.#local.start();
    if (isStopping()) return;
    this.#openRemote();
    try {
      // Without slots of its own the box only takes in and answers.
      const loading = this.#config.analysesMax > 0 ? this.#local.loadPacks() : null;
      this.#modelsLoading.resolve();
      await loading;
      this.#settlePhase();
    } catch (error) {
      if (!isStopping()) throw error;
    }
  }

  /** Resolves once the models' processes have their packs and bring them up. Pending if `start` fails before. */
  get modelsLoading(): Promise<void> {
    return this.#modelsLoading.promise;
  }

  get phase(): EnginePhase {
    return this.#phase;
  }

  /** Null when ready. */
  get notReadyReason(): string | null {
    return this.#notReadyReason;
  }

  /** Why waiting work is not begun, of all or of one account; null if it only waits for its turn. */
  waitReason(accountId?: number): WaitReason | null {
    if (this.#phase !== 'failed') return this.#executors.waitReason(accountId);
    return { step: 'not-ready', sentence: this.#notReadyReason ?? '' };
  }

  progressOf(analysisId: string): Progress | null {
    return this.#runner.progressOf(analysisId);
  }

  findingsOf(analysisId: string): Findings {
    return this.#runner.findingsOf(analysisId);
  }

  status(): EngineStatus {
    return {
      phase: this.#phase,
      isolation: this.#local.decodePool.isolation,
      videoDecoder: this.#local.videoDecoding.description,
      queueDepth: this.#runner.depth,
      running: this.#runner.running,
      decodePids: this.#local.decodePool.pids(),
      inferencePids: this.#local.inference?.pids() ?? [],
      packs: this.#local.shelf.status(),
      resident: this.#local.inference?.resident ?? new Set(),
    };
  }

  /** Takes no more work; running work may end within the time, the rest is queued for the next start. */
  async drain(timeoutMs: number): Promise<void> {
    this.#phase = 'draining';
    this.#notReadyReason = 'the appliance is stopping';
    await this.renditions.stop();
    await this.#runner.drain(timeoutMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
    await this.#local[Symbol.asyncDispose]();
  }

  async #recover(): Promise<void> {
    const { ended, open, careful } = await recoverAnalyses(this.#parts);
    for (const analysis of ended) this.#parts.observer.analysisEnded(analysis);
    if (careful.size > 0)
      this.#parts.log.warn({ analyses: careful.size }, 'the last run was cut off: one analysis at a time');
    this.#runner.resume(open, careful);
  }

  /** A model may be checked before the start knows what else the box needs: only the start's end makes it ready. */
  #packsChanged(): void {
    if (this.#phase !== 'starting') this.#settlePhase();
  }

  #settlePhase(): void {
    if (this.#phase === 'draining') return;
    this.#notReadyReason = this.#findNotReadyReason();
    this.#phase = this.#notReadyReason === null ? 'ready' : 'failed';
    if (this.#phase === 'ready') this.#runner.open();
    else this.#runner.close();
  }

  #findNotReadyReason(): string | null {
    const { modelFolders, acceleratorRequire } = this.#config;
    const hasModel = (this.shelf.usable ?? []).some(({ pack }) => isImagePack(pack) || isSpeechPack(pack));
    if (!hasModel) return this.#local.shelf.describeEmptiness(modelFolders);
    const fallback = acceleratorRequire === 'gpu' ? this.#local.shelf.describeCpuFallback() : null;
    return fallback ?? this.#local.videoDecoding.notReadyReason;
  }

  /** Admits workers, once the packs are known that they must have. */
  #openRemote(): void {
    const { trust, stability, analysisTimeoutMs } = this.#config;
    this.#parts.remote?.attach({
      packs: () =>
        (this.shelf.usable ?? []).map(({ pack }) => ({
          key: packKey(pack),
          sha256: pack.sha256,
          golden: pack.golden,
        })),
      findPack: (key) => this.#local.shelf.find(key),
      terms: () => ({ trust: trust(), stability, analysisTimeoutMs }),
      changed: () => this.#runner.resize(this.#executors.slots),
    });
  }
}

export class RecordFeed extends Feed {
  readonly #read: Pick<StoreReader, 'desks' | 'classificationsOfAnalysis'>;

  constructor(read: Pick<StoreReader, 'desks' | 'classificationsOfAnalysis'>) {
    super();
    this.#read = read;
  }

  /** Call it if a record changed for another reason than its analysis; `judgeIds` as for the feed. */
  publishRecord(identifier: string, held: Held, judgeIds: readonly number[] = []): void {
    this.publish(identifier, this.#readersOf(held), judgeIds);
  }

  publishAnalysis(analysisId: string): void {
    if (this.watchers === 0) return;
    for (const sharer of this.#read.classificationsOfAnalysis(analysisId))
      this.publishRecord(sharer.identifier, sharer);
  }

  /** At the time of the change: a watch that is open follows who joins a desk. */
  #readersOf({ accountId, deskId }: Held): number[] {
    const members = deskId === undefined ? [] : this.#read.desks.membersOf(deskId);
    return [accountId, ...members.map((member) => member.accountId)];
  }
}
