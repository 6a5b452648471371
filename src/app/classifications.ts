/** Reading, listing, cancelling, retrying and deleting records. A foreign record is as absent as an unknown one. */
import { stat } from 'node:fs/promises';
import type { Classification, FacadeName } from '../domain/classification.ts';
import { hasEnded } from '../domain/classification.ts';
import { AppError, badField } from '../domain/errors.ts';
import { isHex64 } from '../domain/identifiers.ts';
import { IDENTIFIERS_MAX, PAGE_SIZE_MAX } from '../domain/limits.ts';
import type { MediaKind } from '../domain/media.ts';
import type { ClassificationRecord } from '../domain/record.ts';
import type { App } from './app.ts';
import { assertMayWrite } from './authenticate.ts';
import type { Principal } from './principal.ts';
import { readRecord, toRecord } from './record.ts';
import { assertAcceptsWork } from './uploads.ts';

export const HEATMAP_FILE = 'heatmap.png';

export interface RecordInput {
  principal: Principal;
  identifier: string;
  kind?: MediaKind | undefined;
}

export function getClassification(app: App, input: RecordInput): ClassificationRecord {
  return toRecord(app, ownClassification(app, input));
}

/** The stored record, if the account may see it. */
export function ownClassification(app: App, { principal, identifier, kind }: RecordInput): Classification {
  const found = isHex64(identifier) ? app.store.read.classification(identifier) : undefined;
  const isOwn = found?.accountId === principal.account.id && (kind === undefined || found.kind === kind);
  if (found === undefined || !isOwn) throw new AppError('classification', 'no such classification');
  return found;
}

/** Unknown and foreign identifiers are left out; throws `list_too_long` above 100. */
export function getClassifications(
  app: App,
  {
    principal,
    identifiers,
    kind,
  }: { principal: Principal; identifiers: string[]; kind?: MediaKind | undefined },
): ClassificationRecord[] {
  if (identifiers.length > IDENTIFIERS_MAX) {
    throw new AppError(
      'list_too_long',
      `identifiers: expected at most ${IDENTIFIERS_MAX} identifiers, found ${identifiers.length}`,
    );
  }
  return identifiers.flatMap((identifier) => {
    try {
      return [getClassification(app, { principal, identifier, kind })];
    } catch (error) {
      if (error instanceof AppError && error.reason === 'classification') return [];
      throw error;
    }
  });
}

export interface ListInput {
  principal: Principal;
  kind?: MediaKind | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface RecordPage {
  records: ClassificationRecord[];
  nextCursor: string | null;
}

/** One page, newest first. The cursor names the last record seen, so that new records do not shift pages. */
export function listClassifications(app: App, { principal, kind, limit, cursor }: ListInput): RecordPage {
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_SIZE_MAX) {
    throw badField('limit', `expected a whole number from 1 to ${PAGE_SIZE_MAX}, found ${limit}`);
  }
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const found = app.store.read.listClassifications({
    accountId: principal.account.id,
    kind,
    before,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    records: page.map((classification) => toRecord(app, classification)),
    nextCursor: found.length > limit && last !== undefined ? formatCursor(last) : null,
  };
}

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

/** Path and size of the heatmap's PNG; throws `heatmap` where there is none or it is not ready. */
export async function getHeatmap(app: App, input: RecordInput): Promise<{ path: string; sizeBytes: number }> {
  const classification = ownClassification(app, input);
  const record = toRecord(app, classification);
  if (record.kind !== 'image' || !record.hasHeatmap) {
    throw new AppError('heatmap', 'this classification has no heatmap');
  }
  const path = app.store.artifacts.pathOf(classification.analysisId, HEATMAP_FILE);
  return { path, sizeBytes: (await stat(path)).size };
}

export interface ChangeInput extends RecordInput {
  facade: FacadeName;
}

/** Ends the caller's record; shared work goes on until its last record is cancelled. */
export async function cancelClassification(app: App, input: ChangeInput): Promise<ClassificationRecord> {
  assertMayWrite(input.principal);
  const { identifier, accountId, analysisId } = ownClassification(app, input);
  await app.store.transact((tx) => {
    const classification = tx.classification(identifier);
    const analysis = tx.analysis(analysisId);
    if (classification === undefined || analysis === undefined) return;
    if (classification.cancelled || hasEnded(analysis.state)) {
      throw new AppError('already_ended', 'the classification has ended already');
    }
    const cancelled = { ...classification, cancelled: true };
    tx.putClassification(cancelled);
    app.engine.cancelInTransaction(tx, cancelled);
  });
  app.engine.publish(identifier, accountId);
  app.engine.abortAnalysis(analysisId);
  app.engine.wake();
  return readRecord(app, identifier);
}

/** Runs an errored record's work again, under the same identifier. */
export async function retryClassification(app: App, input: ChangeInput): Promise<ClassificationRecord> {
  assertMayWrite(input.principal);
  await assertAcceptsWork(app);
  const own = ownClassification(app, input);
  const record = toRecord(app, own);
  if (record.status !== 'errored')
    throw new AppError('not_ended', 'only an errored classification can be retried');
  const packs = app.engine.resolveModels(own.kind, own.options, input.principal.plan);
  await app.store.transact((tx) => {
    const { analysis } = app.engine.joinAnalysis(tx, {
      kind: own.kind,
      hash: own.hash,
      sourceUrl: own.sourceUrl,
      options: own.options,
      models: packs,
      accountId: own.accountId,
      noCache: true,
    });
    tx.deleteClassification(own);
    tx.putClassification({ ...own, analysisId: analysis.id, cancelled: false });
  });
  app.engine.publish(own.identifier, own.accountId);
  app.engine.wake();
  return readRecord(app, own.identifier);
}

/** Deletes the record; its heatmap and the media's bytes go with their last record. */
export async function deleteClassification(app: App, input: ChangeInput): Promise<void> {
  assertMayWrite(input.principal);
  const { analysisId, hash, accountId, identifier } = ownClassification(app, input);
  const isLast = await app.store.transact((tx) => {
    const own = tx.classification(identifier);
    const analysis = tx.analysis(analysisId);
    if (own === undefined) return false;
    if (analysis !== undefined && !hasEnded(analysis.state) && !own.cancelled) {
      app.engine.cancelInTransaction(tx, { ...own, cancelled: true });
    }
    tx.deleteClassification(own);
    return tx.classificationsOfAnalysis(analysisId).length === 0;
  });
  app.engine.abortAnalysis(analysisId);
  app.engine.publish(identifier, accountId);
  if (isLast) await removeAnalysis(app, analysisId);
  if (hash !== '') await removeUnneededBlob(app, hash);
}

async function removeAnalysis(app: App, analysisId: string): Promise<void> {
  await app.store.transact((tx) => {
    const analysis = tx.analysis(analysisId);
    const isUnused = tx.classificationsOfAnalysis(analysisId).length === 0;
    if (analysis !== undefined && isUnused && hasEnded(analysis.state)) tx.deleteAnalysis(analysis);
  });
  if (app.store.read.analysis(analysisId) === undefined) await app.store.artifacts.removeAll(analysisId);
}

async function removeUnneededBlob(app: App, hash: string): Promise<void> {
  await app.store.blobs.withLock(hash, async () => {
    if (!app.store.read.hasBlobReference(hash)) await app.store.blobs.remove(hash);
  });
}
