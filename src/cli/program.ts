/** The list of commands, and how every one of them ends. */
import { Command, CommanderError } from 'commander';
import { showText } from '../domain/shown-text.ts';
import { CliFailure, EXIT_CODES, EXIT_CODES_HELP } from './terminal/failure.ts';
import { printNote, type Terminal } from './terminal/terminal.ts';
import { describeVersion } from './terminal/version-line.ts';

export { EXIT_CODES };

/** What holds for every command. */
export const PROGRAM_HELP = `
The daemon is looked for at ASSAY_ADDRESS (default 127.0.0.1:8481). The key is ASSAY_API_KEY, or on the daemon's own
box the one in its data folder (ASSAY_DATA_DIR, default ./data).
${EXIT_CODES_HELP}`;

/** Runs one command line. Faults are printed and become the exit code; only a fault of this program is thrown. */
export async function runCommandLine(terminal: Terminal, argv: readonly string[]): Promise<void> {
  try {
    const program = await buildProgram(terminal, argv[0]);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.setExitCode(error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage);
    } else if (error instanceof CliFailure) {
      printNote(terminal, `assay: ${error.message.split('\n').map(showText).join('\n')}`);
      terminal.setExitCode(error.exitCode);
    } else if (isFileFault(error)) {
      printNote(terminal, `assay: ${showText(error.message)}`);
      terminal.setExitCode(EXIT_CODES.someFailed);
    } else throw error;
  }
}

/** A system error about a file or folder: its own sentence names the path. */
function isFileFault(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

/** The named command with its options, or all commands if none has that name. */
export async function buildProgram(terminal: Terminal, name = ''): Promise<Command> {
  const program = new Command('assay')
    .description(
      'Distinguishes human-made media from artificial, with the daemon on this box or in this network.',
    )
    .version(describeVersion(), '--version', 'print the version')
    .addHelpText('after', PROGRAM_HELP)
    .showHelpAfterError('(assay COMMAND --help says more)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  for (const load of loadersOf(name)) (await load())(program, terminal);
  // commander copies settings to subcommands only if asked; help text is not among them.
  for (const command of program.commands) command.addHelpText('after', EXIT_CODES_HELP);
  return program;
}

function loadersOf(name: string): readonly LoadCommand[] {
  const loader = name === DESCRIBES_ALL ? undefined : COMMANDS.get(name);
  return loader === undefined ? [...COMMANDS.values()] : [loader];
}

const DESCRIBES_ALL = 'completion';

type LoadCommand = () => Promise<(program: Command, terminal: Terminal) => void>;

/** In the order of the help; each is loaded only when it is named, since loading all takes longer than most commands run. */
const COMMANDS: ReadonlyMap<string, LoadCommand> = new Map<string, LoadCommand>([
  ['serve', async () => (await import('./commands/serve.ts')).addServeCommand],
  ['classify', async () => (await import('./commands/classify.ts')).addClassifyCommand],
  ['demo', async () => (await import('./commands/demo/demo.ts')).addDemoCommand],
  ['validate', async () => (await import('./commands/validate.ts')).addValidateCommand],
  ['get', async () => (await import('./commands/get.ts')).addGetCommand],
  ['contact-sheet', async () => (await import('./commands/contact-sheet.ts')).addContactSheetCommand],
  ['transcript', async () => (await import('./commands/transcript.ts')).addTranscriptCommand],
  ['add', async () => (await import('./commands/add-analyses.ts')).addAddCommand],
  ['list', async () => (await import('./commands/lists/list.ts')).addListCommand],
  ['filters', async () => (await import('./commands/lists/filters.ts')).addFiltersCommand],
  ['export', async () => (await import('./commands/sheets/export.ts')).addExportCommand],
  ['batch', async () => (await import('./commands/sheets/batch.ts')).addBatchCommand],
  ['watch', async () => (await import('./commands/watch.ts')).addWatchCommand],
  ['override', async () => (await import('./commands/override.ts')).addOverrideCommand],
  ['sign-off', async () => (await import('./commands/sign-off.ts')).addSignOffCommand],
  ['evidence', async () => (await import('./commands/evidence/evidence.ts')).addEvidenceCommand],
  ['trust', async () => (await import('./commands/trust/trust.ts')).addTrustCommand],
  ['marks', async () => (await import('./commands/marks/marks.ts')).addMarksCommand],
  ['find', async () => (await import('./commands/find.ts')).addFindCommand],
  ['label', async () => (await import('./commands/marks/label.ts')).addLabelCommand],
  ['account', async () => (await import('./commands/account.ts')).addAccountCommand],
  ['ledger', async () => (await import('./commands/ledger.ts')).addLedgerCommand],
  ['key', async () => (await import('./commands/key.ts')).addKeyCommand],
  ['webhook', async () => (await import('./commands/webhook.ts')).addWebhookCommand],
  ['user', async () => (await import('./commands/user.ts')).addUserCommand],
  ['plan', async () => (await import('./commands/plan.ts')).addPlanCommand],
  ['audit', async () => (await import('./commands/audit.ts')).addAuditCommand],
  ['custody', async () => (await import('./commands/custody/custody.ts')).addCustodyCommand],
  ['queue', async () => (await import('./commands/queue.ts')).addQueueCommand],
  ['desk', async () => (await import('./commands/desk.ts')).addDeskCommand],
  ['watch-folder', async () => (await import('./commands/automation/watch-folder.ts')).addWatchFolderCommand],
  ['notify', async () => (await import('./commands/automation/notify.ts')).addNotifyCommand],
  ['models', async () => (await import('./commands/models/models.ts')).addModelsCommand],
  ['status', async () => (await import('./commands/operating/status.ts')).addStatusCommand],
  ['ps', async () => (await import('./commands/operating/ps.ts')).addPsCommand],
  ['doctor', async () => (await import('./commands/operating/doctor.ts')).addDoctorCommand],
  [
    'support-bundle',
    async () => (await import('./commands/operating/support-bundle.ts')).addSupportBundleCommand,
  ],
  ['backup', async () => (await import('./commands/operating/backup.ts')).addBackupCommand],
  ['restore', async () => (await import('./commands/operating/restore.ts')).addRestoreCommand],
  ['rollback', async () => (await import('./commands/operating/rollback.ts')).addRollbackCommand],
  ['store', async () => (await import('./commands/operating/store.ts')).addStoreCommand],
  ['check-config', async () => (await import('./commands/operating/check-config.ts')).addCheckConfigCommand],
  ['config', async () => (await import('./commands/operating/check-config.ts')).addConfigCommand],
  ['completion', async () => (await import('./completion/command.ts')).addCompletionCommand],
  ['worker', async () => (await import('./commands/operating/worker.ts')).addWorkerCommand],
  ['version', async () => (await import('./commands/version.ts')).addVersionCommand],
]);
