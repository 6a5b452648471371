/** Prepares an analysis for an executor: its file, fetched and checked if it came as an address. */
import { AppError } from '../../domain/errors.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import { MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import type { Attempt, AttemptReports } from '../analyses/analysis-parts.ts';
import { timed } from '../analyses/timed-parts.ts';
import { fetchSource, type SourceParts } from './source.ts';

/** Throws AppError `media` if the file is gone; undefined if the analysis was cancelled while it was fetched. */
export async function prepareAttempt(
  parts: SourceParts,
  analysis: Analysis,
  reports: AttemptReports,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const { id, attempts, queuedAt, lease } = analysis;
  if (lease !== null) reports.stepTimed('queue', (lease.startedAt - queuedAt) / MICROSECONDS_PER_SECOND);
  const fetch = () => fetchSource(parts, analysis, signal);
  const fetched = analysis.hash === '' ? await timed(reports, 'fetch', fetch) : await fetch();
  if (fetched === undefined) return undefined;
  const { kind, hash, options, models } = fetched;
  if (!(await parts.store.blobs.has(hash))) {
    throw new AppError('media', 'the file is missing from the appliance’s store; submit it again');
  }
  const attemptId = `${id}.${attempts}.${lease?.startedAt ?? 0}`;
  return { ...reports, id: attemptId, analysis: { id, kind, hash, options, models }, signal };
}
