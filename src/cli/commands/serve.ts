/** `assay serve`: the daemon itself, in this process. */
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../failure.ts';

/** Loaded only when asked for: the command line knows nothing of the daemon but this name. */
const DAEMON_ENTRY = '../../main.ts';

interface DaemonEntry {
  serve(argv: string[]): Promise<void>;
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the daemon until SIGTERM (as npm start does)')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .action(async (options: { config?: string }) => {
      const daemon: DaemonEntry = await import(DAEMON_ENTRY);
      try {
        await daemon.serve(options.config === undefined ? [] : ['--config', options.config]);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // What keeps a daemon from starting is for its operator: a sentence, without a stack.
        throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
      }
    });
}
