/** Boxes lose each other without a kill, or a broker is full: this costs time, but no file, attempt or figure. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { STREAM } from '../../../src/engine/remote/messages.ts';
import { reach, runCommand } from '../../command-line.ts';
import type { TestDaemon } from '../../daemon.ts';
import {
  type Broker,
  freePort,
  SERVER,
  skipWithoutBroker,
  type TestWorker,
  type WorkerStart,
} from '../../engine/remote/broker.ts';
import { until } from '../../faults/rounds/submissions.ts';
import { writeTinyImagePack } from '../../interface/packs.ts';
import { copyProgram } from '../../program-copy.ts';
import { Random } from '../random.ts';
import { Fleet } from './fleet.ts';
import { SilentProxy } from './silent-proxy.ts';
import {
  awaitIdle,
  compareWithHome,
  makeSample,
  type Sample,
  type Submitted,
  statusOf,
  submit,
} from './submissions.ts';

const NAMES = ['one', 'two', 'newer', 'other'];
const LEASE_SECONDS = 2;
/** Short, so that work which only waits would soon be overdue. */
const ANALYSIS_TIMEOUT_MS = 15_000;
/** Longer than two of them. */
const FULL_MS = 35_000;
/** As NATS says it. */
const UNLIMITED = -1;
/** Workers may vanish less often over a file before that costs an attempt. */
const DRAINS = 7;
const FLOWING = 24;
const END_TIMEOUT_MS = 240_000;
/** May do everything: the daemon may not change the stream that it made. */
const OPERATOR = { user: 'operator', pass: 'secret' };
/** Holds each file for so long that it can be met in mid-job. */
const SLOW: WorkerStart = {
  entry: [join(import.meta.dirname, '..', '..', '..', 'bench', 'waiting-worker.ts')],
};
const SLOW_ENV = { BENCH_WAIT_MS: '4000', ASSAY_QUEUE_RUNNING_MAX: '1' };

interface Stage {
  fleet: Fleet;
  front: TestDaemon;
  /** To the listener for media, for all workers. */
  media: SilentProxy;
  sent: Sample[];
  random: Random;
}

interface Status {
  name: string;
  here?: boolean;
  running?: number;
  done?: string | number;
  refusal?: string;
}

async function workersOf({ front }: Stage): Promise<Map<string, Status>> {
  const { code, stdout, stderr } = await runCommand(['worker', 'list', '--json'], reach(front));
  if (code !== 0) throw new Error(stderr);
  const found = stdout.split('\n').filter((line) => line.startsWith('{'));
  return new Map(found.map((line) => JSON.parse(line) as Status).map((status) => [status.name, status]));
}

async function send(stage: Stage): Promise<Submitted> {
  const sample = await makeSample(stage.random);
  stage.sent.push(sample);
  return { kind: sample.kind, identifier: await submit(stage.front, sample) };
}

const isHeld = async (stage: Stage, name: string) => ((await workersOf(stage)).get(name)?.running ?? 0) > 0;

async function end({ front }: Stage, file: Submitted): Promise<void> {
  await until(
    async () => (await statusOf(front, file)) === 'done',
    `${file.identifier} to be done`,
    END_TIMEOUT_MS,
  );
}

