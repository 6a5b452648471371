/** Records as sheets: the columns that an export has, and those that a sheet of sources is given. Pure. */
import type { RecordSummary } from '../records/record-summary.ts';
import { formatTime } from '../time.ts';
import { type Cell, toCsvLine } from './csv-line.ts';

export const SHEET_FORMATS = ['csv', 'jsonl'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

export const SHEET_TYPES: Readonly<Record<SheetFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** Between two reasons in one cell; a sentence has none. */
const REASON_BREAK = ' | ';

type Exported = Readonly<Record<string, Cell | readonly string[]>>;

/** Under the names of the columns, in their order. */
function toExported(summary: RecordSummary): Exported {
  const { identifier, createdAt, name, kind, refId, sha256, verdict, outcome, assessment } = summary;
  const { probability, reasons, link, error } = summary;
  return {
    ...{ identifier, created_at: formatTime(createdAt), name, kind, ref_id: refId, sha256 },
    ...{ verdict, outcome, assessment, probability, reasons, link, error },
  };
}

const EXPORT_COLUMNS = [
  ...['identifier', 'created_at', 'name', 'kind', 'ref_id', 'sha256'],
  ...['verdict', 'outcome', 'assessment', 'probability', 'reasons', 'link', 'error'],
] as const;

/** What stands before the first record; empty where a format has no head. */
export function sheetHead(format: SheetFormat): string {
  return format === 'csv' ? toCsvLine(EXPORT_COLUMNS) : '';
}

/** One record as a line with its end. */
export function sheetLine(summary: RecordSummary, format: SheetFormat): string {
  const exported = toExported(summary);
  if (format === 'jsonl') return `${JSON.stringify(exported)}\n`;
  return toCsvLine(EXPORT_COLUMNS.map((column) => toCell(exported[column] ?? null)));
}

export function toCell(value: Cell | readonly string[]): Cell {
  return typeof value === 'object' && value !== null ? value.join(REASON_BREAK) : value;
}

/** What a row of a sheet of sources is given, in this order. */
export const RESULT_COLUMNS = [
  'assay_identifier',
  'verdict',
  'assessment',
  'probability',
  'reasons',
  'link',
  'error',
] as const;

export type RowResult = Readonly<Record<(typeof RESULT_COLUMNS)[number], Cell | readonly string[]>>;

export function toRowResult(summary: RecordSummary): RowResult {
  const { identifier, verdict, assessment, probability, reasons, link, error } = summary;
  return { assay_identifier: identifier, verdict, assessment, probability, reasons, link, error };
}

/** A row that became no record. */
export function failedRow(error: string): RowResult {
  return {
    ...{ assay_identifier: '', verdict: 'failed', assessment: '', probability: null },
    ...{ reasons: [], link: '', error },
  };
}
