import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../../domain/shown-text.ts';
import { CliFailure, EXIT_CODES, toFileFailure } from '../../terminal/failure.ts';
import { printNote, type Terminal } from '../../terminal/terminal.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';

interface RestoreOptions extends OutcomeOptions {
  dataDir: string;
  dryRun?: true;
  rebuildIndexes?: true;
}

export function addRestoreCommand(program: Command, terminal: Terminal): void {
  program
    .command('restore')
    .description(
      'restore a backup into an empty data folder, or rebuild the indexes of a folder; a damaged backup is refused',
    )
    .argument('[backup]', 'a folder that assay backup made')
    .requiredOption(
      '--data-dir <dir>',
      '(required) an empty or a new folder; with --rebuild-indexes the one to repair',
    )
    .addOption(outcomeOption())
    .option('--dry-run', 'read and judge everything, write nothing')
    .option('--rebuild-indexes', 'no backup: rebuild the indexes of the data folder from its records')
    .action((backup: string | undefined, options: RestoreOptions) =>
      options.rebuildIndexes === true
        ? rebuild(terminal, backup, options)
        : restore(terminal, backup, options),
    );
}

/** Every start compares the sizes of the indexes; rebuilding repairs ones that are wrong in another way. */
async function rebuild(
  terminal: Terminal,
  backup: string | undefined,
  options: RestoreOptions,
): Promise<void> {
  const { dataDir } = options;
  if (backup !== undefined)
    throw new CliFailure('--rebuild-indexes takes no backup: restore it first', EXIT_CODES.usage);
  if (!existsSync(join(dataDir, 'records')))
    throw new CliFailure(`${dataDir} is no data folder: it has no records`, EXIT_CODES.usage);
  const { Store } = await import('../../../store/store.ts');
  const onUpgrade = (message: string) => printNote(terminal, message);
  try {
    await using store = await Store.open({ folder: dataDir, isRebuildAsked: true, onUpgrade });
    const text = `the indexes of ${store.folder} are made anew`;
    printOutcome(terminal, options, { data_dir: store.folder, rebuilt: true }, text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
  }
}

async function restore(
  terminal: Terminal,
  backup: string | undefined,
  options: RestoreOptions,
): Promise<void> {
  if (backup === undefined) throw new CliFailure('name the backup', EXIT_CODES.usage);
  // Loaded only here: the other commands need no database.
  const { restoreBackup } = await import('../../../store/backup/restore.ts');
  const { PRIVATE_UMASK } = await import('../../../store/private-folder.ts');
  process.umask(PRIVATE_UMASK);
  const { dataDir: dataFolder, dryRun: isDryRun = false } = options;
  const { username: operator } = userInfo();
  const signal = terminal.watchInterrupt();
  try {
    const { manifest, values } = await restoreBackup({ backup, dataFolder, isDryRun, operator }, signal);
    const what = `the backup of ${manifest.createdAt} (${counted(manifest.files, 'file')}, Assay ${manifest.version})`;
    const how = values === null ? 'is whole; nothing was written' : `is restored to ${dataFolder}`;
    const { createdAt, files, version, withSecrets } = manifest;
    const outcome = { created_at: createdAt, files, version, with_secrets: withSecrets };
    const done = { restored: values !== null, data_dir: dataFolder };
    printOutcome(terminal, options, { ...outcome, ...done }, `${what} ${how}`);
    if (!manifest.withSecrets && !isDryRun) printNote(terminal, NO_SECRETS);
  } catch (error) {
    // Reasons against a restore are for the operator: sentences without a stack.
    throw toFileFailure(error, signal);
  }
}

const NO_SECRETS =
  'It holds no secrets: keys work as before, but they cannot be shown again until they are made anew, and ' +
  'the command line needs ASSAY_API_KEY. The next start makes a new sealing key, and a new key that signs evidence ' +
  'unless evidence.signing_key gives one; what the old one signed still verifies, since its public half is restored.';
