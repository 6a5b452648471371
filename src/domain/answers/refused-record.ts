/** A row of a list that cannot be shown: which it is and why, so that the others are shown beside it. */
import type { ClassificationRecord } from './record.ts';

export interface RefusedRecord {
  identifier: string;
  /** When it was accepted, as the index of the list says, in microseconds; null if only the row knows. */
  createdAt: number | null;
  /** A sentence for who reads the list. */
  reason: string;
}

/** A row of a list of records. */
export type RecordEntry =
  | { record: ClassificationRecord; refused?: undefined }
  | { refused: RefusedRecord; record?: undefined };

export function shownOf(entries: readonly RecordEntry[]): ClassificationRecord[] {
  return entries.flatMap(({ record }) => record ?? []);
}

export function refusedOf(entries: readonly RecordEntry[]): RefusedRecord[] {
  return entries.flatMap(({ refused }) => refused ?? []);
}
