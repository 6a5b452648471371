/** Records as a file: the chosen ones, or all that a filter finds. */
import { showText } from '../../src/domain/shown-text.ts';
import type { ListedRecord } from '../gen/documents.ts';
import type { RecordFilter } from './record-filter.ts';
import { outcomeOf } from './records.ts';
import { askRecords } from './use-records.ts';

export type ExportFormat = 'csv' | 'json';

/** They are held in the browser's memory; `assay list --json --all` writes any number. */
export const EXPORT_RECORDS_MAX = 20_000;
const EXPORT_PAGE_SIZE = 100;

/** Newest first. */
export async function readForExport(
  filter: RecordFilter,
  report: (count: number) => void,
): Promise<{ records: ListedRecord[]; hasMore: boolean }> {
  const records: ListedRecord[] = [];
  let after: string | null = null;
  let hasMore = true;
  while (hasMore && records.length < EXPORT_RECORDS_MAX) {
    const { nodes, pageInfo } = await askRecords(filter, after, EXPORT_PAGE_SIZE);
    records.push(...nodes);
    after = pageInfo.endCursor;
    hasMore = pageInfo.hasNextPage;
    report(records.length);
  }
  return { records, hasMore };
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
  const text = format === 'json' ? JSON.stringify(lines, null, 2) : toCsv(lines);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([text], { type: format === 'json' ? 'application/json' : 'text/csv' }),
  );
  link.download = `assay-records.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function toCsv(lines: readonly Line[]): string {
  const rows = lines.map((line) => COLUMNS.map((column) => quote(line[column])).join(','));
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

/** A name that begins like a formula would be run by a spreadsheet. */
function quote(value: string | number | null): string {
  const text = showText(String(value ?? ''));
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
