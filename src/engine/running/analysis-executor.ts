/** Executes a stored analysis: fetches its file, has an executor try it, and names the parts of its result. */
import { AppError } from '../../domain/errors.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import { MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { Attempt, AttemptReports } from '../analyses/analysis-parts.ts';
import { nameParts } from '../analyses/part-names.ts';
import { timed } from '../analyses/timed-parts.ts';
import { probeInSlot } from '../decode/probe.ts';
import type { EngineObserver } from '../executors/engine-observer.ts';
import type { Execution } from '../executors/executor.ts';
import type { Executors } from '../executors/executors.ts';
import type { LocalExecutor } from '../executors/local-executor.ts';
import { type OuterManifestParts, withOuterManifest } from './outer-manifest.ts';
import { fetchSource, type SourceParts } from './source.ts';

export interface AnalysisExecutorParts
  extends Omit<OuterManifestParts, 'decodePool'>,
    Omit<SourceParts, 'probe' | 'findPack'> {
  newIdentifier: () => string;
  observer: Pick<EngineObserver, 'stepTimed'>;
  local: LocalExecutor;
  executors: Executors;
}

export class AnalysisExecutor {
  readonly #parts: AnalysisExecutorParts;
  readonly #source: SourceParts;

  constructor(parts: AnalysisExecutorParts) {
    const { store, fetchMedia, videoHeightMin, local } = parts;
    this.#parts = parts;
    this.#source = {
      store,
      fetchMedia,
      videoHeightMin,
      probe: (path, signal) =>
        local.decodePool.run('analysis', (slot) => probeInSlot(slot, path, { signal }), { signal }),
      findPack: (key) => local.shelf.find(key),
    };
  }

  /** Undefined if the analysis was cancelled while its file was fetched. */
  async execute(
    analysis: Analysis,
    reports: AttemptReports,
    signal: AbortSignal,
  ): Promise<Execution | undefined> {
    const { store, observer, newIdentifier, local, executors } = this.#parts;
    const stepTimed = (step: string, seconds: number) => {
      reports.stepTimed(step, seconds);
      observer.stepTimed(step, seconds, analysis);
    };
    const attempt = await this.#prepare(analysis, { ...reports, stepTimed }, signal);
    if (attempt === undefined) return undefined;
    const execution = await executors.execute(analysis.accountId, attempt, store);
    // The analysis that it adds to has its manifest read already.
    if (analysis.addsTo !== undefined)
      return { ...execution, result: nameParts(execution.result, newIdentifier) };
    const outer = { ...this.#parts, decodePool: local.decodePool };
    const { result, settled } = await withOuterManifest(outer, analysis, attempt, execution);
    return { result: nameParts(result, newIdentifier), settled };
  }

  /** Analyses a stored file again on this box, by the models that the analysis names; nothing is stored. */
  async executeAgain(analysis: Analysis, signal: AbortSignal): Promise<AnalysisResult | null> {
    const { store, local, newIdentifier } = this.#parts;
    const files = { blobs: store.blobs, artifacts: { put: async () => {} } };
    const silent = { report: () => {}, found: () => {}, seen: () => {}, stepTimed: () => {} };
    const attempt = await this.#prepare(analysis, silent, signal);
    if (attempt === undefined) return null;
    const { result } = await local.execute(attempt, files);
    return nameParts(result, newIdentifier);
  }
  /** Throws AppError `media` if the file is gone; undefined if the analysis was cancelled while it was fetched. */
  async #prepare(
    analysis: Analysis,
    reports: AttemptReports,
    signal: AbortSignal,
  ): Promise<Attempt | undefined> {
    const { id, attempts, queuedAt, lease } = analysis;
    if (lease !== null) reports.stepTimed('queue', (lease.startedAt - queuedAt) / MICROSECONDS_PER_SECOND);
    const fetch = () => fetchSource(this.#source, analysis, signal);
    const fetched = analysis.hash === '' ? await timed(reports, 'fetch', fetch) : await fetch();
    if (fetched === undefined) return undefined;
    const { kind, hash, options, models } = fetched;
    if (!(await this.#parts.store.blobs.has(hash))) {
      throw new AppError('media', 'the file is missing from the appliance’s store; submit it again');
    }
    const attemptId = `${id}.${attempts}.${lease?.startedAt ?? 0}`;
    return { ...reports, id: attemptId, analysis: { id, kind, hash, options, models }, signal };
  }
}
