/** Every change of an analysis' state, in one transaction. A daemon's death gives the attempt back (recovery.ts). */
import { randomUUID } from 'node:crypto';
import { type Analysis, assertTransition, type Lease } from '../../domain/records/classification.ts';
import type { StepTime } from '../../domain/records/step-times.ts';
import { type CheckedResult, partsOf } from '../../domain/verdicts/result.ts';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { API_VERSION } from '../../domain/version.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { FoundLikenesses } from '../analyses/analysis-parts.ts';
import { endAddition, failAddition } from './additions.ts';

/** Claims a queued analysis; undefined if it is gone or not queued any more. */
export function leaseAnalysis(tx: StoreTransaction, id: string, lease: Lease): Analysis | undefined {
  const analysis = tx.analyses.get(id);
  if (analysis?.state !== 'queued') return undefined;
  assertTransition(analysis.state, 'running');
  const leased: Analysis = {
    ...analysis,
    state: 'running',
    attempts: analysis.attempts + 1,
    lease,
  };
  tx.putAnalysis(leased);
  return leased;
}

export interface CompletedWork {
  result: CheckedResult;
  stepTimes: readonly StepTime[];
  modelDigests: Readonly<Record<string, string>>;
  copies: FoundLikenesses | null;
}

/** Undefined if it was cancelled meanwhile, so that no one wants the result. */
export function completeAnalysis(
  tx: StoreTransaction,
  id: string,
  { result, stepTimes, modelDigests, copies }: CompletedWork,
  now: number,
): Analysis | undefined {
  const analysis = tx.analyses.get(id);
  if (analysis?.state !== 'running') return undefined;
  assertTransition(analysis.state, 'done');
  const { suspicion: _, ...acquitted } = analysis;
  if (analysis.addsTo !== undefined)
    return endAddition(
      tx,
      { ...acquitted, addsTo: analysis.addsTo },
      { result, stepTimes, modelDigests },
      now,
    );
  const done: Analysis = {
    ...acquitted,
    state: 'done',
    lease: null,
    error: '',
    endedAt: now,
    apiVersion: API_VERSION,
    result,
    stepTimes,
    modelDigests,
    rulesVersion: RULES_VERSION,
  };
  tx.putAnalysis(done);
  for (const { identifier, ...part } of partsOf(result)) tx.putPart(identifier, { analysisId: id, ...part });
  if (copies !== null) {
    const likenesses = copies.likenesses.map(({ likeness: { hash }, timeSeconds }) => ({
      hash,
      timeSeconds,
    }));
    tx.putLikenesses(done, likenesses, copies.earlier, now);
  }
  queueDeliveries(tx, id, now);
  return done;
}

/** Ends a running analysis with a sentence for a person, and refunds its cost. */
export function failAnalysis(
  tx: StoreTransaction,
  id: string,
  { error, isQuarantined = false }: { error: string; isQuarantined?: boolean },
  now: number,
): Analysis | undefined {
  const analysis = tx.analyses.get(id);
  if (analysis?.state !== 'running') return undefined;
  assertTransition(analysis.state, 'errored');
  const errored: Analysis = {
    ...analysis,
    ...(isQuarantined ? { isQuarantined } : {}),
    state: 'errored',
    lease: null,
    error,
    endedAt: now,
    apiVersion: API_VERSION,
  };
  if (analysis.addsTo !== undefined) return failAddition(tx, { ...errored, addsTo: analysis.addsTo }, now);
  tx.putAnalysis(errored);
  refund(tx, id, now);
  queueDeliveries(tx, id, now);
  return errored;
}

function refund(tx: StoreTransaction, analysisId: string, now: number): void {
  for (const classification of tx.classificationsOfAnalysis(analysisId)) {
    const { accountId, credits, identifier } = classification;
    if (credits <= 0) continue;
    tx.appendLedger({ accountId, reason: 'refund', amount: credits, identifier, at: now });
    tx.putClassification({ ...classification, credits: 0 });
  }
}

/** Requeues running work; `isCounted` is false if the attempt did not end by the file's fault. */
export function requeueAnalysis(
  tx: StoreTransaction,
  id: string,
  { isCounted }: { isCounted: boolean },
): Analysis | undefined {
  const analysis = tx.analyses.get(id);
  if (analysis?.state !== 'running') return undefined;
  assertTransition(analysis.state, 'queued');
  const attempts = isCounted ? analysis.attempts : Math.max(0, analysis.attempts - 1);
  const queued: Analysis = { ...analysis, state: 'queued', attempts, lease: null };
  tx.putAnalysis(queued);
  return queued;
}

export function cancelAnalysis(tx: StoreTransaction, id: string, now: number): void {
  const analysis = tx.analyses.get(id);
  if (analysis?.state !== 'queued' && analysis?.state !== 'running') return;
  assertTransition(analysis.state, 'cancelled');
  tx.putAnalysis({ ...analysis, state: 'cancelled', lease: null, endedAt: now });
}

/** Queued in the transaction that ends the analysis, so that a kill leaves either both or none. */
function queueDeliveries(tx: StoreTransaction, analysisId: string, now: number): void {
  const hasRules = tx.automation.hasNoticeRules();
  for (const { origin, cancelled, webhookUrl, accountId, identifier } of tx.classificationsOfAnalysis(
    analysisId,
  )) {
    // The rules are compared when the notice is sent, since verdicts are derived, not stored.
    if (hasRules && !cancelled) tx.putPendingNotice({ at: now, identifier });
    // docs/interface.md, Events: nothing is sent for answers from the cache and cancelled records.
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
