/**
 * Prints the table of members that a package must have into docs/evidence.md: `node schema/print-evidence.ts`; a test compares it
 * with what lies in the repository.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MemberScope, REQUIRED_MEMBERS } from '../src/evidence/required-members.ts';

export const EVIDENCE_PAGE = join(import.meta.dirname, '..', 'docs', 'evidence.md');
const BEGIN = '<!-- printed by schema/print-evidence.ts: begin -->';
const END = '<!-- printed by schema/print-evidence.ts: end -->';
const SCOPES: Readonly<Record<MemberScope, string>> = {
  package: 'every package',
  finding: 'of findings',
  record: 'each record',
  rescore: 'of a re-score',
};

/** The page with the table as the code has it. */
export function printEvidencePage(page: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`expected ${BEGIN} and ${END} in the page`);
  const rows = REQUIRED_MEMBERS.map(({ scope, path, what, shows, unless }) => {
    const member = path.endsWith('/') ? `${path}FILE` : path;
    const condition = unless === undefined ? '' : `, unless ${unless.says}`;
    return `| \`${member}\` | ${SCOPES[scope]}${condition} | ${what} | ${shows} |`;
  });
  const head = ['| member | required of | what it is | what it shows |', '|---|---|---|---|'];
  return `${page.slice(0, from)}${[BEGIN, ...head, ...rows].join('\n')}\n${page.slice(to)}`;
}

if (import.meta.main) writeFileSync(EVIDENCE_PAGE, printEvidencePage(readFileSync(EVIDENCE_PAGE, 'utf8')));
