import type { Command } from 'commander';
import { describeStartFailure } from '../../domain/operator-fault.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the daemon until SIGTERM (as npm start does)')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .action(async (options: { config?: string }) => {
      // Loaded only here: a client needs no database and no models.
      const daemon = await import('../../serve.ts');
      try {
        await daemon.serve(options.config === undefined ? [] : ['--config', options.config]);
      } catch (error) {
        throw new CliFailure(describeStartFailure(error), EXIT_CODES.someFailed, { cause: error });
      }
    });
}