async function secondsOf(work: () => Promise<unknown>): Promise<string> {
  const startedAt = performance.now();
  await work();
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

async function cutOff(stage: Stage): Promise<string> {
  const { fleet, media } = stage;
  await using broker = await SilentProxy.to(fleet.broker.port);
  const env = { ...SLOW_ENV, ASSAY_NATS_SERVERS: `nats://127.0.0.1:${broker.port}` };
  await using _one = await fleet.startWorker('one', env, SLOW);
  const file = await send(stage);
  await until(() => isHeld(stage, 'one'), 'the worker to hold it');
  broker.fallSilent();
  media.fallSilent();
  const lost = await secondsOf(() =>
    until(async () => !(await isHeld(stage, 'one')), 'the lease to be lost'),
  );
  media.speak();
  await using _two = await fleet.startWorker('two');
  const done = await secondsOf(() => end(stage, file));
  broker.speak();
  await until(async () => (await workersOf(stage)).get('one')?.here === true, 'the worker to come back');
  const next = await Promise.all(Array.from({ length: 4 }, () => send(stage)));
  for (const one of next) await end(stage, one);
  return `lost after ${lost} (lease ${LEASE_SECONDS} s), done by another ${done} after that one was up`;
}

async function standStill(stage: Stage): Promise<string> {
  await using one = await stage.fleet.startWorker('one', SLOW_ENV, SLOW);
  const file = await send(stage);
  await until(() => isHeld(stage, 'one'), 'the worker to hold it');
  one.process.kill('SIGSTOP');
  await using _two = await stage.fleet.startWorker('two');
  const done = await secondsOf(() => end(stage, file));
  one.process.kill('SIGCONT');
  for (let count = 0; count < 4; count++) await end(stage, await send(stage));
  return `done by another after ${done}, while the first stood still`;
}

/** Refuses what would make it larger. */
async function limitStream(broker: Broker, bytesMax: number): Promise<void> {
  const connection = await connect({ servers: broker.address, ...OPERATOR });
  const { streams } = await jetstreamManager(connection);
  await streams.update(STREAM, { max_bytes: bytesMax, discard: DiscardPolicy.New });
  await connection.close();
}

/** Neither more bytes nor more connections, for longer than an analysis may take. */
async function fillBroker(stage: Stage): Promise<string> {
  const { broker } = stage.fleet;
  await using _one = await stage.fleet.startWorker('one');
  await end(stage, await send(stage));
  await limitStream(broker, 1);
  const waiting = await Promise.all(Array.from({ length: 4 }, () => send(stage)));
  await delay(FULL_MS);
  const ended = await Promise.all(waiting.map((file) => statusOf(stage.front, file)));
  if (ended.some((status) => status !== 'new')) throw new Error('the broker was not full');
  await limitStream(broker, UNLIMITED);
  const done = await secondsOf(async () => {
    for (const file of waiting) await end(stage, file);
  });
  const { config } = broker;
  await broker.reconfigure(`${config}max_connections: 1\n`);
  const late = await send(stage);
  await delay(FULL_MS / 5);
  await broker.reconfigure(config);
  await end(stage, late);
  return `4 of 4 waited, and were done ${done} after there was room`;
}

async function hideMedia(stage: Stage): Promise<string> {
  await using _one = await stage.fleet.startWorker('one');
  stage.media.refuse();
  const waiting = await Promise.all([send(stage), send(stage)]);
  await delay(FULL_MS);
  stage.media.speak();
  for (const file of waiting) await end(stage, file);
  return 'both waited';
}

async function drainOften(stage: Stage): Promise<string> {
  let worker: TestWorker | null = null;
  const file = await send(stage);
  for (let drains = 0; drains < DRAINS; drains++) {
    worker = await stage.fleet.startWorker('one', SLOW_ENV, SLOW);
    await until(() => isHeld(stage, 'one'), 'the worker to hold it');
    const code = await worker.end('SIGTERM');
    if (code !== 0) throw new Error(`a drained worker ended with ${code}: ${worker.stderr.join('\n')}`);
  }
  await using _one = await stage.fleet.startWorker('one');
  await end(stage, file);
  return `given back ${DRAINS} times`;
}

/** Another version, and the same one with another pack: neither may judge. */
async function startStrangers({ fleet }: Stage): Promise<TestWorker[]> {
  const program = await copyProgram(fleet.folder);
  const path = join(program, 'src', 'domain', 'version.ts');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(\bVERSION = ')[^']+/, '$199.0.0'));
  const entry = [join(program, 'src', 'cli', 'main.ts'), 'worker'];
  const packs = join(fleet.folder, 'other-packs');
  await writeTinyImagePack(packs, { id: 'tiny-other', minimumShortSide: 10 });
  return [
    await fleet.startWorker('newer', {}, { entry }),
    await fleet.startWorker('other', { ASSAY_MODELS_FOLDERS: packs }),
  ];
}

