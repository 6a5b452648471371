/**
 * Prints tables of the code into documents, between marks: `node schema/print-tables.ts`; a test compares them with what lies in
 * the repository.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DECLARATION_ROWS } from '../src/domain/provenance/declared-marks.ts';
import { type MemberScope, REQUIRED_MEMBERS } from '../src/evidence/required-members.ts';
import { MEASURED_PACKS, printFigures, printSets } from './figure-tables.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');
const BEGIN = '<!-- printed by schema/print-tables.ts: begin -->';
const END = '<!-- printed by schema/print-tables.ts: end -->';
const SCOPES: Readonly<Record<MemberScope, string>> = {
  package: 'every package',
  finding: 'of findings',
  record: 'each record',
  rescore: 'of a re-score',
};

/** Each page has one table. */
export const PRINTED_TABLES: readonly { path: string; print: () => string[] }[] = [
  { path: join(DOCS, 'evidence.md'), print: printMembers },
  { path: join(DOCS, 'marks.md'), print: printDeclarations },
  { path: join(ROOT, 'README.md'), print: () => printSets() },
  ...MEASURED_PACKS.map((id) => ({
    path: join(ROOT, 'models', id, 'CARD.md'),
    print: () => printFigures([id]),
  })),
];

function printMembers(): string[] {
  const rows = REQUIRED_MEMBERS.map(({ scope, path, what, unless }) => {
    const member = path.endsWith('/') ? `${path}FILE` : path;
    const condition = unless === undefined ? '' : `, unless ${unless.says}`;
    return `| \`${member}\` | ${SCOPES[scope]}${condition} | ${what} |`;
  });
  return ['| member | required of | what it is |', '|---|---|---|', ...rows];
}

function printDeclarations(): string[] {
  const rows = Object.values(DECLARATION_ROWS).map(
    ({ convention, place, source }) => `| ${convention} | ${place} | ${source} |`,
  );
  return ['| convention | where | by |', '|---|---|---|', ...rows];
}

/** The page with its table as the code has it. */
export function withTable(page: string, lines: readonly string[]): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`expected ${BEGIN} and ${END} in the page`);
  return `${page.slice(0, from)}${[BEGIN, ...lines].join('\n')}\n${page.slice(to)}`;
}

if (import.meta.main) {
  for (const { path, print } of PRINTED_TABLES)
    writeFileSync(path, withTable(readFileSync(path, 'utf8'), print()));
}
