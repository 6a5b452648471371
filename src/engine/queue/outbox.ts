/**
 * The outbox of webhooks: written in the transaction that ends an analysis, so that a kill leaves either both or
 * none. Sending is not the engine's.
 */
import { randomUUID } from 'node:crypto';
import type { StoreTransaction } from '../../store/transaction.ts';

/** One delivery for each record that waited for the analysis and named an address. */
export function queueDeliveries(tx: StoreTransaction, analysisId: string, now: number): void {
  const hasRules = tx.automation.hasNoticeRules();
  for (const { origin, cancelled, webhookUrl, accountId, identifier } of tx.classificationsOfAnalysis(
    analysisId,
  )) {
    // Which rules want it is decided when it is sent: verdicts are derived, not stored.
    if (hasRules && !cancelled) tx.putPendingNotice({ at: now, identifier });
    // docs/interface.md, Events: what the cache answers is known at once, and what was cancelled is no one's news.
    if (webhookUrl === null || origin === 'cached' || cancelled) continue;
    tx.putDelivery({
      id: `msg_${randomUUID().replaceAll('-', '')}`,
      accountId,
      identifier,
      url: webhookUrl,
      state: 'pending',
      createdAt: now,
      seriesAt: now,
      nextAttemptAt: now,
      noticeId: null,
      attempts: [],
    });
  }
}
