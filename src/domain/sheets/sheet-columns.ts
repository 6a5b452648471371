/** What sheets hold, the same for every writer: the daemon, the command line or the page. Pure. */

import { READING_COLUMNS, toReadingCells } from './reading-columns.ts';

export type Cell = string | number | null;

/** Several values share a cell. */
export type Field = Cell | readonly string[];

/** Spreadsheets take a file without it for one of their country's old encodings. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Between two reasons in one cell; a sentence has none. */
const REASON_BREAK = ' | ';

export function toCell(value: Field): Cell {
  return typeof value === 'object' && value !== null ? value.join(REASON_BREAK) : value;
}

/** Columns of a record in an export, in this order. */
export const EXPORT_COLUMNS = [
  ...(['identifier', 'created_at', 'name', 'kind', 'ref_id', 'sha256'] as const),
  ...(['verdict', 'outcome', 'assessment', 'probability', 'reasons', 'link', 'error'] as const),
  ...READING_COLUMNS,
] as const;

export type ExportedRecord = Readonly<Record<(typeof EXPORT_COLUMNS)[number], Field>>;

/** What a row of a sheet of sources is given, in this order. */
export const RESULT_COLUMNS = [
  'assay_identifier',
  'verdict',
  'assessment',
  'probability',
  'reasons',
  'link',
  'error',
  ...READING_COLUMNS,
] as const;

export type RowResult = Readonly<Record<(typeof RESULT_COLUMNS)[number], Field>>;

/** Result of a row without a verdict; `identifier` if it became a record. */
export function failedRow(error: string, identifier = ''): RowResult {
  return {
    ...{ assay_identifier: identifier, verdict: 'failed', assessment: '', probability: null },
    ...{ reasons: [], link: '', error, ...toReadingCells(null) },
  };
}
