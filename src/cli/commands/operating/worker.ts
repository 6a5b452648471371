import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { brokerConfig, isWorkerName } from '../../../config/broker-config.ts';
import { codeOf } from '../../../domain/error-code.ts';
import { describeStartFailure } from '../../../domain/operator-fault.ts';
import { ApplianceService, WorkerSchema } from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { type Argument, act, addRow, type CommandRow, change } from '../../rows/row.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { describeWorkers } from '../../views/worker-view.ts';

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

interface SetupOptions {
  workers: string[];
  listen: string;
  store: string;
  server: string;
  json?: true;
}

const DAEMON = 'daemon';
function addWorkerSetupCommand(worker: Command, terminal: Terminal): void {
  worker
    .command('setup')
    .description(
      'write a configuration of nats-server and a key for the daemon and each worker into a folder',
    )
    .argument('<folder>', 'new files only; each key is readable by its owner alone')
    .requiredOption('--workers <names>', 'names of the workers, separated by commas', readNames)
    .option('--listen <address>', 'where nats-server listens', '127.0.0.1:4222')
    .option('--store <folder>', 'where nats-server keeps leases', '/var/lib/nats')
    .option('--server <program>', 'the nats-server that checks the configuration', 'nats-server')
    .option('--json', 'print JSON')
    .action(async (folder: string, options: SetupOptions) => {
      const { createUser } = await import('@nats-io/nkeys');
      const version = versionOf(options.server);
      const users = [DAEMON, ...options.workers].map((name) => ({ name, pair: createUser() }));
      const [daemon, ...workers] = users.map(({ name, pair }) => ({ name, nkey: pair.getPublicKey() }));
      if (daemon === undefined) throw new Error('there is always the daemon');
      const { listen, store: storeFolder } = options;
      const config = join(resolve(folder), 'nats.conf');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const text = brokerConfig({ listen, storeFolder, daemon, workers, version });
      writeNew(config, text);
      for (const { name, pair } of users) {
        writeNew(join(folder, `${name}.nkey`), new TextDecoder().decode(pair.getSeed()));
      }
      check(options.server, config);
      const note = text.includes('sync_interval')
        ? null
        : `nats-server ${version} may lose leases of its last two minutes with the power; the daemon publishes them again`;
      const said = { config, keys: users.map(({ name }) => join(resolve(folder), `${name}.nkey`)), note };
      if (options.json) return printLine(terminal, JSON.stringify(said));
      for (const path of [said.config, ...said.keys]) printLine(terminal, path);
      if (note !== null) printLine(terminal, note);
    });
}

function readNames(value: string): string[] {
  const names = value.split(',');
  const bad = names.find((name) => !isWorkerName(name) || name === DAEMON);
  if (bad === undefined && new Set(names).size === names.length) return names;
  throw new CliFailure(
    `--workers: expected different names of a-z, 0-9 and - (not ${DAEMON}), found ${value}`,
    EXIT_CODES.usage,
  );
}

function versionOf(server: string): string {
  const { stdout, status } = spawnSync(server, ['--version'], { encoding: 'utf8' });
  const found = /v(\d+\.\d+\.\d+)/.exec(stdout ?? '');
  if (status === 0 && found?.[1] !== undefined) return found[1];
  throw new CliFailure(
    `--server: expected a nats-server (apt-get install nats-server), found none as ${server}`,
    EXIT_CODES.someFailed,
  );
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CliFailure(`${path}: expected a place for a new file: ${codeOf(error)}`, EXIT_CODES.someFailed);
  }
}

function check(server: string, config: string): void {
  const { status, stderr } = spawnSync(server, ['-t', '-c', config], { encoding: 'utf8' });
  if (status !== 0)
    throw new CliFailure(`${server} refuses ${config}: ${stderr.trim()}`, EXIT_CODES.someFailed);
}
