/**
 * Accepts work inside the caller's transaction, runs it in worker processes, notifies watchers; it alone changes an analysis'
 * state.
 */
import { join } from 'node:path';
import type { Plan } from '../domain/accounts/plan.ts';
import type { Held } from '../domain/desk.ts';
import { AppError } from '../domain/errors.ts';
import type { MediaKind } from '../domain/media/media.ts';
import { isImagePack, isSpeechPack, type ModelPack, packKey } from '../domain/packs/model-pack.ts';
import {
  type Analysis,
  type Classification,
  hasEnded,
  type Progress,
} from '../domain/records/classification.ts';
import type { AnalysisOptions } from '../domain/records/options.ts';
import type { WaitReason } from '../domain/records/wait-reason.ts';
import type { AnalysisResult } from '../domain/verdicts/result.ts';
import type { Findings } from '../domain/verdicts/tentative.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { AttemptReports } from './analyses/analysis-parts.ts';
import { nameParts } from './analyses/part-names.ts';
import { FileLooks } from './decode/file-looks.ts';
import { probeInSlot } from './decode/probe.ts';
import { RenditionMaker } from './decode/rendition-maker.ts';
import type { EngineConfig, EngineParts, EnginePhase, EngineStatus } from './engine-config.ts';
import { ChildExecutor } from './executors/child-executor.ts';
import type { Execution } from './executors/executor.ts';
import { Executors } from './executors/executors.ts';
import type { LocalExecutor } from './executors/local-executor.ts';
import type { InstalledPack } from './packs/installed-packs.ts';
import { benchPack, type PackSpeed } from './packs/pack-bench.ts';
import { PackChanges } from './packs/pack-changes.ts';
import { resolveModels } from './packs/resolve-models.ts';
import { Feed, type WatchFilter } from './queue/feed.ts';
import { leaveAnalysis } from './queue/queue.ts';
import { recoverAnalyses } from './queue/recovery.ts';
import type { BrokerStatus } from './remote/remote-executor.ts';
import type { WorkerStatus } from './remote/worker-roster.ts';
import { AnalysisRunner } from './running/analysis-runner.ts';
import { withOuterManifest } from './running/outer-manifest.ts';
import { prepareAttempt } from './running/prepare-attempt.ts';
import type { SourceParts } from './running/source.ts';
import { WorkQueue } from './running/work-queue.ts';

export class Engine implements AsyncDisposable {
  readonly #config: EngineConfig;
  readonly #parts: EngineParts;
  readonly #feed = new Feed();
  /** Adds and removes packs of the data folder. */
  readonly packChanges: PackChanges;
  readonly work: WorkQueue;
  /** Looks into files outside of analyses. */
  readonly looks: FileLooks;
  /** Makes derived files of stored ones, for people's eyes and ears. */
  readonly renditions: RenditionMaker;
  readonly #local: LocalExecutor;
  readonly #executors: Executors;
  readonly #runner: AnalysisRunner;
  readonly #modelsLoading = Promise.withResolvers<void>();
  #phase: EnginePhase = 'starting';
  #notReadyReason: string | null = 'the models are being loaded';

