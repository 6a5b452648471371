/** What the configuration of `assay worker setup` lets each box do, by a real nats-server; and keys that come and go. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { pino } from 'pino';
import { connectNats } from '../../../src/engine/remote/connect.ts';
import {
  askSubject,
  cancelSubject,
  DAEMON_INBOX,
  inboxOf,
  leaseSubject,
  STREAM,
  VERBS,
} from '../../../src/engine/remote/messages.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { Broker, COMMAND, freePort, SERVER, skipWithoutBroker } from './broker.ts';
import { connectAs } from './lying-worker.ts';

const skip = skipWithoutBroker;

let folder: TemporaryFolder;
let broker: Broker;

before(async () => {
  if (skip) return;
  folder = await makeTemporaryFolder();
  const port = await freePort();
  const made = join(folder.path, 'broker');
  const options = ['--workers', 'one,two', '--listen', `127.0.0.1:${port}`, '--store', join(made, 'store')];
  const argv = [COMMAND, 'worker', 'setup', made, '--server', SERVER, ...options];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  broker = await Broker.of(made, port);
});

after(async () => {
  await broker?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** The refusals of the server, each as `publish SUBJECT` or `subscription SUBJECT`. */
async function refusedOf(
  connection: NatsConnection,
  { publish, subscribe }: { publish: readonly string[]; subscribe: readonly string[] },
): Promise<Set<string>> {
  const refused = new Set<string>();
  const statuses = connection.status();
  const listening = (async () => {
    for await (const status of statuses) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      refused.add(`${status.error.operation} ${status.error.subject}`);
    }
  })();
  for (const subject of publish) connection.publish(subject, '{}');
  for (const subject of subscribe) connection.subscribe(subject, { callback: () => {} });
  await connection.flush();
  await connection.close();
  await listening;
  return refused;
}

const OTHERS = {
  publish: [
    ...VERBS.map((verb) => askSubject('two', verb)),
    ...[cancelSubject('one'), cancelSubject('two'), leaseSubject('0'.repeat(32), 'image')],
    ...[`${inboxOf('two')}.1`, `${DAEMON_INBOX}.1`, '_INBOX.1'],
    ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'INFO', 'SNAPSHOT', 'MSG.GET', 'MSG.DELETE'].map(
      (what) => `$JS.API.STREAM.${what}.${STREAM}`,
    ),
    ...[`$JS.API.DIRECT.GET.${STREAM}`, '$JS.API.STREAM.NAMES', '$JS.API.STREAM.LIST', '$JS.API.INFO'],
    ...[`$JS.API.CONSUMER.CREATE.${STREAM}.own`, `$JS.API.CONSUMER.DURABLE.CREATE.${STREAM}.own`],
    ...[
      `$JS.API.CONSUMER.DELETE.${STREAM}.own`,
      '$JS.API.CONSUMER.MSG.NEXT.OTHER.own',
      '$JS.ACK.OTHER.own.1',
    ],
  ],
  subscribe: [
    ...['>', 'assay.>', 'assay.leases.>', 'assay.workers.*.ask.*', 'assay.workers.*.cancel', 'assay.inbox.>'],
    ...[cancelSubject('two'), `${inboxOf('two')}.>`, `${DAEMON_INBOX}.>`],
    ...['_INBOX.>', '$JS.>', '$JS.API.>', '$JS.ACK.>', '$SYS.>'],
  ],
};

test('a worker speaks for itself alone, hears what is meant for it, and reads no queue but by pulling', {
  skip,
}, async () => {
  const refused = await refusedOf(await connectAs(broker, 'one'), OTHERS);
  const wanted = [
    ...OTHERS.publish.map((subject) => `publish ${subject}`),
    ...OTHERS.subscribe.map((subject) => `subscription ${subject}`),
  ];
  assert.deepEqual([...refused].sort(), wanted.sort());
  const own = {
    publish: [
      ...VERBS.map((verb) => askSubject('one', verb)),
      `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.set-1`,
      `$JS.ACK.${STREAM}.set-1.1`,
    ],
    subscribe: [cancelSubject('one'), `${inboxOf('one')}.>`],
  };
  assert.deepEqual([...(await refusedOf(await connectAs(broker, 'one'), own))], []);
});

