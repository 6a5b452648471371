/** What a start finds of the last run: at start every lease has a dead holder. */
import type { Analysis } from '../domain/classification.ts';
import { AppError } from '../domain/errors.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { EngineParts } from './engine-config.ts';
import { giveUpSentence } from './engine-errors.ts';
import { failAnalysis, requeueAnalysis } from './transitions.ts';

const SENTENCE = 'the appliance ended while it analysed the file';

/** Queues what was running again, or ends it where its attempts are used up; all that was open, oldest first. */
export async function recoverAnalyses(
  { store, clock }: Pick<EngineParts, 'store' | 'clock'>,
  attemptsMax: number,
): Promise<Analysis[]> {
  return await store.transact((tx) =>
    tx.openAnalysisIds().flatMap((id) => recover(tx, id, attemptsMax, clock.now()) ?? []),
  );
}

function recover(tx: StoreTransaction, id: string, attemptsMax: number, now: number): Analysis | undefined {
  const analysis = readUnlessDamaged(tx, id);
  if (analysis?.state !== 'running') return analysis;
  return analysis.attempts < attemptsMax
    ? requeueAnalysis(tx, id, { isCounted: true })
    : failAnalysis(tx, id, { error: giveUpSentence(attemptsMax, SENTENCE) }, now);
}

/** One damaged analysis must not keep all others from being done; its record says that it is damaged. */
function readUnlessDamaged(tx: StoreTransaction, id: string): Analysis | undefined {
  try {
    return tx.analysis(id);
  } catch (error) {
    if (error instanceof AppError && error.reason === 'damaged') return undefined;
    throw error;
  }
}
