/** The notify protocol of systemd against a real datagram socket, with the daemon itself. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readNoticeConfig, ServiceNotice, watchWorkers } from '../../src/machinery/service-notice.ts';
import { TestDaemon } from '../daemon.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** Prints each datagram on a line of its own; Node cannot listen on such a socket. */
const LISTENER = `
use Socket; $| = 1;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($socket, pack_sockaddr_un($ARGV[0])) or die $!;
while (defined recv($socket, my $datagram, 4096, 0)) { $datagram =~ s/\\n/ | /g; print "$datagram\\n"; }
`;

/** What the service needs and what plays systemd here; without them there is nothing to test. */
const isMissing = ['/usr/bin/systemd-notify', '/usr/bin/perl'].find((path) => !existsSync(path));
const skip = isMissing === undefined ? false : `${isMissing} is not on this machine`;

const COMMAND = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

function listen(socket: string): { lines: string[]; child: ChildProcess } {
  const child = spawn('/usr/bin/perl', ['-e', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { lines, child };
}

test('a daemon reports that it is ready, that it lives, and that it stops', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const socket = join(folder.path, 'notify');
  const { lines, child } = listen(socket);
  try {
    await until(() => existsSync(socket), 'the listener');
    const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000000' };
    await using daemon = await TestDaemon.start({ models: 'tiny', env });
    await until(() => lines.some((line) => line.includes('READY=1')), 'READY');
    match(lines.join('\n'), /STATUS=serving http:\/\/127\.0\.0\.1:\d+ and gRPC on 127\.0\.0\.1:\d+/);
    const fed = () => lines.filter((line) => line.includes('WATCHDOG=1')).length;
    await until(() => fed() >= 3, 'the watchdog to be fed');
    equal(await daemon.kill('SIGTERM'), 0);
    await until(() => lines.some((line) => line.includes('STOPPING=1')), 'STOPPING');
    equal(
      lines.findIndex((line) => line.includes('READY=1')) <
        lines.findIndex((line) => line.includes('STOPPING=1')),
      true,
    );
  } finally {
    child.kill('SIGKILL');
  }
});

test('a worker reports the same while the daemon is still away', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const socket = join(folder.path, 'notify');
  const { lines, child } = listen(socket);
  try {
    await until(() => existsSync(socket), 'the listener');
    const worker = spawn(process.execPath, [COMMAND, 'worker', '--name', 'one'], {
      env: {
        ...{ PATH: process.env.PATH, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000000' },
        // No one listens there.
        ...{ ASSAY_NATS_ALLOW_UNAUTHENTICATED: 'true' },
        ...{ ASSAY_NATS_SERVERS: 'nats://127.0.0.1:9', ASSAY_DATA_DIR: join(folder.path, 'data') },
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    await until(
      () => lines.some((line) => line.includes('READY=1 | STATUS=looking for the daemon')),
      'READY',
    );
    await until(
      () => lines.filter((line) => line.includes('WATCHDOG=1')).length >= 3,
      'the watchdog to be fed',
    );
    const exited = once(worker, 'exit');
    worker.kill('SIGTERM');
    deepEqual(await exited, [0, null]);
    await until(() => lines.some((line) => line.includes('STOPPING=1')), 'STOPPING');
  } finally {
    child.kill('SIGKILL');
  }
});

test('the watchdog is fed only while the workers live and the loop turns', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const socket = join(folder.path, 'notify');
  const { lines, child } = listen(socket);
  try {
    await until(() => existsSync(socket), 'the listener');
    const fed = () => lines.filter((line) => line.includes('WATCHDOG=1')).length;
    let isAlive = true;
    using notice = new ServiceNotice(
      { socket, watchdogUs: 400_000 },
      { isAlive: () => isAlive, warn: (text) => ok(false, text) },
    );
    await notice.ready('test');
    await until(() => fed() >= 3, 'the watchdog to be fed');
    isAlive = false;
    // A message on its way arrives within this time.
    await delay(500);
    const before = fed();
    await delay(1000);
    equal(fed(), before);
    isAlive = true;
    await until(() => fed() > before, 'the watchdog to be fed again');
    await delay(300);
    const beforeBlock = fed();
    // A loop that hangs feeds nothing: ten intervals go by, one timer fires after them.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    isAlive = false;
    await delay(500);
    ok(fed() - beforeBlock <= 3, `${fed() - beforeBlock}`);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a worker counts as absent after two minutes, not while it restarts', () => {
  let now = 0;
  const status = { phase: 'starting', inferencePids: [] as number[] };
  const isAlive = watchWorkers(
    () => status,
    () => now,
  );
  const after = (seconds: number): boolean => {
    now += seconds * 1000;
    return isAlive();
  };
  equal(after(600), true);
  Object.assign(status, { phase: 'ready', inferencePids: [7] });
  equal(after(600), true);
  status.inferencePids = [];
  equal(after(119), true);
  status.inferencePids = [8];
  equal(after(600), true);
  status.inferencePids = [];
  equal(after(121), false);
  Object.assign(status, { phase: 'failed', inferencePids: [8] });
  equal(after(121), false);
  Object.assign(status, { phase: 'draining', inferencePids: [] });
  equal(after(1), true);
});

test('without a service manager nothing is reported', () => {
  const none = readNoticeConfig({});
  equal(none.socket, null);
  equal(none.watchdogUs, null);
  ok(readNoticeConfig({ WATCHDOG_USEC: 'soon' }).watchdogUs === null);
});
