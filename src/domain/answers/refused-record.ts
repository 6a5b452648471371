/** A row of a list that cannot be shown, with the reason, so that the others are shown beside it. */
import type { ClassificationRecord } from './record.ts';

export interface RefusedRecord {
  identifier: string;
  /** When it was accepted, by the list's index, in microseconds; null if only the row knows. */
  createdAt: number | null;
  /** A sentence for the reader of the list. */
  reason: string;
}

/** A row of a list of records, as they are or as a facade converts them. */
export type Entry<Shown> =
  | { record: Shown; refused?: undefined }
  | { refused: RefusedRecord; record?: undefined };

export type RecordEntry = Entry<ClassificationRecord>;

export function shownOf<Shown>(entries: readonly Entry<Shown>[]): Shown[] {
  return entries.flatMap(({ record }) => record ?? []);
}

export function refusedOf(entries: readonly Entry<unknown>[]): RefusedRecord[] {
  return entries.flatMap(({ refused }) => refused ?? []);
}
