/** The engine's queue for the administrator: running, waiting and failed work of all accounts. */
import type { Queue, QueueEntry } from '../../domain/contract/queue.ts';
import { AppError } from '../../domain/errors.ts';
import type { Analysis, Classification } from '../../domain/records/classification.ts';
import { accountNameOf } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { assertPageSize } from '../field-parsers.ts';
import { cancelRecord, planOf, retryRecord } from '../records/classifications.ts';
import type { ApplianceParts } from './parts.ts';

/** Administrators only: ends the work and its records, which it names. Throws `classification`, `already_ended`. */
export async function cancelAnalysis(
  app: ApplianceParts,
  { principal, analysisId }: WorkInput,
): Promise<string[]> {
  const records = recordsOf(app, { principal, analysisId });
  for (const record of records) await cancelRecord(app, principal, record);
  return records.map(({ identifier }) => identifier);
}

/** Administrators only: repeats failed work, each plan paying. Throws `classification`, `not_ended`, refusals of new work. */
export async function retryAnalysis(
  app: ApplianceParts,
  { principal, analysisId }: WorkInput,
): Promise<string[]> {
  const records = recordsOf(app, { principal, analysisId });
  for (const record of records) await retryRecord(app, principal, record, planOf(app, record));
  return records.map(({ identifier }) => identifier);
}

export interface WorkInput {
  principal: Principal;
  analysisId: string;
}

/** Records that their owner has cancelled are left alone. */
function recordsOf(app: ApplianceParts, { principal, analysisId }: WorkInput): Classification[] {
  assertAdmin(principal);
  assertMayWrite(principal);
  const records = app.store.read.classificationsOfAnalysis(analysisId).filter(({ cancelled }) => !cancelled);
  if (records.length === 0) throw new AppError('classification', 'no such work in the queue');
  return records;
}

/** At most `limit` of each; the totals count all open ones. */
export function getQueue(
  app: ApplianceParts,
  { principal, limit }: { principal: Principal; limit: number },
): Queue {
  assertAdmin(principal);
  assertPageSize(limit);
  const open = [...app.store.read.openAnalyses()];
  const running = open.filter(({ state }) => state === 'running');
  const waiting = open.filter(({ state }) => state === 'queued');
  return {
    running: running.slice(0, limit).map((analysis) => toEntry(app, analysis)),
    waiting: waiting.slice(0, limit).map((analysis) => toEntry(app, analysis)),
    failed: readFailed(app, limit),
    runningTotal: running.length,
    waitingTotal: waiting.length,
    waitReason: app.running.waitReason(),
  };
}

/** A retried record leaves its failed analysis without records, which is then not listed. */
function readFailed(app: ApplianceParts, limit: number): QueueEntry[] {
  const failed: QueueEntry[] = [];
  for (const analysis of app.store.read.failedAnalyses()) {
    if (failed.length >= limit) break;
    const entry = toEntry(app, analysis);
    if (entry.identifiers.length > 0) failed.push(entry);
  }
  return failed;
}

function toEntry(app: ApplianceParts, analysis: Analysis): QueueEntry {
  const { id, accountId, kind, attempts, queuedAt, endedAt, error, lease } = analysis;
  const records = app.store.read.classificationsOfAnalysis(id);
  return {
    analysisId: id,
    accountId,
    accountName: accountNameOf(app.store.read.accounts, accountId),
    kind,
    attempts,
    queuedAt,
    endedAt,
    error,
    identifiers: records.map(({ identifier }) => identifier),
    startedAt: lease?.startedAt ?? null,
  };
}
