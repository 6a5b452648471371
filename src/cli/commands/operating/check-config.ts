/** `assay check-config`: what the daemon would start with, without starting it. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { formatColumns } from '../../views/columns.ts';

interface CheckOptions {
  config?: string;
  json?: true;
  explain?: true;
}

export function addCheckConfigCommand(program: Command, terminal: Terminal): void {
  program
    .command('check-config')
    .description('check the settings and show where each value comes from')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .option('--json', 'one setting per line')
    .option('--explain', 'also what each setting does and takes')
    .action((options: CheckOptions) => checkConfig(terminal, options));
}

async function checkConfig(terminal: Terminal, options: CheckOptions): Promise<void> {
  // The other commands talk to a daemon whose settings they do not know, so they do not load this.
  const { loadSettings } = await import('../../../config/settings.ts');
  const argv = options.config === undefined ? [] : ['--config', options.config];
  const readFile = (path: string) => readFileSync(path, 'utf8');
  try {
    const { origins } = loadSettings({ argv, env: terminal.env, readFile });
    if (options.explain === true) await explain(terminal, origins);
    else if (options.json === true) for (const row of origins) printLine(terminal, JSON.stringify(row));
    else printLine(terminal, formatColumns([['setting', 'value', 'from'], ...origins.map(toCells)]));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SettingsError') throw error;
    throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
  }
}

/** As blocks of lines: the sentences are too long for columns. */
async function explain(
  terminal: Terminal,
  origins: readonly { key: string; value: string; origin: string }[],
): Promise<void> {
  const { SETTINGS, variableOf } = await import('../../../config/table.ts');
  const rows = Object.values(SETTINGS);
  for (const { key, value, origin } of origins) {
    const row = rows.find((candidate) => candidate.key === key);
    printLine(terminal, `${key} = ${value === '' ? '(nothing)' : value}   (${origin})`);
    printLine(terminal, `  ${row?.description ?? ''}`);
    printLine(terminal, `  takes ${row?.parser.expected ?? ''}; as a variable ${variableOf(key)}\n`);
  }
}

function toCells(row: { key: string; value: string; origin: string }): string[] {
  return [row.key, row.value, row.origin];
}
