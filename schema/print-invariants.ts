/**
 * Prints docs/invariants.md from the first lines of the tests: `node schema/print-invariants.ts`; a test compares it with what lies
 * in the repository. A test file names each invariant that it holds by a paragraph `Invariant: …` of its first comment.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
export const INVARIANTS_PAGE = join(ROOT, 'docs', 'invariants.md');
const HEAD = `# Invariants
What always holds, and the tests that show it. Printed by \`schema/print-invariants.ts\` from the first lines of the tests; a
change of a line there is a change of this page. Tests under \`test/heavy\` run with \`npm run test:heavy\`, the others with \`npm test\`.
`;

/** Printed page; throws if a test file has an empty invariant. */
export function printInvariants(): string {
  const filesOf = new Map<string, string[]>();
  for (const file of globSync('test/**/*.ts', { cwd: ROOT }).sort()) {
    for (const invariant of invariantsIn(file)) {
      filesOf.set(invariant, [...(filesOf.get(invariant) ?? []), file]);
    }
  }
  const folders = Map.groupBy(filesOf, ([, files]) => dirname(files[0] ?? ''));
  const sections = [...folders].map(([folder, rows]) => {
    const lines = rows.map(([invariant, files]) => `| ${invariant} | ${describe(folder, files)} |`);
    return [`\n## ${folder}`, '| invariant | test |', '|---|---|', ...lines].join('\n');
  });
  return `${HEAD}${sections.join('\n')}\n`;
}

/** Files of the section's own folder without the folder. */
function describe(folder: string, files: readonly string[]): string {
  const names = files.map((file) => (dirname(file) === folder ? file.slice(folder.length + 1) : file));
  return names.map((name) => `\`${name}\``).join(', ');
}

function invariantsIn(file: string): string[] {
  const [comment = ''] = /^\/\*\*[\s\S]*?\*\//.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
  const paragraphs = comment
    .slice('/**'.length, -'*/'.length)
    .split(/\n\s*\*?\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\n?\s*\* /g, ' ').trim());
  return paragraphs.flatMap((paragraph) => {
    if (!paragraph.startsWith('Invariant:')) return [];
    const text = paragraph.slice('Invariant:'.length).trim().replace(/\.$/, '').replaceAll('|', '\\|');
    if (text === '') throw new Error(`${file}: expected a sentence after "Invariant:"`);
    return [text];
  });
}

if (import.meta.main) writeFileSync(INVARIANTS_PAGE, printInvariants());
