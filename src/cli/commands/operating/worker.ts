/** `assay worker run`: carries out the work of a daemon on another box, in this process. */
import type { Command } from 'commander';
import { ApplianceService, WorkerSchema } from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../client.ts';
import { CliFailure, EXIT_CODES } from '../../failure.ts';
import { printLine, type Terminal } from '../../terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { describeWorkers } from '../../views/worker-view.ts';
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
  worker
    .command('list')
    .description('show the boxes that carry out work of the daemon (administrators)')
    .option('--json', 'one line of JSON each')
    .action((options: { json?: true }) => listWorkers(terminal, options));
  addWorkerSetupCommand(worker, terminal);
}

async function listWorkers(terminal: Terminal, options: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { workers } = await client.call(ApplianceService.method.listProcesses, {});
  if (options.json === true) for (const one of workers) printLine(terminal, toJsonLine(WorkerSchema, one));
  else printLine(terminal, workers.length === 0 ? 'no worker was heard of' : describeWorkers(workers));
}
