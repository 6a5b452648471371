/** Reading, listing, cancelling, retrying and deleting records. A foreign record is as absent as an unknown one. */
import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Plan } from '../../domain/accounts/plan.ts';
import { priceOf } from '../../domain/accounts/price.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import type { RecordEntry } from '../../domain/answers/refused-record.ts';
import { heldFor, RECORD_OPERATIONS, type RecordOperation } from '../../domain/desk.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { isHex64 } from '../../domain/identifiers.ts';
import { IDENTIFIERS_MAX, PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { frameHeatmapFile, HEATMAPS, type HeatmapLayer } from '../../domain/media/heatmap.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { type Classification, hasEnded, isAdding, statusOf } from '../../domain/records/classification.ts';
import type { ResultPart } from '../../domain/verdicts/result.ts';
import { resolveModels } from '../../engine/packs/resolve-models.ts';
import { Turnstile } from '../../machinery/turns/turnstile.ts';
import { auditLine } from '../accounts/audit.ts';
import { charge } from '../accounts/credits.ts';
import { assertAcceptsWork } from '../callers/admission.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
import { type Caller, isMemberAt, lacksRole, mayOn, mayRead } from '../callers/rights.ts';
import type { RawFields } from '../field-parsers.ts';
import { parseRecordFilter } from './filters/record-filter.ts';
import { entryOf, findRecords } from './find-records.ts';
import type { RecordParts } from './parts.ts';
import { currentRecord, readRecord, toPartRecord } from './record.ts';
import { forgetAnalysis, removeClassification, removeUnneededArtifacts } from './remove-records.ts';

export interface RecordInput {
  principal: Principal;
  identifier: string;
  kind?: MediaKind | undefined;
}

/** The record of a submission, or of its frame or track. */
export function getClassification(app: RecordParts, input: RecordInput): ClassificationRecord {
  const found = findReadable(app, input);
  if (found !== undefined) return currentRecord(app, found);
  const part = readablePart(app, input);
  const record = part && toPartRecord(app, part.whole, part.part);
  if (record === undefined) throw noSuchRecord();
  return record;
}

/** A person who opens it on the page is noted in the access log; a call with a key only asks. */
export function openClassification(app: RecordParts, input: RecordInput): ClassificationRecord {
  const record = getClassification(app, input);
  if (input.principal.key === undefined) app.accessLog.note('looked_at', input);
  return record;
}

/** A frame or track is open to every account that may read a record of its video's analysis. */
export function readablePart(
  app: RecordParts,
  { principal, identifier, kind }: RecordInput,
): { whole: Classification; part: Omit<ResultPart, 'identifier'> } | undefined {
  const found = partOf(app, principal, identifier);
  return kind === undefined || found?.part.kind === kind ? found : undefined;
}

function partOf(
  app: RecordParts,
  caller: Caller,
  identifier: string,
): { whole: Classification; part: Omit<ResultPart, 'identifier'> } | undefined {
  const part = isHex64(identifier) ? app.store.read.parts.get(identifier) : undefined;
  if (part === undefined) return undefined;
  const sharers = app.store.read.classificationsOfAnalysis(part.analysisId);
  const whole = sharers.find((sharer) => mayRead(app, caller, sharer));
  return whole && { whole, part };
}

/** The stored record, if the account may treat it so. Throws `role` if its role at the record's desk is not enough. */
export function allowedClassification(
  app: RecordParts,
  input: RecordInput,
  operation: Exclude<RecordOperation, 'look'>,
): Classification {
  const found = findReadable(app, input);
  if (found === undefined) throw noSuchRecord();
  const { read } = app.store;
  if (mayOn(read, operation, found, input.principal)) return found;
  throw isMemberAt(read, found, input.principal) ? lacksRole(operation, 'record') : noSuchRecord();
}

/** The caller's rights on a record, or on the video of a frame or track. */
export function rightsOn(
  app: RecordParts,
  { reader, identifier }: { reader: Caller; identifier: string },
): RecordOperation[] {
  const { read } = app.store;
  const record = read.records.get(identifier) ?? partOf(app, reader, identifier)?.whole;
  if (record === undefined) return [];
  return RECORD_OPERATIONS.filter((operation) => mayOn(read, operation, record, reader));
}

/** The stored record, if the account may see it. */
export function readableClassification(app: RecordParts, input: RecordInput): Classification {
  const found = findReadable(app, input);
  if (found === undefined) throw noSuchRecord();
  return found;
}

function findReadable(
  app: RecordParts,
  { principal, identifier, kind }: RecordInput,
): Classification | undefined {
  const found = isHex64(identifier) ? app.store.read.records.get(identifier) : undefined;
  if (found === undefined || (kind !== undefined && found.kind !== kind)) return undefined;
  return mayRead(app, principal, found) ? found : undefined;
}

const noSuchRecord = (): AppError => new AppError('classification', 'no such classification');

/** Leaves out unknown and foreign identifiers, and names records that cannot be shown; throws `list_too_long` above 100. */
export function getClassifications(
  app: RecordParts,
  {
    principal,
    identifiers,
    kind,
  }: { principal: Principal; identifiers: string[]; kind?: MediaKind | undefined },
): RecordEntry[] {
  if (identifiers.length > IDENTIFIERS_MAX) {
    throw new AppError(
      'list_too_long',
      `identifiers: expected at most ${IDENTIFIERS_MAX} identifiers, found ${identifiers.length}`,
    );
  }
  return identifiers.flatMap((identifier) => {
    const createdAt = app.store.read.records.getUnlessDamaged(identifier)?.createdAt ?? null;
    const place = { identifier, createdAt };
    return entryOf(place, () => getClassification(app, { principal, identifier, kind }));
  });
}

export interface ListInput {
  principal: Principal;
  /** Only the account's own submissions, instead of all that it may find. */
  isOwnOnly?: boolean | undefined;
  kind?: MediaKind | undefined;
  limit: number;
  cursor?: string | undefined;
  /** Parsed by record-filter.ts. */
  filter?: RawFields | undefined;
}

export interface RecordPage {
  /** Newest first. */
  entries: RecordEntry[];
  nextCursor: string | null;
}

/** One page, newest first; filtered it may be short without being the last. The cursor names the last looked-at record. */
export function listClassifications(
  app: RecordParts,
  { principal, isOwnOnly, kind, limit, cursor, filter = {} }: ListInput,
): RecordPage {
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_SIZE_MAX) {
    throw badField('limit', `expected a whole number from 1 to ${PAGE_SIZE_MAX}, found ${limit}`);
  }
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const { entries, last } = findRecords(app, {
    principal,
    isOwnOnly,
    kind,
    before,
    limit,
    filter: parseRecordFilter(filter),
  });
  return { entries, nextCursor: last && formatCursor(last) };
}

