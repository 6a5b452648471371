/** Records as a file: the chosen ones, made here; all that a filter finds, made by the daemon. */
import {
  EXPORT_COLUMNS,
  type ExportedRecord,
  toCell,
  toReadingCells,
} from '../../src/domain/sheets/sheet-columns.ts';
import type { ListedRecord } from '../gen/documents.ts';
import { download, toCsv } from '../parts/csv.ts';
import { outcomeOf } from '../parts/records.ts';
import { type RecordFilter, toVariables } from './record-filter.ts';

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

function toExported(record: ListedRecord): ExportedRecord {
  const { identifier, createdAt, name, refId, hash, status, resultUrl, errors } = record;
  const { forceClassification, verdict, assessment, provenance } = record;
  const outcome = outcomeOf(record);
  const formal = (forceClassification ?? verdict?.classification ?? '').toLowerCase();
  return {
    identifier,
    created_at: createdAt,
    name,
    kind: record.kind.toLowerCase(),
    ref_id: refId,
    sha256: hash,
    verdict: status === 'DONE' ? formal : outcome,
    outcome,
    assessment: assessment?.state.toLowerCase() ?? '',
    probability: assessment?.probability ?? null,
    reasons: (assessment?.reasons ?? []).flatMap(({ side, said }) => (side === 'NONE' ? [] : said.en)),
    link: resultUrl,
    error: errors,
    ...toReadingCells(provenance?.readings),
  };
}

export function exportRecords(records: readonly ListedRecord[], format: ExportFormat): void {
  const lines = records.map(toExported);
  if (format === 'json') {
    download(JSON.stringify(lines, null, 2), 'assay-records.json', 'application/json');
    return;
  }
  const rows = lines.map((line) => EXPORT_COLUMNS.map((column) => toCell(line[column])));
  download(toCsv([EXPORT_COLUMNS, ...rows]), 'assay-records.csv', 'text/csv');
}
