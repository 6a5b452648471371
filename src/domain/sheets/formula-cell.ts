/** Cells that a spreadsheet would compute (CWE-1236): how they are written so that it does not. Pure. */

/** As csv-stringify judges it. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** What a cell reads as after it was written. */
export function safeCell(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}