/** Looks on while the page is not full, answering other calls between two looks; ends after a second, full or not. */
export async function searchClassifications(app: RecordParts, input: ListInput): Promise<RecordPage> {
  const endsAt = performance.now() + SEARCH_MS_MAX;
  let { entries, nextCursor } = listClassifications(app, input);
  while (nextCursor !== null && entries.length < input.limit && performance.now() < endsAt) {
    await nextTurn();
    using _turn = await searches.enter(input.principal.account.id);
    const limit = input.limit - entries.length;
    const further = listClassifications(app, { ...input, limit, cursor: nextCursor });
    entries = [...entries, ...further.entries];
    nextCursor = further.nextCursor;
  }
  return { entries, nextCursor };
}

/** Searches together hold the event loop for at most half of the time. */
const searches = new Turnstile(1);
/** Bound per page, with the wait for its turn, so that a client sees the progress in time. */
const SEARCH_MS_MAX = 1000;

export function formatCursor({ createdAt, identifier }: { createdAt: number; identifier: string }): string {
  return `${createdAt.toString(36)}-${identifier}`;
}

function parseCursor(cursor: string): { createdAt: number; identifier: string } {
  const [time, identifier] = cursor.split('-');
  const createdAt = Number.parseInt(time ?? '', 36);
  if (!Number.isSafeInteger(createdAt) || identifier === undefined || !isHex64(identifier)) {
    throw badField('cursor', 'expected a cursor from an earlier page');
  }
  return { createdAt, identifier };
}

/** Path and size of a map's PNG, by default of the origin; throws `heatmap` if there is none or it is not ready. */
export async function getHeatmap(
  app: RecordParts,
  { layer = 'origin', ...input }: RecordInput & { layer?: HeatmapLayer | undefined },
): Promise<{ path: string; sizeBytes: number }> {
  const frame = readablePart(app, input);
  const { analysisId } = frame?.whole ?? readableClassification(app, input);
  const record = getClassification(app, input);
  if (record.kind !== 'image' || !record.heatmapLayers.includes(layer)) {
    throw new AppError('heatmap', `this classification has no ${HEATMAPS[layer].called}`);
  }
  const file = frame === undefined ? HEATMAPS[layer].file : frameHeatmapFile(frame.part.index);
  const path = app.store.artifacts.pathOf(analysisId, file);
  return { path, sizeBytes: (await stat(path)).size };
}

