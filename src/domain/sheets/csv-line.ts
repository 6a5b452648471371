/** A row of a sheet as CSV (RFC 4180), safe to open in a spreadsheet. Pure. */
import { stringify } from 'csv-stringify/sync';
import { safeCell } from './formula-cell.ts';
import type { Cell } from './sheet-columns.ts';

/** One line with its end. An apostrophe stops formulas: what strangers write must not be computed on a desk (CWE-1236). */
export function toCsvLine(cells: readonly Cell[], delimiter = ','): string {
  const written = cells.map((cell) => (typeof cell === 'string' ? safeCell(cell) : (cell ?? '')));
  return stringify([written], { record_delimiter: '\r\n', delimiter });
}
