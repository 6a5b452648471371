/** The unsigned metadata of a file that concern its origin, by the table of domain/provenance/declared-marks.ts. */
import { DECLARATION_ROWS, type FileText, findDeclarations } from '../../domain/provenance/declared-marks.ts';
import type { Declaration } from '../../domain/provenance/provenance.ts';
import { onOneLine } from '../../domain/shown-text.ts';

const VALUE_CHARACTERS_MAX = 120;
const DECLARATIONS_MAX = 8;

export function toDeclarations(texts: readonly FileText[]): Declaration[] {
  return findDeclarations(texts)
    .slice(0, DECLARATIONS_MAX)
    .map(({ row, field, value, origin }) => ({
      kind: DECLARATION_ROWS[row].kind,
      field: onOneLine(field, VALUE_CHARACTERS_MAX),
      value: onOneLine(value, VALUE_CHARACTERS_MAX),
      origin,
      name: row,
    }));
}
