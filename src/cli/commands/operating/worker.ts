import type { Command } from 'commander';
import { describeStartFailure } from '../../../domain/operator-fault.ts';
import { ApplianceService, WorkerSchema } from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { type Argument, act, addRow, type CommandRow, change } from '../../rows/row.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { describeWorkers } from '../../views/worker-view.ts';
import { addWorkerSetupCommand } from '../worker-setup.ts';

const { method } = ApplianceService;
const NAME: readonly Argument[] = [['name', '<name>', 'as assay worker list shows it']];

const ROWS: readonly CommandRow[] = [
  act('list', 'show the boxes that carry out work of the daemon (administrators)', {
    json: 'one line of JSON each',
    run: async (terminal: Terminal, { json }: { json?: true }) => {
      using client = await openClient(terminal);
      const { workers } = await client.call(method.listProcesses, {});
      if (json === true) for (const one of workers) printLine(terminal, toJsonLine(WorkerSchema, one));
      else printLine(terminal, workers.length === 0 ? 'no worker was heard of' : describeWorkers(workers));
    },
  }),
  change(
    'drain',
    'let it finish what it has and take nothing more, until it is resumed (administrators)',
    method.drainWorker,
    'worker',
    {
      takes: NAME,
      text: ({ name, running }) =>
        `${name} takes no more work and ${running === 0 ? 'has none' : `finishes the ${running} that it has`}`,
    },
  ),
  change('resume', 'let a drained worker take work again (administrators)', method.resumeWorker, 'worker', {
    takes: NAME,
    text: ({ name }) => `${name} takes work again`,
  }),
  change(
    'forget',
    'take a worker that is gone off the list (administrators)',
    method.forgetWorker,
    'worker',
    {
      takes: NAME,
      text: ({ name }) => `${name} is forgotten`,
    },
  ),
];

export function addWorkerCommand(program: Command, terminal: Terminal): void {
  const worker = program
    .command('worker')
    .description('workers: other boxes that carry out analyses for a daemon');
  worker
    .command('run', { isDefault: true })
    .description('carry out work until SIGTERM, over the NATS servers of nats.servers')
    .option('--config <file>', 'settings file (otherwise ASSAY_CONFIG)')
    .option('--name <name>', 'name of this worker, of a-z, 0-9 and - (otherwise that of the box)')
    .action(async (options: { config?: string; name?: string }) => {
      const daemon = await import('../../../serve.ts');
      try {
        await daemon.serveWorker(
          options.config === undefined ? [] : ['--config', options.config],
          options.name,
        );
      } catch (error) {
        throw new CliFailure(describeStartFailure(error), EXIT_CODES.someFailed, { cause: error });
      }
    });
  for (const row of ROWS) addRow(worker, terminal, row);
  addWorkerSetupCommand(worker, terminal);
}
