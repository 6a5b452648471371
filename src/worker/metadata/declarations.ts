/** The unsigned metadata of a file that say something of its origin, by the table of domain/provenance/declared-marks.ts. */
import { DECLARATION_ROWS, type FileText, findDeclarations } from '../../domain/provenance/declared-marks.ts';
import type { Declaration } from '../../domain/provenance/provenance.ts';

const VALUE_CHARACTERS_MAX = 120;
const DECLARATIONS_MAX = 8;

export function toDeclarations(texts: readonly FileText[]): Declaration[] {
  return findDeclarations(texts)
    .slice(0, DECLARATIONS_MAX)
    .map(({ row, field, value, origin }) => ({
      kind: DECLARATION_ROWS[row].kind,
      field: cut(field),
      value: cut(value),
      origin,
      name: row,
    }));
}

/** On one line, without what a terminal would obey. */
function cut(text: string): string {
  return text
    .slice(0, VALUE_CHARACTERS_MAX * 2)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, VALUE_CHARACTERS_MAX)
    .toWellFormed();
}
