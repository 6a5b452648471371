/** `assay restore`: a backup into an empty data folder, without a daemon. */
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../failure.ts';
import { printLine, printNote, type Terminal } from '../terminal.ts';

interface RestoreOptions {
  dataDir: string;
  dryRun?: true;
}

export function addRestoreCommand(program: Command, terminal: Terminal): void {
  program
    .command('restore')
    .description('bring a backup back into an empty data folder; a damaged one is refused')
    .argument('<backup>', 'a folder that assay backup made')
    .requiredOption('--data-dir <dir>', 'an empty or a new folder')
    .option('--dry-run', 'read and judge everything, write nothing')
    .action((backup: string, options: RestoreOptions) => restore(terminal, backup, options));
}

async function restore(terminal: Terminal, backup: string, options: RestoreOptions): Promise<void> {
  // Loaded only here: the other commands need no database.
  const { restoreBackup } = await import('../../store/restore.ts');
  const { dataDir: dataFolder, dryRun: isDryRun = false } = options;
  const signal = terminal.watchInterrupt();
  try {
    const { manifest, values } = await restoreBackup({ backup, dataFolder, isDryRun }, signal);
    const what = `the backup of ${manifest.createdAt} (${manifest.files} files, Assay ${manifest.version})`;
    const how = values === null ? 'is whole; nothing was written' : `is restored to ${dataFolder}`;
    printLine(terminal, `${what} ${how}`);
    if (!manifest.withSecrets && !isDryRun) printNote(terminal, NO_SECRETS);
  } catch (error) {
    if (signal.aborted) throw new CliFailure('interrupted', EXIT_CODES.interrupted, { cause: error });
    if (!(error instanceof Error)) throw error;
    // What keeps a backup from being restored is for its operator: sentences, without a stack.
    throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
  }
}

const NO_SECRETS =
  'It holds no secrets: keys work as before, but they cannot be shown again until they are made anew, and ' +
  'the command line needs ASSAY_API_KEY. The next start makes a new sealing key.';
