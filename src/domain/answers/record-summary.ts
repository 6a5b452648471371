/** A record in one row, for sheets, sidecars and notices. Pure. */
import type { MediaKind } from '../media/media.ts';
import { sortReasons } from '../records/finding-words.ts';
import { type Outcome, outcomeOf } from '../records/outcome.ts';
import { type ReadingCells, toReadingCells } from '../sheets/sheet-columns.ts';
import type { AssessmentState } from '../verdicts/assessment.ts';
import type { ClassificationRecord } from './record.ts';

export interface RecordSummary {
  identifier: string;
  name: string;
  kind: MediaKind;
  /** SHA-256 of the file, as 64 hex characters; empty while an address was not fetched. */
  sha256: string;
  refId: string;
  /** The documented verdict, or a person's finding; `waiting` and `failed` if there is none. */
  verdict: string;
  outcome: Outcome;
  assessment: AssessmentState | '';
  /** Probability that it is artificial, 0 to 1; null without an answer. */
  probability: number | null;
  /** Sentences, the weightiest first. */
  reasons: string[];
  /** The record's page. */
  link: string;
  /** Why the work failed; empty if it did not. */
  error: string;
  createdAt: number;
  /** The readings of its signed provenance. */
  readings: ReadingCells;
}

export function summaryOf(record: ClassificationRecord): RecordSummary {
  const { identifier, name, kind, hash, refId, resultUrl, errors, createdAt, assessment } = record;
  const outcome = outcomeOf(record);
  const formal = record.forceClassification ?? record.verdict?.classification ?? '';
  return {
    identifier,
    name,
    kind,
    sha256: hash,
    refId,
    outcome,
    createdAt,
    verdict: record.status === 'done' ? formal : outcome,
    assessment: assessment?.state ?? '',
    probability: assessment?.probability ?? null,
    reasons: sortReasons(outcome, assessment?.reasons ?? []).weighed.map(({ sentence }) => sentence),
    link: resultUrl,
    error: errors,
    readings: toReadingCells(record.provenance?.readings),
  };
}
