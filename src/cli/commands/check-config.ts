/** `assay check-config`: what the daemon would start with, without starting it. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../failure.ts';
import { formatColumns } from '../record-view.ts';
import { printLine, type Terminal } from '../terminal.ts';

export function addCheckConfigCommand(program: Command, terminal: Terminal): void {
  program
    .command('check-config')
    .description('check the settings and show where each value comes from')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .option('--json', 'one setting per line')
    .action((options: { config?: string; json?: true }) => checkConfig(terminal, options));
}

async function checkConfig(terminal: Terminal, options: { config?: string; json?: true }): Promise<void> {
  // The other commands talk to a daemon whose settings they do not know, so they do not load this.
  const { loadSettings } = await import('../../config/settings.ts');
  const argv = options.config === undefined ? [] : ['--config', options.config];
  const readFile = (path: string) => readFileSync(path, 'utf8');
  try {
    const { origins } = loadSettings({ argv, env: terminal.env, readFile });
    if (options.json === true) for (const row of origins) printLine(terminal, JSON.stringify(row));
    else printLine(terminal, formatColumns([['setting', 'value', 'from'], ...origins.map(toCells)]));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SettingsError') throw error;
    throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
  }
}

function toCells(row: { key: string; value: string; origin: string }): string[] {
  return [row.key, row.value, row.origin];
}