  constructor(config: EngineConfig, parts: EngineParts) {
    this.#config = config;
    this.#parts = parts;
    this.#local =
      parts.local ??
      new ChildExecutor(
        { ...config, diskFreeBytesMin: config.renditions.diskFreeBytesMin, checksAllPacksAtOnce: false },
        { ...parts, changed: () => this.#packsChanged() },
      );
    this.looks = new FileLooks(config, { pool: this.#local.decodePool, blobs: parts.store.blobs });
    this.renditions = new RenditionMaker(config.renditions, {
      store: parts.store,
      log: parts.log,
      pool: this.#local.decodePool,
      stepTimed: (step, seconds) => parts.observer.stepTimed(step, seconds),
    });
    this.packChanges = new PackChanges({
      folder: join(config.dataFolder, 'models'),
      inference: this.#local.inferenceConfig,
      packs: () => this.#local.shelf.installed,
      reload: () => this.#local.reloadPacks().then(() => this.#packsChanged()),
    });
    const isWorkingHere = config.analysesMax > 0 || parts.remote === null;
    this.#executors = new Executors(
      [parts.remote, isWorkingHere ? this.#local : null].filter((executor) => executor !== null),
      parts.store.read,
    );
    this.work = new WorkQueue({
      store: parts.store,
      newIdentifier: parts.newIdentifier,
      queueMax: config.queueMax,
      now: () => parts.clock.now(),
      runner: () => this.#runner,
    });
    this.#runner = new AnalysisRunner(config, {
      store: parts.store,
      clock: parts.clock,
      bootId: parts.bootId,
      log: parts.log,
      execute: (analysis, reports, signal) => this.#execute(analysis, reports, signal),
      digestsOf: (models) => this.#local.shelf.digestsOf(models),
      // An addition's pictures are known by the analysis that it adds to.
      lookForCopies: async (analysis, seen) =>
        analysis.addsTo === undefined ? await parts.lookForCopies(analysis, seen) : null,
      changed: (analysisId) => this.#publishAnalysis(analysisId),
      ended: (analysis) => {
        parts.observer.analysisEnded(analysis);
        if (analysis.addsTo !== undefined) this.#publishAnalysis(analysis.addsTo.analysisId);
      },
      adding: (analysis, result) => this.work.adopt(analysis, result),
      stored: (analysis, seconds) => parts.observer.stepTimed('store', seconds, analysis),
      queueChanged: (depth, running) => parts.observer.queueChanged(depth, running),
    });
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

  /** Usable packs; before the models are up, those whose files are whole. */
  get packs(): readonly InstalledPack[] {
    return this.#local.shelf.usable ?? [];
  }

  /** Packs whose files are whole, also those that no device could run. */
  get installed(): readonly InstalledPack[] {
    return this.#local.shelf.installed;
  }

  /** Throws AppError `no_models`, or `starting` in the moment before the folders are read. */
  resolveModels(kind: MediaKind, options: AnalysisOptions, plan: Pick<Plan, 'models'>): ModelPack[] {
    const usable = this.#local.shelf.usable;
    if (usable === null) {
      throw new AppError('starting', 'the appliance is starting', { retryAfterSeconds: 1 });
    }
    return resolveModels(usable, kind, options, plan);
  }

  /** Analyses a stored file again, by the models that the analysis names; nothing is stored. */
  async analyseAgain(analysis: Analysis, signal: AbortSignal): Promise<AnalysisResult | null> {
    const files = { blobs: this.#parts.store.blobs, artifacts: { put: async () => {} } };
    const silent = { report: () => {}, found: () => {}, seen: () => {}, stepTimed: () => {} };
    const attempt = await prepareAttempt(this.#source, analysis, silent, signal);
    if (attempt === undefined) return null;
    const { result } = await this.#local.execute(attempt, files);
    return nameParts(result, this.#parts.newIdentifier);
  }

  async benchPack(pack: ModelPack, signal: AbortSignal): Promise<PackSpeed> {
    const installed = this.#local.shelf.find(packKey(pack));
    const { inference } = this.#local;
    if (inference === null || installed === undefined) {
      throw new AppError('starting', 'the models are not loaded');
    }
    await using stage = await this.packChanges.stage();
    return await benchPack(inference, installed, stage.folder, signal);
  }

  /** Cancels the analysis if this record was the last that waited for it; call `abortAnalysis` after the commit. */
  cancelInTransaction(tx: StoreTransaction, classification: Classification): void {
    leaveAnalysis(tx, classification, this.#parts.clock.now());
  }

  /** After a commit: starts queued work. */
  wake(): void {
    this.work.dropRolledBack(this.#parts.store.read);
    this.#runner.pump();
  }

  /** Notifies watchers that a record changed for another reason than its analysis; `judgeIds` as for the feed. */
  publish(identifier: string, held: Held, judgeIds: readonly number[] = []): void {
    this.#feed.publish(identifier, this.#readersOf(held), judgeIds);
  }

  /** Workers on other boxes that were heard of. */
  workers(): WorkerStatus[] {
    return this.#parts.remote?.workers() ?? [];
  }

  /** The NATS server of the workers; null without workers on other boxes. */
  broker(): BrokerStatus | null {
    return this.#parts.remote?.broker() ?? null;
  }

  /** Call it when the drained workers in the store have changed. */
  recountWorkers(): void {
    this.#parts.remote?.recount();
  }

  /** Drops a lost worker; its work goes to others. */
  forgetWorker(name: string): void {
    this.#parts.remote?.forget(name);
  }

  /** Why waiting work is not begun, of all or of one account; null if it only waits for its turn. */
  waitReason(accountId?: number): WaitReason | null {
    if (this.#phase !== 'failed') return this.#executors.waitReason(accountId);
    return { step: 'not-ready', sentence: this.#notReadyReason ?? '' };
  }

  progressOf(analysisId: string): Progress | null {
    return this.#runner.progressOf(analysisId);
  }

  /** The findings of a running analysis so far. */
  findingsOf(analysisId: string): Findings {
    return this.#runner.findingsOf(analysisId);
  }

  /** Stops the work of an analysis that was cancelled or deleted; does nothing to any other. */
  abortAnalysis(analysisId: string): void {
    const analysis = this.#parts.store.read.analysisUnlessDamaged(analysisId);
    if (analysis === undefined || hasEnded(analysis.state)) this.#runner.abort(analysisId);
  }

  /** Records that change after this call, each at least with its last change. Throws `rate` to a reader who fell hopelessly behind. */
  watch(filter: WatchFilter, signal: AbortSignal): AsyncGenerator<string, undefined, undefined> {
    return this.#feed.watch(filter, signal);
  }

  /** The feed's count of published changes. */
  get changes(): number {
    return this.#feed.changes;
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
    const hasModel = this.packs.some(({ pack }) => isImagePack(pack) || isSpeechPack(pack));
    if (!hasModel) return this.#local.shelf.describeEmptiness(modelFolders);
    const fallback = acceleratorRequire === 'gpu' ? this.#local.shelf.describeCpuFallback() : null;
    return fallback ?? this.#local.videoDecoding.notReadyReason;
  }

  /** Admits workers, once the packs are known that they must have. */
  #openRemote(): void {
    const { trust, stability, analysisTimeoutMs } = this.#config;
    this.#parts.remote?.attach({
      packs: () =>
        this.packs.map(({ pack }) => ({ key: packKey(pack), sha256: pack.sha256, golden: pack.golden })),
      findPack: (key) => this.#local.shelf.find(key),
      terms: () => ({ trust: trust(), stability, analysisTimeoutMs }),
      changed: () => this.#runner.resize(this.#executors.slots),
    });
  }

  /** Undefined if the analysis was cancelled while its file was fetched. */
  async #execute(
    analysis: Analysis,
    reports: AttemptReports,
    signal: AbortSignal,
  ): Promise<Execution | undefined> {
    const { store, observer, newIdentifier } = this.#parts;
    const stepTimed = (step: string, seconds: number) => {
      reports.stepTimed(step, seconds);
      observer.stepTimed(step, seconds, analysis);
    };
    const attempt = await prepareAttempt(this.#source, analysis, { ...reports, stepTimed }, signal);
    if (attempt === undefined) return undefined;
    const execution = await this.#executors.execute(analysis.accountId, attempt, store);
    // The analysis that it adds to has its manifest read already.
    if (analysis.addsTo !== undefined)
      return { ...execution, result: nameParts(execution.result, newIdentifier) };
    const outer = { ...this.#parts, trust: this.#config.trust, decodePool: this.#local.decodePool };
    const { result, settled } = await withOuterManifest(outer, analysis, attempt, execution);
    return { result: nameParts(result, newIdentifier), settled };
  }

  get #source(): SourceParts {
    const { store, fetchMedia } = this.#parts;
    const { decodePool, shelf } = this.#local;
    return {
      store,
      fetchMedia,
      videoHeightMin: this.#config.videoHeightMin,
      probe: (path, signal) =>
        decodePool.run('analysis', (slot) => probeInSlot(slot, path, { signal }), { signal }),
      findPack: (key) => shelf.find(key),
    };
  }

  #publishAnalysis(analysisId: string): void {
    if (this.#feed.watchers === 0) return;
    const sharers = this.#parts.store.read.classificationsOfAnalysis(analysisId);
    for (const sharer of sharers) this.#feed.publish(sharer.identifier, this.#readersOf(sharer));
  }

  /** At the time of the change: a watch that is open follows who joins a desk. */
  #readersOf({ accountId, deskId }: Held): number[] {
    const members = deskId === undefined ? [] : this.#parts.store.read.desks.membersOf(deskId);
    return [accountId, ...members.map((member) => member.accountId)];
  }
}
