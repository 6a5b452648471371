/** Adds a heatmap, a map of edits or a transcript to a finished record, from the kept file, priced as at submission. */
import type { Plan } from '../../domain/accounts/plan.ts';
import { priceOf } from '../../domain/accounts/price.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { packKey } from '../../domain/packs/model-pack.ts';
import {
  isAddableTo,
  isAskedFor,
  optionsOfAddition,
  withAnalyses,
} from '../../domain/records/added-analyses.ts';
import {
  type Analysis,
  type Classification,
  isAdding,
  statusOf,
} from '../../domain/records/classification.ts';
import { completeOptions } from '../../domain/records/options.ts';
import { ADDABLE_ANALYSES, type AddableAnalysis } from '../../domain/records/plan-option.ts';
import { resolveModels } from '../../engine/packs/resolve-models.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { auditLine } from '../accounts/audit.ts';
import { charge } from '../accounts/credits.ts';
import { assertAcceptsWork } from '../callers/admission.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
import { assertStands } from '../callers/standing.ts';
import { allowedClassification, planOf, type RecordInput, readablePart } from '../records/classifications.ts';
import { readRecord } from '../records/record.ts';
import type { SubmissionParts } from './parts.ts';

export interface AddInput extends RecordInput {
  analyses: readonly string[];
}

/** What exists costs nothing. Throws `not_enabled`, `no_models`, `media`, `not_ended`, `credits`, and refusals of new work. */
export async function addAnalyses(app: SubmissionParts, input: AddInput): Promise<ClassificationRecord> {
  const { principal } = input;
  assertMayWrite(principal);
  const own = wholeOf(app, input);
  const plan = planOf(app, own);
  const analyses = parseAnalyses(input.analyses, own, plan);
  await assertAcceptsWork(app);
  await app.store.blobs.withLock(own.hash, async () => {
    const isKept = own.hash !== '' && (await app.store.blobs.has(own.hash));
    await app.store.transact((tx) => {
      assertStands(app, tx, principal, { writes: true });
      add(app, tx, { principal, plan, identifier: own.identifier, analyses, isKept });
    });
  });
  app.feed.publishRecord(own.identifier, own);
  app.work.wake();
  return readRecord(app, own.identifier);
}

/** An addition to a frame or track is made to its video. */
function wholeOf(app: SubmissionParts, input: RecordInput): Classification {
  const whole = readablePart(app, input)?.whole;
  return allowedClassification(
    app,
    whole === undefined ? input : { ...input, identifier: whole.identifier },
    'change',
  );
}

function parseAnalyses(
  words: readonly string[],
  { kind, options }: Classification,
  plan: Plan,
): AddableAnalysis[] {
  if (words.length === 0) throw badField('analyses', 'expected at least one analysis, found none');
  const analyses = [...new Set(words)].map((word) => {
    const known = ADDABLE_ANALYSES.find((analysis) => analysis === word && isAddableTo(kind, analysis));
    if (known === undefined) {
      const allowed = ADDABLE_ANALYSES.filter((analysis) => isAddableTo(kind, analysis)).join(', ');
      throw badField('analyses', `expected of ${kind} one of ${allowed}, found ${JSON.stringify(word)}`);
    }
    if (!plan.options.includes(known)) {
      throw new AppError('not_enabled', `the pricing plan does not enable ${known}`);
    }
    return known;
  });
  const isHeard = options.withAudio || analyses.includes('audio_track');
  if (kind === 'video' && analyses.includes('transcript') && !isHeard) {
    throw badField('analyses', 'a transcript of a video needs its sound: expected audio_track as well');
  }
  return analyses;
}

interface Asked {
  principal: Principal;
  /** The plan of the account that sent the record, and pays. */
  plan: Plan;
  identifier: string;
  analyses: readonly AddableAnalysis[];
  isKept: boolean;
}

function add(
  app: SubmissionParts,
  tx: StoreTransaction,
  { principal, plan, identifier, analyses, isKept }: Asked,
): void {
  const record = tx.records.get(identifier);
  const known = record === undefined ? undefined : tx.analyses.get(record.analysisId);
  if (record === undefined || known === undefined)
    throw new AppError('classification', 'no such classification');
  if (statusOf(record, known) !== 'done') {
    throw new AppError('not_ended', 'analyses are added to a classification that is done');
  }
  const options = completeOptions(known.options);
  const missing = analyses.filter((analysis) => !isAskedFor(options, analysis));
  if (missing.length === 0) return;
  if (isAdding(known)) {
    if (missing.every((analysis) => known.addition?.asked.includes(analysis))) return;
    const sentence = `${known.addition?.asked.join(', ')} is being added to this classification: ask again when it has ended`;
    throw new AppError('not_ended', sentence);
  }
  if (!isKept)
    throw new AppError('media', 'the media of this record are not stored: nothing can be made of them');
  const models = modelsFor(app, record, known, { missing, plan });
  const price = (of: typeof options): number =>
    priceOf(plan, { kind: record.kind, options: of, webhookUrl: null });
  const credits = Math.max(0, price(withAnalyses(options, missing)) - price(options));
  charge(tx, { accountId: record.accountId, credits, identifier, at: app.clock.now() });
  const asked = {
    ...record,
    options: withAnalyses(completeOptions(record.options), missing),
    credits: record.credits + credits,
  };
  tx.putClassification(asked);
  app.work.add(tx, { classification: asked, analyses: missing, models, credits });
  const details = { analyses: missing.join(', '), credits: String(credits) };
  tx.log.appendAudit(auditLine(app, principal, 'classification.add', identifier, details));
}

/** A heatmap must be by the models that judged, or it would show the reasons of another verdict. */
function modelsFor(
  app: SubmissionParts,
  { kind }: Classification,
  known: Analysis,
  { missing, plan }: { missing: readonly AddableAnalysis[]; plan: Plan },
): string[] {
  const options = optionsOfAddition(kind, completeOptions(known.options), missing);
  const packs = resolveModels(app.shelf.usable, kind, options, plan);
  const isOfOrigin = ({ task }: (typeof packs)[number]): boolean => task === 'image-origin';
  const others = packs.filter((pack) => !isOfOrigin(pack)).map(packKey);
  if (!missing.includes('heatmap')) return others;
  const installed = resolveModels(app.shelf.usable, kind, options, { models: 'all' })
    .filter(isOfOrigin)
    .map(packKey);
  const judged = known.models.filter((key) => installed.includes(key));
  if (judged.length > 0) return [...others, ...judged];
  throw new AppError(
    'no_models',
    `heatmap: the models that judged this file (${known.models.join(', ')}) are no longer installed; submit it again`,
  );
}
