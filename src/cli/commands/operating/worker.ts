/** `assay worker run`: carries out the work of a daemon on another box, in this process. */
import type { Command } from 'commander';
import { CliFailure, EXIT_CODES } from '../../failure.ts';
import type { Terminal } from '../../terminal.ts';
import { addWorkerSetupCommand } from '../worker-setup.ts';

export function addWorkerCommand(program: Command, terminal: Terminal): void {
  const worker = program
    .command('worker')
    .description('boxes that carry out work of a daemon on another one');
  worker
    .command('run', { isDefault: true })
    .description('carry out work until SIGTERM, over the NATS servers of nats.servers')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .option('--name <name>', 'name of this worker, of a-z, 0-9 and - (otherwise that of the box)')
    .action(async (options: { config?: string; name?: string }) => {
      const daemon = await import('../../../main.ts');
      try {
        await daemon.serveWorker(
          options.config === undefined ? [] : ['--config', options.config],
          options.name,
        );
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // As with the daemon: a sentence for its operator, without a stack.
        throw new CliFailure(error.message, EXIT_CODES.someFailed, { cause: error });
      }
    });
  addWorkerSetupCommand(worker, terminal);
}
