/** Adds work to a finished record, as an analysis of its own. However it ends, its row goes in the same transaction. */
import { randomUUID } from 'node:crypto';
import { heldFor } from '../../domain/desk.ts';
import { AppError } from '../../domain/errors.ts';
import { optionsOfAddition, withAnalyses } from '../../domain/records/added-analyses.ts';
import type { Addition, AddsTo, Analysis, Classification } from '../../domain/records/classification.ts';
import { completeOptions } from '../../domain/records/options.ts';
import type { AddableAnalysis } from '../../domain/records/plan-option.ts';
import type { StepTime } from '../../domain/records/step-times.ts';
import { addResult, UnlikeResultError } from '../../domain/verdicts/add-result.ts';
import { type CheckedResult, checkResult, partsOf } from '../../domain/verdicts/result.ts';
import { API_VERSION } from '../../domain/version.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { type QueueParts, UNSTARTED } from './queue-room.ts';

type Adding = Analysis & { addsTo: AddsTo };

interface MadeWork {
  result: CheckedResult;
  stepTimes: readonly StepTime[];
  modelDigests: Readonly<Record<string, string>>;
}

export interface AdditionSpec {
  classification: Classification;
  analyses: readonly AddableAnalysis[];
  /** Pack keys. */
  models: readonly string[];
  credits: number;
}

/** Queues the work and notes it with its target, an ended analysis without another addition. */
export function queueAddition(tx: StoreTransaction, spec: AdditionSpec, parts: QueueParts): Analysis {
  const { classification, analyses, models, credits } = spec;
  const { analysisId, identifier, accountId, deskId, kind, hash } = classification;
  const known = tx.analyses.get(analysisId);
  if (known === undefined) throw new AppError('damaged', 'the analysis of this record is missing');
  const options = optionsOfAddition(kind, completeOptions(known.options), analyses);
  const adding: Adding = {
    id: parts.id,
    // Unique, so that nothing is ever answered with it.
    key: `addition:${randomUUID()}`,
    kind,
    hash,
    sourceUrl: null,
    options,
    models: [...models].sort(),
    ...heldFor(accountId, deskId),
    addsTo: { analysisId, identifier, credits },
    priority: 'interactive',
    queuedAt: parts.now,
    ...UNSTARTED,
  };
  tx.putAnalysis(adding);
  tx.putAnalysis({ ...known, addition: { id: adding.id, asked: analyses, error: '' } });
  return adding;
}

/** Writes the output into the result; returns the work as it ended. */
export function endAddition(
  tx: StoreTransaction,
  adding: Adding,
  { result, stepTimes, modelDigests }: MadeWork,
  now: number,
): Analysis {
  const ended = { ...adding, lease: null, endedAt: now, apiVersion: API_VERSION };
  const known = tx.analyses.get(adding.addsTo.analysisId);
  if (known?.result == null) return failAddition(tx, { ...ended, state: 'errored', error: GONE }, now);
  const merged = merge(known, result);
  if (typeof merged === 'string') {
    return failAddition(tx, { ...ended, state: 'errored', error: merged }, now);
  }
  const done: Analysis = { ...ended, state: 'done', error: '', result, modelDigests, stepTimes };
  tx.putAnalysis(done);
  tx.deleteAnalysis(done);
  const { addition, ...rest } = known;
  const added: Analysis = {
    ...rest,
    options: withAnalyses(completeOptions(known.options), addition?.asked ?? []),
    models: [...new Set([...known.models, ...adding.models])].sort(),
    modelDigests: { ...modelDigests, ...known.modelDigests },
    result: merged,
  };
  tx.putAnalysis(added);
  for (const { identifier, ...part } of partsOf(merged))
    tx.putPart(identifier, { analysisId: known.id, ...part });
  return done;
}

export function fitsTo(known: Analysis | undefined, result: CheckedResult): boolean {
  return known !== undefined && typeof merge(known, result) !== 'string';
}

const GONE = 'what it was to be added to is gone';

/** Returns why they do not fit, if they do not. */
function merge({ result }: Analysis, added: CheckedResult): CheckedResult | string {
  if (result === null) return GONE;
  try {
    return checkResult(addResult(result, added));
  } catch (error) {
    if (error instanceof UnlikeResultError) return error.message;
    throw error;
  }
}

/** Refunds its cost; the reason stays with the analysis that it was to be added to. */
export function failAddition(tx: StoreTransaction, failed: Adding, now: number): Analysis {
  const { addsTo, error } = failed;
  tx.putAnalysis(failed);
  tx.deleteAnalysis(failed);
  const { identifier, credits } = addsTo;
  const record = tx.records.get(identifier);
  if (record !== undefined && credits > 0) {
    tx.appendLedger({ accountId: record.accountId, reason: 'refund', amount: credits, identifier, at: now });
    tx.putClassification({ ...record, credits: Math.max(0, record.credits - credits) });
  }
  note(tx, addsTo.analysisId, (addition) => ({ ...addition, id: '', error }));
  return failed;
}

/** Ends an addition that no one waits for; returns the identifier of the work, for its abort. */
export function cancelAddition(tx: StoreTransaction, analysisId: string): string | undefined {
  const id = tx.analyses.get(analysisId)?.addition?.id ?? '';
  const adding = tx.analyses.getUnlessDamaged(id);
  if (adding === undefined) return undefined;
  tx.deleteAnalysis(adding);
  note(tx, analysisId, () => undefined);
  return id;
}

function note(
  tx: StoreTransaction,
  analysisId: string,
  change: (addition: Addition) => Addition | undefined,
): void {
  const known = tx.analyses.get(analysisId);
  if (known?.addition === undefined) return;
  const { addition, ...rest } = known;
  const next = change(addition);
  tx.putAnalysis(next === undefined ? rest : { ...rest, addition: next });
}
