/** The engine's queue as the administrator sees it: what runs, waits and has failed, of all accounts. */
import type { Analysis } from '../domain/classification.ts';
import type { MediaKind } from '../domain/media.ts';
import type { App } from './app.ts';
import { assertAdmin } from './authority.ts';
import { assertPageSize } from './field-parsers.ts';
import type { Principal } from './principal.ts';

export interface QueueEntry {
  analysisId: string;
  accountId: number;
  kind: MediaKind;
  /** Records that the analysis is for. */
  identifiers: string[];
  attempts: number;
  queuedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  error: string;
}

export interface Queue {
  /** Oldest first. */
  running: QueueEntry[];
  waiting: QueueEntry[];
  /** Newest first. */
  failed: QueueEntry[];
  runningTotal: number;
  waitingTotal: number;
}

/** At most `limit` of each; the totals count all that are open. */
export function getQueue(app: App, { principal, limit }: { principal: Principal; limit: number }): Queue {
  assertAdmin(principal);
  assertPageSize(limit);
  const open = app.store.read.openAnalysisIds().flatMap((id) => app.store.read.analysis(id) ?? []);
  const running = open.filter(({ state }) => state === 'running');
  const waiting = open.filter(({ state }) => state === 'queued');
  return {
    running: running.slice(0, limit).map((analysis) => toEntry(app, analysis)),
    waiting: waiting.slice(0, limit).map((analysis) => toEntry(app, analysis)),
    failed: readFailed(app, limit),
    runningTotal: running.length,
    waitingTotal: waiting.length,
  };
}

/** A retried record leaves its failed analysis without any; nobody has to look at that again. */
function readFailed(app: App, limit: number): QueueEntry[] {
  const failed: QueueEntry[] = [];
  for (const analysis of app.store.read.failedAnalyses()) {
    if (failed.length >= limit) break;
    const entry = toEntry(app, analysis);
    if (entry.identifiers.length > 0) failed.push(entry);
  }
  return failed;
}

function toEntry(app: App, analysis: Analysis): QueueEntry {
  const { id, accountId, kind, attempts, queuedAt, endedAt, error, lease } = analysis;
  const records = app.store.read.classificationsOfAnalysis(id);
  return {
    analysisId: id,
    ...{ accountId, kind, attempts, queuedAt, endedAt, error },
    identifiers: records.map(({ identifier }) => identifier),
    startedAt: lease?.startedAt ?? null,
  };
}
