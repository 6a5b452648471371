/** Records as lines of an export, and as cells beside a row of a sheet of sources. Pure. */
import { toCsvLine } from '../sheets/csv-line.ts';
import {
  EXPORT_COLUMNS,
  type ExportedRecord,
  type RowResult,
  toCell,
  toReadingCells,
} from '../sheets/sheet-columns.ts';
import { formatTime } from '../time.ts';
import type { RecordSummary } from './record-summary.ts';
import type { RefusedRecord } from './refused-record.ts';

export const SHEET_FORMATS = ['csv', 'jsonl'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

export const SHEET_TYPES: Readonly<Record<SheetFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** Keyed by the columns' names, in their order. */
function toExported(summary: RecordSummary): ExportedRecord {
  const { identifier, createdAt, name, kind, refId, sha256, verdict, outcome, assessment } = summary;
  const { probability, reasons, link, error, readings } = summary;
  return {
    identifier,
    created_at: formatTime(createdAt),
    name,
    kind,
    ref_id: refId,
    sha256,
    verdict,
    outcome,
    assessment,
    probability,
    reasons,
    link,
    error,
    ...readings,
  };
}

/** The head of the sheet; empty if the format has none. */
export const sheetHead = (format: SheetFormat): string => (format === 'csv' ? toCsvLine(EXPORT_COLUMNS) : '');

/** One record as a line with its end. */
export function sheetLine(summary: RecordSummary, format: SheetFormat): string {
  return toLine(toExported(summary), format);
}

/** A line for a record that cannot be shown, so that the count of lines is right. */
export function refusedLine({ identifier, createdAt, reason }: RefusedRecord, format: SheetFormat): string {
  const empty = { name: '', kind: '', ref_id: '', sha256: '', assessment: '', probability: null, link: '' };
  const time = createdAt === null ? '' : formatTime(createdAt);
  const outcome = { verdict: 'failed', outcome: 'failed', reasons: [], error: reason };
  return toLine({ ...empty, ...outcome, ...toReadingCells(null), identifier, created_at: time }, format);
}

function toLine(exported: ExportedRecord, format: SheetFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(exported)}\n`;
  return toCsvLine(EXPORT_COLUMNS.map((column) => toCell(exported[column])));
}

export function toRowResult(summary: RecordSummary): RowResult {
  const { identifier, verdict, assessment, probability, reasons, link, error, readings } = summary;
  return {
    assay_identifier: identifier,
    verdict,
    assessment,
    probability,
    reasons,
    link,
    error,
    ...readings,
  };
}