async function upgrade(stage: Stage): Promise<string> {
  const { fleet } = stage;
  const slow = { ...SLOW_ENV, BENCH_WAIT_MS: '300' };
  const workers = new Map<string, TestWorker>();
  for (const name of ['one', 'two']) workers.set(name, await fleet.startWorker(name, slow, SLOW));
  const strangers = await startStrangers(stage);
  const files: Submitted[] = [];
  const flowing = (async () => {
    for (let count = 0; count < FLOWING; count++) {
      files.push(await send(stage));
      await delay(400);
    }
  })();
  for (const [name, worker] of workers) {
    await until(() => isHeld(stage, name), `${name} to hold work`);
    const code = await worker.end('SIGTERM');
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${worker.stderr.join('\n')}`);
    workers.set(name, await fleet.startWorker(name, slow, SLOW));
  }
  await flowing;
  for (const file of files) await end(stage, file);
  const found = await workersOf(stage);
  for (const worker of [...workers.values(), ...strangers]) await worker.end('SIGTERM');
  const reports = ['newer', 'other'].map((name) => {
    const { done = 0, refusal = '' } = found.get(name) ?? {};
    if (Number(done) > 0 || refusal === '')
      throw new Error(`${name} has done ${done}, refused for: ${refusal}`);
    return `${name}: ${refusal}`;
  });
  return `${FLOWING} files while both were replaced; ${reports.join('; ')}`;
}

const SCENARIOS = {
  'cut off in mid-job': cutOff,
  'a worker that stands still': standStill,
  'a full broker': fillBroker,
  'a listener for media out of reach': hideMedia,
  'drained over and over': drainOften,
  'a rolling upgrade': upgrade,
} as const;

async function play(stage: Stage): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    try {
      process.stdout.write(`${name}: ${await scenario(stage)}\n`);
    } catch (error) {
      process.stdout.write(`${name}: FAILED: ${error}\n`);
      problems.push(name);
    }
    stage.media.speak();
  }
  return problems;
}

async function main(): Promise<boolean> {
  if (skipWithoutBroker) {
    process.stdout.write(`skipped: ${skipWithoutBroker}\n`);
    return true;
  }
  process.stdout.write(`partition: ${SERVER}\n`);
  const port = await freePort();
  await using media = await SilentProxy.to(port);
  await using fleet = await Fleet.open({
    names: NAMES,
    leaseSeconds: LEASE_SECONDS,
    frontEnv: {
      ASSAY_WORKERS_LISTEN: `127.0.0.1:${port}`,
      ASSAY_WORKERS_MEDIA_URL: `http://127.0.0.1:${media.port}`,
      ASSAY_ANALYSIS_TIMEOUT_MS: String(ANALYSIS_TIMEOUT_MS),
    },
  });
  const { user, pass } = OPERATOR;
  const { broker } = fleet;
  await broker.reconfigure(
    broker.config.replace('users: [', `users: [\n    { user: ${user}, password: ${pass} }`),
  );
  const front = await fleet.startFront();
  const sent: Sample[] = [];
  const problems = await play({ fleet, front, media, sent, random: new Random(1) });
  if (problems.length === 0) await awaitIdle(front);
  await front.kill('SIGTERM');
  const { compared, retried, problems: differences } = await compareWithHome(fleet, sent);
  if (retried > 0) problems.push(`${retried} files cost an attempt`);
  problems.push(...differences);
  process.stdout.write(`${compared} files compared with those at home; ${problems.length} problems\n`);
  process.stdout.write(problems.map((problem) => `  ${problem}\n`).join(''));
  return problems.length === 0;
}

if (!(await main())) process.exitCode = 1;