/** Ends the caller's record; shared work goes on until its last record is cancelled. Of a finished record the addition ends. */
export async function cancelClassification(
  app: RecordParts,
  input: RecordInput,
): Promise<ClassificationRecord> {
  assertMayWrite(input.principal);
  return await cancelRecord(app, input.principal, allowedClassification(app, input, 'change'));
}

/** For callers who may change it, or the administrator of the queue. Throws `already_ended`. */
export async function cancelRecord(
  app: RecordParts,
  principal: Principal,
  { identifier, accountId, deskId, analysisId }: Classification,
): Promise<ClassificationRecord> {
  let abortAddition = (): void => {};
  await app.store.transact((tx) => {
    const classification = tx.records.get(identifier);
    const analysis = tx.analyses.get(analysisId);
    if (classification === undefined || analysis === undefined) return;
    if (!classification.cancelled && isAdding(analysis)) {
      // The result stays, without unfinished additions.
      abortAddition = app.work.cancelAddition(tx, analysisId);
      tx.log.appendAudit(auditLine(app, principal, 'classification.cancel', identifier));
      return;
    }
    if (classification.cancelled || hasEnded(analysis.state)) {
      throw new AppError('already_ended', 'the classification has ended already');
    }
    const cancelled = { ...classification, cancelled: true };
    tx.putClassification(cancelled);
    app.work.cancel(tx, cancelled);
    tx.log.appendAudit(auditLine(app, principal, 'classification.cancel', identifier));
  });
  app.feed.publishRecord(identifier, heldFor(accountId, deskId));
  app.work.abort(analysisId);
  abortAddition();
  app.work.wake();
  return readRecord(app, identifier);
}

/** Runs an errored record's work again, under the same identifier; refunded credits are charged again. */
export async function retryClassification(
  app: RecordParts,
  input: RecordInput,
): Promise<ClassificationRecord> {
  const { principal } = input;
  assertMayWrite(principal);
  const own = allowedClassification(app, input, 'change');
  return await retryRecord(app, principal, own, planOf(app, own));
}

/** The plan of the record's account. Throws `user` if it is gone and cannot pay. */
export function planOf({ store: { read } }: Pick<RecordParts, 'store'>, { accountId }: Classification): Plan {
  const account = read.accounts.get(accountId);
  const plan = account?.deletedAt === null ? read.accounts.plans.get(account.planId) : undefined;
  if (plan === undefined)
    throw new AppError('user', 'the account that sent this record, and pays for it, is gone');
  return plan;
}

/** `plan` is the account's, whose credits pay. Throws `not_ended`, `credits`, and the refusals of new work. */
export async function retryRecord(
  app: RecordParts,
  principal: Principal,
  own: Classification,
  plan: Plan,
): Promise<ClassificationRecord> {
  await assertAcceptsWork(app);
  const models = resolveModels(app.shelf.usable, own.kind, own.options, plan);
  await app.store.transact((tx) => {
    // Two retries at once must not both be charged: the second finds the first one's work waiting.
    const record = tx.records.get(own.identifier);
    const ended = record === undefined ? undefined : tx.analyses.get(record.analysisId);
    if (record === undefined || ended === undefined || statusOf(record, ended) !== 'errored') {
      throw new AppError('not_ended', 'only an errored classification can be retried');
    }
    const { kind, hash, sourceUrl, manifestHash, options, accountId, deskId, identifier } = record;
    // Interactive, since somebody has just asked for it.
    const turn = { ...heldFor(accountId, deskId), priority: 'interactive', noCache: true } as const;
    const spec = { kind, hash, sourceUrl, manifestHash, options, models, ...turn };
    const { analysis } = app.work.join(tx, spec);
    if (manifestHash !== undefined) tx.outerManifests.copy(record.analysisId, analysis.id);
    const credits = record.credits > 0 ? 0 : priceOf(plan, record);
    charge(tx, { accountId, credits, identifier, at: app.clock.now() });
    const retried = { ...record, analysisId: analysis.id, cancelled: false, origin: 'analysed' } as const;
    tx.moveClassification(record, { ...retried, credits: record.credits + credits });
    forgetAnalysis(tx, record.analysisId);
    tx.log.appendAudit(auditLine(app, principal, 'classification.retry', identifier));
  });
  app.feed.publishRecord(own.identifier, own);
  app.work.wake();
  await removeUnneededArtifacts(app, own.analysisId);
  return readRecord(app, own.identifier);
}

/** Deletes the record; its heatmap and the media's bytes go with their last record. */
export async function deleteClassification(app: RecordParts, input: RecordInput): Promise<void> {
  assertMayWrite(input.principal);
  const own = allowedClassification(app, input, 'delete');
  await removeClassification(
    app,
    own,
    auditLine(app, input.principal, 'classification.delete', own.identifier),
  );
}
