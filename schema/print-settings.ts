/**
 * Prints docs/settings.md and assay.example.toml from the table of settings: `node schema/print-settings.ts`
 * writes both; a test compares them with what lies in the repository.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { showValue } from '../src/config/collect.ts';
import type { Parser } from '../src/config/parsers.ts';
import { tomlValue } from '../src/config/settings.ts';
import { SETTINGS } from '../src/config/table.ts';

interface AnyRow {
  key: string;
  parser: Parser<unknown>;
  default: unknown;
  defaultText?: string;
  description: string;
}

const ROWS: readonly AnyRow[] = Object.values(SETTINGS);

export const DOCUMENTS: readonly { path: string; print: () => string }[] = [
  { path: join('docs', 'settings.md'), print: printSettingsPage },
  { path: 'assay.example.toml', print: printExampleFile },
];

const PAGE_HEAD = `# Settings

Nothing has to be set. Settings come from one TOML file (\`--config FILE\` or \`ASSAY_CONFIG\`) and from environment variables, which win:
\`http.listen\` is \`ASSAY_HTTP_LISTEN\`. An empty variable counts as not set. Relative paths start at the working directory. A list is an array in the
file and separated by commas in a variable. A size is bytes or a number with \`KiB\`, \`MiB\` or \`GiB\`. \`assay.example.toml\` holds every key.

Wrong settings stop the start and name every fault: key, line or variable, what was expected and found. \`npx assay check-config\` checks them without
starting, and shows where each value comes from.

| key | default | takes | what it does |
|---|---|---|---|
`;

const PAGE_TAIL = `
The command line reads two more variables: \`ASSAY_ADDRESS\` and \`ASSAY_API_KEY\` ([cli.md](cli.md)).
`;

export function printSettingsPage(): string {
  const rows = ROWS.map((row) => {
    const initial = row.defaultText ?? showDefault(row);
    const cells = [`\`${row.key}\``, initial, shortExpectation(row.parser), row.description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `${PAGE_HEAD}${rows.join('\n')}\n${PAGE_TAIL}`;
}

/** An error says it in full; the head of the page says once how lists and sizes are written. */
function shortExpectation({ expected }: Parser<unknown>): string {
  return expected
    .replace('a whole number from ', '')
    .replace(' (in a variable: separated by commas)', '')
    .replace('in bytes or like 512MiB or 1GiB, ', 'of ')
    .replace(/, as 127.*/, '')
    .replace(/^(?:one of|an?) /, '');
}

function showDefault(row: AnyRow): string {
  const shown = showValue(row.default);
  return shown === '' ? '' : `\`${shown}\``;
}

/** Every key commented out with its default, so that the file as it stands changes nothing. */
export function printExampleFile(): string {
  const lines = [
    '# Every setting of Assay with its default; docs/settings.md explains them. Uncomment what you change.',
  ];
  let table = '';
  for (const row of ROWS) {
    const dot = row.key.lastIndexOf('.');
    const rowTable = row.key.slice(0, Math.max(0, dot));
    if (rowTable !== table) lines.push('', `[${rowTable}]`);
    table = rowTable;
    lines.push('', `# ${row.description}`, `# ${row.key.slice(dot + 1)} = ${tomlDefault(row)}`);
  }
  return `${lines.join('\n')}\n`;
}

function tomlDefault(row: AnyRow): string {
  if (row.defaultText !== undefined) return `…  # default: ${row.defaultText || 'none'}`;
  return tomlValue(row.default);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  for (const document of DOCUMENTS) writeFileSync(join(root, document.path), document.print());
}
