/** Removes media past their retention, and what was derived. Shared bytes stay until their last record's time is up. */
import { AppError } from '../../domain/errors.ts';
import { type Classification, isAtWork } from '../../domain/records/classification.ts';
import { MICROSECONDS_PER_DAY } from '../../domain/time.ts';
import { checkResult } from '../../domain/verdicts/result.ts';
import { transcriptOf, withoutSaid } from '../../domain/verdicts/transcripts-of.ts';
import type { Core } from '../core.ts';

type MediaApp = Pick<Core, 'store' | 'clock'>;

/** `open`: it is still being analysed, or a deciding value is damaged: the media stay until it is restored. */
export type DroppedMedia = 'dropped' | 'open' | 'none';

export async function dropMedia(app: MediaApp, record: Classification): Promise<DroppedMedia> {
  try {
    return await dropUnlessKept(app, record);
  } catch (error) {
    if (error instanceof AppError && error.reason === 'damaged') return 'open';
    throw error;
  }
}

async function dropUnlessKept(app: MediaApp, record: Classification): Promise<DroppedMedia> {
  const { store } = app;
  const { analysisId, hash } = record;
  const analysis = store.read.analyses.get(analysisId);
  if (analysis !== undefined && isAtWork(analysis)) return 'open';
  if (analysis !== undefined) await dropLikenesses(app, record);
  if (!isKeptFor(app, { analysisId, hash: '' })) await dropDrawn(app, analysisId);
  if (hash === '') return 'none';
  return await store.blobs.withLock(hash, async () => {
    const file = { analysisId: '', hash };
    if (!(await store.blobs.has(hash)) || isKeptFor(app, file)) return 'none';
    // Written before the bytes go: after a kill in between the next sweep finds them and repeats it.
    await store.transact((tx) => {
      for (const { identifier } of tx.sharers(file)) tx.noteBytesDeleted(identifier);
    });
    await store.blobs.remove(hash);
    return 'dropped';
  });
}

/** Whether any record of the analysis, or of the bytes, may keep them. */
function isKeptFor(app: MediaApp, shared: Pick<Classification, 'analysisId' | 'hash'>): boolean {
  for (const sharer of app.store.read.sharers(shared)) if (mayKeepMedia(app, sharer)) return true;
  return false;
}

function mayKeepMedia(
  { store, clock }: MediaApp,
  { accountId, analysisId, createdAt }: Classification,
): boolean {
  const analysis = store.read.analyses.get(analysisId);
  if (analysis !== undefined && isAtWork(analysis)) return true;
  const plan = store.read.accounts.planOf(accountId);
  if (plan === undefined || plan.zeroRetention) return false;
  return plan.mediaDays === 0 || createdAt >= clock.now() - plan.mediaDays * MICROSECONDS_PER_DAY;
}

/** Removes maps, frames, sound, the transcript and an outer manifest, which names people and shows pictures. */
async function dropDrawn({ store }: MediaApp, analysisId: string): Promise<void> {
  await store.artifacts.removeAll(analysisId);
  if (store.read.outerManifests.has(analysisId))
    await store.transact((tx) => tx.outerManifests.remove(analysisId));
  if (transcriptOf(store.read.analyses.get(analysisId)?.result ?? null) === undefined) return;
  await store.transact((tx) => {
    const analysis = tx.analyses.get(analysisId);
    if (analysis === undefined || analysis.result === null) return;
    tx.putAnalysis({ ...analysis, result: checkResult(withoutSaid(analysis.result)) });
  });
}

/** Concerns analyses from before the plan's zero retention; later ones have none. */
async function dropLikenesses({ store }: MediaApp, { accountId, analysisId }: Classification): Promise<void> {
  const isWanted = store.read.accounts.planOf(accountId)?.zeroRetention !== true;
  if (isWanted || store.read.nearMatches.getUnlessDamaged(analysisId) === undefined) return;
  await store.transact((tx) => tx.removeLikenesses(analysisId));
}
