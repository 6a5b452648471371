/** Reads one stored manifest anew under other trust lists, and writes down the outcome. */
import { AppError } from '../../domain/errors.ts';
import { restsOnOuter } from '../../domain/provenance/provenance.ts';
import {
  answersChanged,
  hasManifest,
  type ReadRecord,
  withNewReading,
} from '../../domain/provenance/read-anew.ts';
import { type AppliedList, appliedLists, type TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { type AnswerChange, type RecheckOutcome, sameLists } from '../../domain/provenance/trust-recheck.ts';
import type { Analysis, Classification } from '../../domain/records/classification.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { RecordParts } from '../records/parts.ts';
import { recordOf } from '../records/record.ts';

export interface ReadAnew {
  outcome: RecheckOutcome;
  /** The analysis with its new reading; unchanged if it could not be read. */
  analysis: Analysis;
  records: Classification[];
  changes: AnswerChange[];
  listsBefore: AppliedList[];
  listsAfter: AppliedList[];
  reason: string;
}

export interface Rereading {
  analysis: Analysis;
  records: Classification[];
  trust: TrustMaterial;
  signal: AbortSignal;
}

const GONE = 'the file is not kept any more';
const OUTSIDE = 'its manifest does not lie in the file, and is not kept';

/** Throws if the signal aborts; every other fault is an outcome. */
export async function readAnew(
  app: RecordParts,
  { analysis, records, trust, signal }: Rereading,
): Promise<ReadAnew> {
  const { result, hash } = analysis;
  const stored = result?.provenance.store;
  const listsBefore = stored?.lists ?? [];
  const same = { analysis, records, changes: [], listsBefore, listsAfter: listsBefore };
  if (result === null || !(await app.store.blobs.has(hash))) {
    return { ...same, outcome: 'media_gone', reason: GONE };
  }
  const manifest = restsOnOuter(result.provenance)
    ? app.store.read.outerManifests.of(analysis.id)
    : undefined;
  if (manifest === undefined && restsOnOuter(result.provenance)) {
    return { ...same, outcome: 'unreadable', reason: OUTSIDE };
  }
  try {
    const now = await app.looks.readStoredProvenance({ hash, trust, manifest, signal });
    const provenance = withNewReading(result.provenance, now);
    const anew = { ...analysis, result: { ...result, provenance } };
    const changes = changesOf(app, records, analysis, anew);
    const outcome = changes.length === 0 ? 'unchanged' : 'changed';
    const listsAfter = appliedLists(trust);
    return { outcome, analysis: anew, records, changes, listsBefore, listsAfter, reason: '' };
  } catch (error) {
    signal.throwIfAborted();
    return { ...same, outcome: 'unreadable', reason: reasonOf(error) };
  }
}

/** Taken from the first record: all share the analysis, and readings depend on nothing else. */
function changesOf(
  app: RecordParts,
  [first]: readonly Classification[],
  before: Analysis,
  after: Analysis,
): AnswerChange[] {
  if (first === undefined) return [];
  return answersChanged(toRead(app, first, before), toRead(app, first, after));
}

function toRead(app: RecordParts, classification: Classification, analysis: Analysis): ReadRecord {
  const { provenance, assessment } = recordOf(app, classification, analysis);
  return {
    provenance,
    assessment: assessment && { state: assessment.state, strength: assessment.strength ?? '' },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Writes the reading, its entry in the history, and a row for each record that reads otherwise. False if it is gone. */
export function writeReadAnew(
  tx: StoreTransaction,
  before: Analysis,
  read: ReadAnew,
  { actor, now }: { actor: number; now: number },
): boolean {
  const { analysis, records, outcome, reason, ...what } = read;
  const current = tx.analyses.get(analysis.id);
  const provenance = analysis.result?.provenance;
  if (current === undefined || current.endedAt !== before.endedAt) return false;
  const isRead = outcome === 'unchanged' || outcome === 'changed';
  const kind = isRead ? 'manifest_reread' : 'manifest_not_reread';
  if (isRead && provenance !== undefined && current.result !== null)
    tx.putAnalysis({ ...current, result: { ...current.result, provenance } });
  const [last] = tx.custody.rowsOf([analysis.id], { limit: 1 });
  // One line says that a file is gone, however often it is asked for.
  if (isRead || last?.kind !== kind) {
    const also = records.map(({ identifier }) => identifier);
    const details = { what: isRead ? { outcome, ...what } : { outcome, reason } };
    tx.log.append({ kind, subject: analysis.id, actor, also, details });
  }
  if (outcome === 'unchanged') return true;
  for (const { identifier, accountId, name } of records) {
    tx.automation.addRecheckedRecord({ identifier, accountId, name, outcome, reason, at: now, ...what });
  }
  return true;
}

/** Whether other lists than these have judged a manifest of it. */
export function isToBeReread({ state, result }: Analysis, lists: readonly AppliedList[]): boolean {
  if (state !== 'done' || result === null) return false;
  const { provenance } = result;
  return hasManifest(provenance) && !sameLists(provenance.store?.lists ?? [], lists);
}
