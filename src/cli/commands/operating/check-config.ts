import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Setting } from '../../../domain/contract/appliance.ts';
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

export function addConfigCommand(program: Command, terminal: Terminal): void {
  program
    .command('config')
    .description('settings; they are changed in their file')
    .command('explain')
    .description('what one setting does and is, and the lines that change it')
    .argument('<name>', 'as mail.smtp_url')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .option('--json', 'one line of JSON')
    .action((name: string, options: CheckOptions) => explainOne(terminal, name, options));
}

async function checkConfig(terminal: Terminal, options: CheckOptions): Promise<void> {
  const settings = await readSettings(terminal, options);
  if (options.explain === true) for (const setting of settings) printLine(terminal, explain(setting));
  else if (options.json === true)
    for (const { key, value, origin } of settings)
      printLine(terminal, JSON.stringify({ key, value, origin }));
  else printLine(terminal, formatColumns([['setting', 'value', 'from'], ...settings.map(toCells)]));
}

const TYPOS_MAX = 4;

async function explainOne(terminal: Terminal, name: string, options: CheckOptions): Promise<void> {
  const settings = await readSettings(terminal, options);
  const setting = settings.find(({ key }) => key === name);
  if (setting === undefined) {
    const { findNearestName } = await import('../../../config/nearest-name.ts');
    const nearest = findNearestName(
      name,
      settings.map(({ key }) => key),
      TYPOS_MAX,
    );
    const hint = nearest === undefined ? 'assay check-config lists them' : `did you mean ${nearest}?`;
    throw new CliFailure(`no setting is called ${JSON.stringify(name)}; ${hint}`, EXIT_CODES.usage);
  }
  printLine(terminal, options.json === true ? JSON.stringify(setting) : explain(setting));
}

async function readSettings(terminal: Terminal, { config }: CheckOptions): Promise<readonly Setting[]> {
  // The other commands talk to a daemon whose settings they do not know, so they do not load this.
  const { loadSettings } = await import('../../../config/settings.ts');
  const argv = config === undefined ? [] : ['--config', config];
  const readFile = (path: string) => readFileSync(path, 'utf8');
  try {
    return loadSettings({ argv, env: terminal.env, readFile }).origins;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SettingsError') throw error;
    throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
  }
}

/** A block of lines: the sentences are too long for columns. */
function explain({ key, value, origin, file, lines, variable, takes, description }: Setting): string {
  const place = file ?? 'a file that assay serve --config FILE or ASSAY_CONFIG names';
  return [
    `${key} = ${value === '' ? '(nothing)' : value}   (${origin})`,
    `  ${description}`,
    `  takes ${takes}; as a variable ${variable}`,
    `  to change it, write into ${place} and start the daemon again:`,
    ...lines.split('\n').map((line) => `    ${line}`),
    '',
  ].join('\n');
}

function toCells(row: { key: string; value: string; origin: string }): string[] {
  return [row.key, row.value, row.origin];
}
