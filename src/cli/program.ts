/** The list of commands, and how every one of them ends. */
import { Command, CommanderError } from 'commander';
import { showText } from '../domain/shown-text.ts';
import { addAccountCommand } from './commands/account.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBackupCommand } from './commands/backup.ts';
import { addCheckConfigCommand } from './commands/check-config.ts';
import { addClassifyCommand } from './commands/classify.ts';
import { addCustodyCommand } from './commands/custody/custody.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEvidenceCommand } from './commands/evidence/evidence.ts';
import { addGetCommand } from './commands/get.ts';
import { addKeyCommand } from './commands/key.ts';
import { addLedgerCommand } from './commands/ledger.ts';
import { addListCommand } from './commands/list.ts';
import { addLabelCommand } from './commands/marks/label.ts';
import { addMarksCommand } from './commands/marks/marks.ts';
import { addModelsCommand } from './commands/models/models.ts';
import { addOverrideCommand } from './commands/override.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addPsCommand } from './commands/ps.ts';
import { addQueueCommand } from './commands/queue.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addServeCommand } from './commands/serve.ts';
import { addBatchCommand } from './commands/sheets/batch.ts';
import { addExportCommand } from './commands/sheets/export.ts';
import { addNotifyCommand } from './commands/standing/notify.ts';
import { addWatchFolderCommand } from './commands/standing/watch-folder.ts';
import { addStatusCommand } from './commands/status.ts';
import { addSupportBundleCommand } from './commands/support-bundle.ts';
import { addUserCommand } from './commands/user.ts';
import { addValidateCommand } from './commands/validate.ts';
import { addVersionCommand } from './commands/version.ts';
import { addWatchCommand } from './commands/watch.ts';
import { addWebhookCommand } from './commands/webhook.ts';
import { addWorkerCommand } from './commands/worker.ts';
import { addCompletionCommand } from './completion/command.ts';
import { CliFailure, EXIT_CODES, EXIT_CODES_HELP } from './failure.ts';
import { printNote, type Terminal } from './terminal.ts';

/** What holds for every command. */
export const PROGRAM_HELP = `
The daemon is looked for at ASSAY_ADDRESS (default 127.0.0.1:8481). The key is ASSAY_API_KEY, or on the daemon's own
box the one in its data folder (ASSAY_DATA_DIR, default ./data).
${EXIT_CODES_HELP}`;

/** Runs one command line. Faults are printed and become the exit code; only a fault of this program is thrown. */
export async function runCommandLine(terminal: Terminal, argv: readonly string[]): Promise<void> {
  try {
    await buildProgram(terminal).parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.setExitCode(error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage);
    } else if (error instanceof CliFailure) {
      printNote(terminal, `assay: ${error.message.split('\n').map(showText).join('\n')}`);
      terminal.setExitCode(error.exitCode);
    } else throw error;
  }
}

/** The commands with their options, for whoever runs or describes them. */
export function buildProgram(terminal: Terminal): Command {
  const program = new Command('assay')
    .description('Tells human-made media from artificial, with the daemon on this box or in this network.')
    .addHelpText('after', PROGRAM_HELP)
    .showHelpAfterError('(assay COMMAND --help says more)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  addServeCommand(program);
  addWorkerCommand(program, terminal);
  for (const add of COMMANDS) add(program, terminal);
  // Each command was made with the settings above only where commander copies them; help text is not among them.
  for (const command of program.commands) command.addHelpText('after', EXIT_CODES_HELP);
  return program;
}

const COMMANDS = [
  addClassifyCommand,
  addValidateCommand,
  addGetCommand,
  addListCommand,
  addExportCommand,
  addBatchCommand,
  addWatchCommand,
  addOverrideCommand,
  addEvidenceCommand,
  addMarksCommand,
  addLabelCommand,
  addAccountCommand,
  addLedgerCommand,
  addKeyCommand,
  addWebhookCommand,
  addUserCommand,
  addPlanCommand,
  addAuditCommand,
  addCustodyCommand,
  addQueueCommand,
  addWatchFolderCommand,
  addNotifyCommand,
  addModelsCommand,
  addStatusCommand,
  addPsCommand,
  addDoctorCommand,
  addSupportBundleCommand,
  addBackupCommand,
  addRestoreCommand,
  addCheckConfigCommand,
  addCompletionCommand,
  addVersionCommand,
] as const;
