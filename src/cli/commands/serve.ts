/** `assay serve`: the daemon itself, in this process. */
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../failure.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the daemon until SIGTERM (as npm start does)')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .action(async (options: { config?: string }) => {
      // Loaded only here: a client needs no database and no models.
      const daemon = await import('../../main.ts');
      try {
        await daemon.serve(options.config === undefined ? [] : ['--config', options.config]);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // What keeps a daemon from starting is for its operator: a sentence, without a stack.
        throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
      }
    });
}
