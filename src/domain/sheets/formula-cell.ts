/** Writes cells that a spreadsheet would compute (CWE-1236) so that it does not. Pure. */

const SIGNS = '=+\\-@\uff1d\uff0b\uff0d\uff20';
const FORMULA = new RegExp(`^(;*[${SIGNS}]|[\\t\\r])`);
/** Where `;` or a tab parts the columns, as `;` does in most of Europe, a spreadsheet takes `a;=1+1` for two cells. */
const FORMULA_BEHIND = new RegExp(`(?<=[;\\t\\r\\n])[${SIGNS}]`, 'g');

/** The text of a cell after it was written. */
export function safeCell(cell: string): string {
  const parted = cell.replace(FORMULA_BEHIND, "'$&");
  return FORMULA.test(cell) ? `'${parted}` : parted;
}
