/** Rows of a recheck of stored manifests: the recheck itself, and the records that it found to read otherwise. */
import type { RecheckedRecord, RecheckOutcome } from '../../domain/provenance/trust-recheck.ts';
import type { Tables } from '../tables/schema.ts';

export const RECHECK_KEY = 'last';

/** People read this list; the custody log has every change, and the recheck counts them. */
const RECORDS_MAX = 10_000;

export function addRecheckedRecord(
  { recheckedRecords }: Tables,
  record: Omit<RecheckedRecord, 'sequence'>,
): void {
  if (recheckedRecords.count >= RECORDS_MAX) return;
  const sequence = Number(recheckedRecords.lastKey() ?? 0) + 1;
  recheckedRecords.put(sequence, { ...record, sequence });
}

export function forgetRecheckedRecords(
  { recheckedRecords }: Tables,
  outcomes: readonly RecheckOutcome[],
): void {
  const gone = [...recheckedRecords.values()].filter(({ outcome }) => outcomes.includes(outcome));
  for (const { sequence } of gone) recheckedRecords.remove(sequence);
}
