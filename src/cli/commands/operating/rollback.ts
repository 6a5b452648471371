import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../../domain/shown-text.ts';
import type { RolledBack } from '../../../store/rollback.ts';
import { CliFailure, EXIT_CODES, toFileFailure } from '../../terminal/failure.ts';
import { printNote, type Terminal } from '../../terminal/terminal.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';

interface RollbackOptions extends OutcomeOptions {
  dataDir: string;
  yes?: true;
}

export function addRollbackCommand(program: Command, terminal: Terminal): void {
  program
    .command('rollback')
    .description(
      'go back to the records before the last upgrade, so that the older version can start; shows what is lost, and does it only with --yes',
    )
    .requiredOption('--data-dir <dir>', '(required) the data folder of a stopped daemon')
    .addOption(outcomeOption())
    .option('--yes', 'do it; without this nothing is changed')
    .action((options: RollbackOptions) => rollback(terminal, options));
}

async function rollback(terminal: Terminal, options: RollbackOptions): Promise<void> {
  const { dataDir: dataFolder } = options;
  if (!existsSync(join(dataFolder, 'records', 'data.mdb')))
    throw new CliFailure(`${dataFolder} is no data folder: it has no records`, EXIT_CODES.usage);
  // Loaded only here: the other commands need no database.
  const { rollBack } = await import('../../../store/rollback.ts');
  const { PRIVATE_UMASK } = await import('../../../store/private-folder.ts');
  process.umask(PRIVATE_UMASK);
  const isDryRun = options.yes !== true;
  const signal = terminal.watchInterrupt();
  try {
    const done = await rollBack({ dataFolder, isDryRun, operator: userInfo().username }, signal);
    const { from, to, copiedAt, lost, returning, keptIn } = done;
    const outcome = { data_dir: dataFolder, from_format: from, to_format: to, copied_at: copiedAt };
    const counts = { lost_records: lost, returning_records: returning, kept_in: keptIn };
    printOutcome(terminal, options, { ...outcome, ...counts, rolled_back: !isDryRun }, describe(done));
    if (isDryRun) printNote(terminal, 'nothing was changed: --yes goes back');
    else printNote(terminal, `now install the version that reads format ${to}, and start it`);
  } catch (error) {
    throw toFileFailure(error, signal);
  }
}

function describe({ from, to, copiedAt, lost, returning, keptIn }: RolledBack): string {
  return [
    `from format ${from} to format ${to}, as the records were at ${copiedAt}`,
    `lost: ${counted(lost, 'record')} accepted since then, and every other change since`,
    `back again: ${counted(returning, 'record')} deleted since then; their media stay deleted`,
    'the next start removes media that no record names: copy the data folder first if they shall be kept',
    ...(keptIn === null ? [] : [`the records of format ${from} are kept in ${keptIn}`]),
  ].join('\n');
}
