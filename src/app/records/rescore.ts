/** Judges old records by the present models. Nothing is stored, charged or sent. */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { badField } from '../../domain/errors.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { packKey } from '../../domain/packs/model-pack.ts';
import { type Analysis, type Classification, hasEnded } from '../../domain/records/classification.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import { RULES_VERSION, rulesOf } from '../../domain/verdicts/rules-version.ts';
import { resolveModels } from '../../engine/packs/resolve-models.ts';
import type { Judgement, RescoredLine } from '../../evidence/report/rescore-report.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { RecordParts } from './parts.ts';
import { recordOf } from './record.ts';

export interface RescoreInput {
  principal: Principal;
  kind?: MediaKind | undefined;
  /** Newest records first, of all accounts. */
  limit: number;
}

export interface Rescored extends RescoredLine {
  accountId: number;
  kind: MediaKind;
}

/** A larger rescore is done in pieces: each record costs an analysis. */
export const RESCORE_MAX = 10_000;
const PAGE = 100;

/** One analysis after the other, beside the queue's own work. Administrators only. */
export function rescore(
  app: RecordParts,
  input: RescoreInput,
  signal: AbortSignal,
): AsyncGenerator<Rescored> {
  assertAdmin(input.principal);
  const { limit } = input;
  if (!Number.isInteger(limit) || limit < 1 || limit > RESCORE_MAX) {
    throw badField('limit', `expected 1 to ${RESCORE_MAX}, found ${limit}`);
  }
  return rescoreEach(app, input, signal);
}

async function* rescoreEach(
  app: RecordParts,
  { kind, limit }: RescoreInput,
  signal: AbortSignal,
): AsyncGenerator<Rescored> {
  let count = 0;
  for (const classification of newestFirst(app, kind)) {
    if (count === limit) return;
    const analysis = app.store.read.analyses.getUnlessDamaged(classification.analysisId);
    if (analysis === undefined || !hasEnded(analysis.state) || analysis.result === null) continue;
    signal.throwIfAborted();
    count += 1;
    yield await rescoreOne(app, classification, analysis, signal);
  }
}

/** Accounts one after the other, each newest first. Records that share an analysis are reported once. */
function* newestFirst(app: RecordParts, kind: MediaKind | undefined): Generator<Classification> {
  const seen = new Set<string>();
  for (const { id: accountId } of app.store.read.accounts.all()) {
    let before: { createdAt: number; identifier: string } | undefined;
    for (;;) {
      const page = app.store.read.records.list({ accountId, kind, before, limit: PAGE });
      for (const record of page) {
        if (!seen.has(record.analysisId) && !record.cancelled) yield record;
        seen.add(record.analysisId);
      }
      before = page.at(-1);
      if (before === undefined || page.length < PAGE) break;
    }
  }
}

async function rescoreOne(
  app: RecordParts,
  classification: Classification,
  analysis: Analysis,
  signal: AbortSignal,
): Promise<Rescored> {
  const { identifier, accountId, name, kind } = classification;
  const { models: modelsBefore } = analysis;
  const about = { identifier, accountId, name, kind, modelsBefore, rulesBefore: rulesOf(analysis).made };
  let before = UNKNOWN;
  try {
    // A record that cannot be shown is reported like one that cannot be analysed.
    before = judgementOf(recordOf(app, classification, analysis));
    const models = resolveModels(app.shelf.usable, kind, analysis.options, { models: 'all' })
      .map(packKey)
      .sort();
    const options = { ...analysis.options, withHeatmap: false };
    const again = await app.executor.executeAgain({ ...analysis, models, options }, signal);
    const result = withKeptOuter(again, analysis.result);
    const after = judgementOf(
      recordOf(app, classification, { ...analysis, models, result, rulesVersion: RULES_VERSION }),
    );
    const changes = before.classification !== after.classification || before.state !== after.state;
    return { ...about, before, after, error: '', changes, modelsAfter: models };
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { ...about, before, after: null, error: message, changes: false, modelsAfter: [] };
  }
}

const UNKNOWN: Judgement = { classification: 'unknown', probability: null, state: '' };

/** A manifest outside the file is not read again: its reading stays. */
function withKeptOuter(again: AnalysisResult | null, before: AnalysisResult | null): AnalysisResult | null {
  if (again === null || before?.provenance.outer === undefined) return again;
  return { ...again, provenance: before.provenance };
}

function judgementOf({ verdict, assessment }: ClassificationRecord): Judgement {
  return {
    classification: verdict === null || verdict.models.length === 0 ? 'unknown' : verdict.classification,
    probability: assessment?.probability ?? null,
    state: assessment?.state ?? '',
  };
}