test('the daemon publishes what it sends and nothing in a worker’s name', { skip }, async () => {
  const publish = [
    ...VERBS.map((verb) => askSubject('one', verb)),
    ...[`${DAEMON_INBOX}.1`, '_INBOX.1', 'assay.other', `$JS.ACK.${STREAM}.set-1.1`],
    ...[`$JS.API.STREAM.DELETE.${STREAM}`, `$JS.API.STREAM.PURGE.${STREAM}`, '$JS.API.STREAM.CREATE.OTHER'],
    `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.set-1`,
  ];
  const subscribe = [
    '>',
    'assay.>',
    'assay.leases.>',
    `${inboxOf('one')}.>`,
    cancelSubject('one'),
    '_INBOX.>',
  ];
  const refused = await refusedOf(await connectAs(broker, 'daemon'), { publish, subscribe });
  const wanted = [
    ...publish.map((one) => `publish ${one}`),
    ...subscribe.map((one) => `subscription ${one}`),
  ];
  assert.deepEqual([...refused].sort(), wanted.sort());
  const sent = {
    publish: [cancelSubject('one'), `${inboxOf('one')}.1`, leaseSubject('0'.repeat(32), 'image')],
    subscribe: [askSubject('*', 'hello').replace('hello', '*'), `${DAEMON_INBOX}.>`],
  };
  assert.deepEqual([...(await refusedOf(await connectAs(broker, 'daemon'), sent))], []);
});

test('a server that lets anybody in is refused until the settings say otherwise', { skip }, async () => {
  const whole = broker.config;
  await broker.reconfigure(whole.slice(0, whole.indexOf('authorization {')));
  const stopped = new AbortController();
  const refusal = Promise.withResolvers<string>();
  const own = { servers: [`nats://${broker.address}`], nkeySeed: broker.seedOf('two'), caFile: null };
  const parts = { name: 'two', inboxPrefix: inboxOf('two'), log: pino({ level: 'silent' }) };
  const asked = connectNats(
    { ...own, allowUnauthenticated: false },
    { ...parts, signal: stopped.signal, refused: refusal.resolve },
  );
  assert.match(await refusal.promise, /lets anybody in, and nats\.allow_unauthenticated is not set/);
  stopped.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  const { signal } = new AbortController();
  const connection = await connectNats({ ...own, allowUnauthenticated: true }, { ...parts, signal });
  await connection.close();
  await broker.reconfigure(whole);
});

test('no client connects without a key of the configuration', { skip }, async () => {
  await assert.rejects(connect({ servers: broker.address }), /Authorization Violation/i);
});

test('a box that starts before its broker waits for it', { skip }, async () => {
  await broker.kill();
  const module = join(import.meta.dirname, '..', '..', '..', 'src', 'engine', 'remote', 'connect.ts');
  const program = `
    import { pino } from 'pino';
    import { connectNats } from ${JSON.stringify(module)};
    const config = { servers: ['nats://${broker.address}'], nkeySeed: '${broker.seedOf('two')}', caFile: null,
      allowUnauthenticated: false };
    const log = pino(pino.destination(2));
    const signal = new AbortController().signal;
    const connection = await connectNats(config, { name: 'two', inboxPrefix: '${inboxOf('two')}', log, signal });
    process.stdout.write('there');
    await connection.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  });
  const [said, exited] = [text(child.stdout), once(child, 'exit')];
  // Waits for the line which says that it found none.
  await once(child.stderr, 'data');
  await broker.restart();
  assert.deepEqual([await said, (await exited)[0]], ['there', 0]);
});

test('a key that was taken out and put back opens again, without anybody starting anew', {
  skip,
}, async () => {
  const signal = new AbortController().signal;
  const own = { nkeySeed: broker.seedOf('two'), caFile: null, allowUnauthenticated: false };
  const config = { servers: [`nats://${broker.address}`], ...own };
  const log = pino({ level: 'silent' });
  const connection = await connectNats(config, { name: 'two', inboxPrefix: inboxOf('two'), log, signal });
  const refusedTwice = triesOf(connection, 3);
  const whole = broker.config;
  const [, nkey = ''] = [...whole.matchAll(/nkey: (U\w+)/g)].map(([, key]) => key).slice(1);
  assert.ok(whole.includes(nkey) && nkey !== '');
  await broker.reconfigure(
    whole
      .split('\n')
      .filter((line) => !line.includes(nkey))
      .join('\n'),
  );
  await refusedTwice;
  await broker.reconfigure(whole);
  const deadline = Date.now() + PATIENCE_MS;
  const isBack = async () =>
    await connection.rtt().then(
      () => true,
      () => false,
    );
  while (!(await isBack())) {
    assert.ok(!connection.isClosed(), 'the connection was given up');
    assert.ok(Date.now() < deadline, 'the connection did not come back');
    await delay(100);
  }
  await connection.close();
});

/** Resolves when the connection, once it was lost, begins so many tries to come back. */
async function triesOf(connection: NatsConnection, count: number): Promise<void> {
  let tries = 0;
  for await (const { type } of connection.status()) {
    if (type === 'reconnecting') tries += 1;
    if (tries === count) return;
  }
  throw new Error(`the connection was closed after ${tries} tries to come back`);
}
