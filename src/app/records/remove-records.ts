/** Removes a record from the store, with everything that no other record needs: its analysis, its artifacts, its bytes. */
import type { AuditLine } from '../../domain/custody/audit.ts';
import { type Classification, hasEnded } from '../../domain/records/classification.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { Core } from '../core.ts';
import { dropMedia } from './drop-media.ts';
import type { RecordParts } from './parts.ts';

export type RemovalApp = Pick<RecordParts, 'store' | 'work' | 'feed' | 'clock'>;

/** The caller has decided that the record may go: its owner's wish (`by`), or the end of its retention (null). */
export async function removeClassification(
  app: RemovalApp,
  { identifier }: Classification,
  by: AuditLine | null,
): Promise<void> {
  let abortAddition = (): void => {};
  const removed = await app.store.transact((tx) => {
    const own = tx.records.get(identifier);
    if (own === undefined) return undefined;
    const { analysisId } = own;
    const analysis = tx.analyses.getUnlessDamaged(analysisId);
    if (analysis !== undefined && !hasEnded(analysis.state) && !own.cancelled) {
      app.work.cancel(tx, { ...own, cancelled: true });
    }
    // Another record of the same work may have asked for the addition, which then goes on.
    const asking = tx.analyses.getUnlessDamaged(analysis?.addition?.id ?? '')?.addsTo?.identifier;
    if (asking === identifier) abortAddition = app.work.cancelAddition(tx, analysisId);
    tx.deleteClassification(own, by);
    tx.removeExports(identifier);
    forgetAnalysis(tx, analysisId);
    return own;
  });
  if (removed === undefined) return;
  app.work.abort(removed.analysisId);
  abortAddition();
  app.feed.publishRecord(identifier, removed);
  await removeFiles(app, removed);
}

/** In the transaction that takes its last record: after a kill in between nothing would look for the analysis. */
export function forgetAnalysis(tx: StoreTransaction, analysisId: string): void {
  const analysis = tx.analyses.getUnlessDamaged(analysisId);
  if (analysis === undefined || tx.hasRecordOfAnalysis(analysisId)) return;
  if (hasEnded(analysis.state)) tx.deleteAnalysis(analysis);
}

export async function removeUnneededArtifacts(
  { store }: Pick<Core, 'store'>,
  analysisId: string,
): Promise<void> {
  if (!store.read.analyses.has(analysisId)) await store.artifacts.removeAll(analysisId);
}

async function removeFiles(app: RemovalApp, removed: Classification): Promise<void> {
  const { store } = app;
  const { analysisId, hash } = removed;
  await removeUnneededArtifacts(app, analysisId);
  if (hash !== '') {
    await store.blobs.withLock(hash, async () => {
      if (!store.read.hasBlobReference(hash)) await store.blobs.remove(hash);
    });
  }
  // The others may have had their media for its sake alone.
  const [left] = store.read.sharers(removed);
  if (left !== undefined) await dropMedia(app, left);
}
