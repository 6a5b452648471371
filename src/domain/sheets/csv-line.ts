/** A row of a sheet as CSV (RFC 4180), safe to open in a spreadsheet. Pure. */
import { stringify } from 'csv-stringify/sync';
import type { Cell } from './sheet-columns.ts';

/**
 * One line with its end. A cell that a spreadsheet would take for a formula (`=`, `+`, `-`, `@`, tab, CR, and their wide forms)
 * gets an apostrophe before it: what strangers write into a name must not be computed on somebody's desk (CWE-1236).
 */
export function toCsvLine(cells: readonly Cell[], delimiter = ','): string {
  const options = { escape_formulas: true, record_delimiter: '\r\n', delimiter } as const;
  return stringify([cells.map((cell) => cell ?? '')], options);
}
