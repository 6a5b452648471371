/** `assay worker`: carries out the work of a daemon on another box, in this process; and what the daemon knows of such. */

import type { Command } from 'commander';
import { describeStartFailure } from '../../../domain/operator-fault.ts';
import {
  ApplianceService,
  type Worker,
  WorkerSchema,
} from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { describeWorkers } from '../../views/worker-view.ts';
import { addWorkerSetupCommand } from '../worker-setup.ts';

const { method } = ApplianceService;

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
  worker
    .command('list')
    .description('show the boxes that carry out work of the daemon (administrators)')
    .option('--json', 'one line of JSON each')
    .action((options: { json?: true }) => listWorkers(terminal, options));
  addChanges(worker, terminal);
  addWorkerSetupCommand(worker, terminal);
}

interface Json {
  json?: true;
}

type Change = typeof method.drainWorker | typeof method.resumeWorker | typeof method.forgetWorker;

function addChanges(worker: Command, terminal: Terminal): void {
  const add = (name: string, description: string, change: Change, describe: (worker: Worker) => string) =>
    worker
      .command(name)
      .description(`${description} (administrators)`)
      .argument('<name>', 'as assay worker list shows it')
      .option('--json', 'the worker as one line of JSON')
      .action((worker: string, options: Json) =>
        changeWorker(terminal, change, { worker, ...options, describe }),
      );
  add(
    'drain',
    'let it finish what it has and take nothing more, until it is resumed',
    method.drainWorker,
    drained,
  );
  add(
    'resume',
    'let a drained worker take work again',
    method.resumeWorker,
    ({ name }) => `${name} takes work again`,
  );
  add('forget', 'list one no more that is gone', method.forgetWorker, ({ name }) => `${name} is forgotten`);
}

function drained({ name, running }: Worker): string {
  return `${name} takes no more work and ${running === 0 ? 'has none' : `finishes the ${running} that it has`}`;
}

async function changeWorker(
  terminal: Terminal,
  change: Change,
  { worker: name, json, describe }: Json & { worker: string; describe: (worker: Worker) => string },
): Promise<void> {
  using client = await openClient(terminal);
  const { worker } = await client.call<Change['input'], Change['output']>(change, { name });
  if (worker === undefined) return;
  printLine(terminal, json === true ? toJsonLine(WorkerSchema, worker) : describe(worker));
}

async function listWorkers(terminal: Terminal, options: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { workers } = await client.call(method.listProcesses, {});
  if (options.json === true) for (const one of workers) printLine(terminal, toJsonLine(WorkerSchema, one));
  else printLine(terminal, workers.length === 0 ? 'no worker was heard of' : describeWorkers(workers));
}
