/** Executes a stored analysis: fetches its file, has an executor try it, and names the parts of its result. */
import type { Analysis } from '../../domain/records/classification.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { AttemptReports } from '../analyses/analysis-parts.ts';
import { nameParts } from '../analyses/part-names.ts';
import { probeInSlot } from '../decode/probe.ts';
import type { EngineObserver } from '../executors/engine-observer.ts';
import type { Execution } from '../executors/executor.ts';
import type { Executors } from '../executors/executors.ts';
import type { LocalExecutor } from '../executors/local-executor.ts';
import { type OuterManifestParts, withOuterManifest } from './outer-manifest.ts';
import { prepareAttempt } from './prepare-attempt.ts';
import type { SourceParts } from './source.ts';

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
    const attempt = await prepareAttempt(this.#source, analysis, { ...reports, stepTimed }, signal);
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
    const attempt = await prepareAttempt(this.#source, analysis, silent, signal);
    if (attempt === undefined) return null;
    const { result } = await local.execute(attempt, files);
    return nameParts(result, newIdentifier);
  }
}
