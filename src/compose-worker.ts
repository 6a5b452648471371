/** What a worker on another box is made of: the decode and inference children of a daemon, without its store and facades. */
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { pino } from 'pino';
import type { Settings } from './config/settings.ts';
import { MICROSECONDS_PER_MS } from './domain/time.ts';
import { VERSION } from './domain/version.ts';
import { ChildExecutor } from './engine/executors/child-executor.ts';
import { brokerFault, connectNats } from './engine/remote/connect.ts';
import { LeaseTaker } from './engine/remote/lease-taker.ts';
import {
  ANSWERS,
  askSubject,
  decode,
  encode,
  type Hello,
  inboxOf,
  type Welcome,
  WORKER_NAME,
} from './engine/remote/messages.ts';
import type { WorkersStatus } from './machinery/service-notice.ts';
import { closeToOthers } from './store/private-folder.ts';

const HELLO_PAUSE_MS = 1000;

/** Takes work until the signal aborts, then gives back what it has not finished. */
export async function runWorker(
  settings: Settings,
  {
    name = defaultName(),
    ready,
    signal,
  }: { name?: string; ready: (status: () => WorkersStatus) => void; signal: AbortSignal },
): Promise<void> {
  if (!WORKER_NAME.test(name)) throw new Error(`a worker's name is of a-z, 0-9 and -, found ${name}`);
  if (settings.nats === null) throw new Error('nats.servers: expected a NATS server, found none');
  const log = pino({ level: settings.log.level, base: null }, pino.destination({ dest: 2, sync: true }));
  const clock = { now: () => Math.round((performance.timeOrigin + performance.now()) * MICROSECONDS_PER_MS) };
  await using stack = new AsyncDisposableStack();
  const { nkeySeed } = settings.nats;
  const connection = await connectNats(
    { ...settings.nats, nkeySeed: nkeySeed?.reveal() ?? null },
    { name, inboxPrefix: inboxOf(name), log, signal },
  );
  stack.defer(async () => await connection.close());
  const ask = async (): Promise<Welcome | undefined> => {
    const said: Hello = { version: VERSION, packs: [], places: 0, clock: clock.now(), isDraining: false };
    const { data } = await connection.request(askSubject(name, 'hello'), await encode(said));
    return await decode(ANSWERS.hello, data);
  };
  let welcome = await ask().catch(() => undefined);
  while (welcome === undefined) {
    await delay(HELLO_PAUSE_MS, undefined, { signal });
    welcome = await ask().catch(() => undefined);
  }
  const { engine, dataFolder } = settings;
  const folder = join(dataFolder, 'originals');
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await closeToOthers(dataFolder, (message) => log.warn(message));
  await rm(folder, { recursive: true, force: true });
  const executor = stack.use(
    new ChildExecutor(
      {
        ...engine,
        ...welcome.terms,
        analysesMax: Math.max(1, engine.analysesMax),
        checksAllPacksAtOnce: true,
        trust: () => welcome.terms.trust,
        diskFreeBytesMin: settings.app.diskFreeBytesMin,
      },
      { log, observer: QUIET, changed: () => {} },
    ),
  );
  await executor.start();
  await executor.loadPacks();
  const taker = new LeaseTaker({ name, slots: executor.slots, folder }, { connection, executor, log, clock });
  signal.addEventListener('abort', () => taker.drain(), { once: true });
  ready(() => {
    const { inference } = executor;
    return { phase: inference === null ? 'starting' : 'ready', inferencePids: inference?.pids() ?? [] };
  });
  const fault = await Promise.race([taker.run().then(() => null), openBroker(connection, settings.nats)]);
  if (fault !== null) throw new Error(fault);
}

/** A server that comes back without authorisation ends the service, whose new start waits for one that asks for a key. */
async function openBroker(
  connection: NatsConnection,
  nats: NonNullable<Settings['nats']>,
): Promise<string | null> {
  for await (const { type } of connection.status()) {
    const fault = type === 'reconnect' ? brokerFault(connection, nats) : null;
    if (fault !== null) return fault;
  }
  return null;
}

/** Counts nothing, since the daemon counts by its workers' reports. */
const QUIET = {
  analysisEnded: () => {},
  stepTimed: () => {},
  workerDied: () => {},
  queueChanged: () => {},
  videoDecoded: () => {},
};

const defaultName = (): string => hostname().toLowerCase().split('.')[0] ?? '';
