/** Records as a file: the chosen ones, made here; all that a filter finds, made by the daemon. */
import type { ListedRecord } from '../gen/documents.ts';
import { download, toCsv } from '../parts/csv.ts';
import { type RecordFilter, toVariables } from './record-filter.ts';
import { outcomeOf } from './records.ts';

export type ExportFormat = 'csv' | 'json';

/** Where the daemon writes all that a filter finds, however many they are. */
export function exportAddress(filter: RecordFilter, format: 'csv' | 'jsonl'): string {
  const { kind, filter: fields } = toVariables(filter) as { kind?: string; filter: Record<string, string> };
  const named = Object.entries({ ...(kind === undefined ? {} : { kind }), ...fields });
  // Words are in lower case there, times and texts as they are.
  const isWord = (name: string): boolean => name === 'kind' || name === 'outcome';
  const query = named.map(([name, value]) => [name, isWord(name) ? value.toLowerCase() : value]);
  return `/exports/records.${format}?${new URLSearchParams(Object.fromEntries(query))}`;
}

const COLUMNS = [
  'identifier',
  'name',
  'refId',
  'kind',
  'status',
  'outcome',
  'probability',
  'classification',
  'confidence',
  'hash',
  'createdAt',
] as const;

type Line = Record<(typeof COLUMNS)[number], string | number | null>;

function toLine(record: ListedRecord): Line {
  const { identifier, name, refId, kind, status, hash, createdAt, verdict, assessment } = record;
  return {
    ...{ identifier, name, refId, kind, status, hash, createdAt },
    outcome: outcomeOf(record),
    probability: assessment?.probability ?? null,
    classification: verdict?.classification ?? null,
    confidence: verdict?.confidence ?? null,
  };
}

export function exportRecords(records: readonly ListedRecord[], format: ExportFormat): void {
  const lines = records.map(toLine);
  if (format === 'json') {
    download(JSON.stringify(lines, null, 2), 'assay-records.json', 'application/json');
    return;
  }
  const rows = lines.map((line) => COLUMNS.map((column) => line[column]));
  download(toCsv([COLUMNS, ...rows]), 'assay-records.csv', 'text/csv');
}
