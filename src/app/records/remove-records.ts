/** Taking a record out of the store, with what no other record needs: its analysis, its artifacts, its bytes. */
import type { AuditLine } from '../../domain/custody/audit.ts';
import { type Classification, hasEnded } from '../../domain/records/classification.ts';
import type { Core } from '../core.ts';

/** The caller has decided already that the record may go: its owner's wish (`by`), or the end of its retention (null). */
export async function removeClassification(
  app: Pick<Core, 'store' | 'engine'>,
  { analysisId, hash, accountId, identifier }: Classification,
  by: AuditLine | null,
): Promise<void> {
  let abortAddition = (): void => {};
  const isLast = await app.store.transact((tx) => {
    const own = tx.records.get(identifier);
    const analysis = tx.analysisUnlessDamaged(analysisId);
    if (own === undefined) return false;
    if (analysis !== undefined && !hasEnded(analysis.state) && !own.cancelled) {
      app.engine.cancelInTransaction(tx, { ...own, cancelled: true });
    }
    // Another record of the same work may have asked for what is being added: that goes on.
    const asking = tx.analysisUnlessDamaged(analysis?.addition?.id ?? '')?.addsTo?.identifier;
    if (asking === identifier) abortAddition = app.engine.work.cancelAddition(tx, analysisId);
    tx.deleteClassification(own, by);
    tx.removeExports(identifier);
    return !tx.hasRecordOfAnalysis(analysisId);
  });
  app.engine.abortAnalysis(analysisId);
  abortAddition();
  app.engine.publish(identifier, accountId);
  if (isLast) await removeAnalysis(app, analysisId);
  if (hash !== '') await removeUnneededBlob(app, hash);
}

/** Removes an analysis that no record needs any more. */
export async function removeAnalysis({ store }: Pick<Core, 'store'>, analysisId: string): Promise<void> {
  await store.transact((tx) => {
    const analysis = tx.analysisUnlessDamaged(analysisId);
    const isUnused = !tx.hasRecordOfAnalysis(analysisId);
    if (analysis !== undefined && isUnused && hasEnded(analysis.state)) tx.deleteAnalysis(analysis);
  });
  if (!store.read.hasAnalysis(analysisId)) await store.artifacts.removeAll(analysisId);
}

async function removeUnneededBlob({ store }: Pick<Core, 'store'>, hash: string): Promise<void> {
  await store.blobs.withLock(hash, async () => {
    if (!store.read.hasBlobReference(hash)) await store.blobs.remove(hash);
  });
}
