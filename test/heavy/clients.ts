/** 1,000 idle and 200 slow clients, then 5,000 subscribers of a record: a read stays within three times its unloaded median. */
import type { Socket } from 'node:net';
import { quantile } from '../../evaluate/quantile.ts';
import { TestDaemon } from '../daemon.ts';
import { childrenOf } from '../faults/rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  metricOf,
  pidOf,
  submitPicture,
  until,
} from '../faults/rounds/submissions.ts';
import { openSockets, subscribe } from '../many-sockets.ts';
import { descriptorsOf, megabytes, memoryOf, timeReads } from './measure.ts';

const IDLE = 1000;
const SLOW = 200;
const SUBSCRIBERS = 5000;
const READS = 200;
const SLOWDOWN_MAX = 3;
/** Below it the machine's own jitter is larger than what is measured. */
const MEDIAN_MS_MIN = 2;
const SUBSCRIBE_TIMEOUT_MS = 60_000;
const DESCRIPTORS_TOLERANCE = 20;
const DRIP_MS = 500;
const WATCH = 'subscription ($identifier: ID!) { classification(identifier: $identifier) { status } }';
const TAIL_CHARACTERS = 400;

const misses: string[] = [];

function expect(holds: boolean, what: string): void {
  if (!holds) misses.push(what);
}

async function measure(daemon: TestDaemon, name: string, identifier: string, median: number) {
  const times = await timeReads(daemon, identifier, READS);
  const now = quantile(times, 0.5);
  expect(now <= SLOWDOWN_MAX * Math.max(median, MEDIAN_MS_MIN), `${name}: a read takes ${now.toFixed(1)} ms`);
  return {
    'read median': `${now.toFixed(2)} ms`,
    'read p99': `${quantile(times, 0.99).toFixed(2)} ms`,
    memory: megabytes(memoryOf(daemon)),
    descriptors: descriptorsOf(daemon),
  };
}

interface Held {
  daemon: TestDaemon;
  identifier: string;
  /** Median of a read while no other client is connected. */
  medianMs: number;
  /** Descriptors then. */
  descriptors: number;
  rows: Record<string, unknown>;
}

async function row({ daemon, identifier, medianMs, rows }: Held, name: string): Promise<void> {
  rows[name] = await measure(daemon, name, identifier, medianMs);
}

async function letGo({ daemon, descriptors }: Held, sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy();
  const areBack = () => descriptorsOf(daemon) <= descriptors + DESCRIPTORS_TOLERANCE;
  await until(areBack, 'the descriptors to come back');
}

async function holdIdleAndSlow(held: Held): Promise<void> {
  const { http } = held.daemon;
  const idle = await openSockets(http, IDLE, () => {});
  const slow = await openSockets(http, SLOW, (socket) => socket.write('GET / HTTP/1.1\r\nX: '));
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('x');
  }, DRIP_MS);
  await row(held, `${IDLE} idle, ${SLOW} slow`);
  clearInterval(drip);
  await letGo(held, [...idle, ...slow]);
  await row(held, 'after them');
}

/** The sockets that have got the end. */
function noteEnds(sockets: readonly Socket[]): Set<Socket> {
  const ended = new Set<Socket>();
  for (const socket of sockets) {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('latin1')).slice(-TAIL_CHARACTERS);
      if (text.includes('DONE') || text.includes('event: complete')) ended.add(socket);
    });
  }
  return ended;
}

async function holdSubscribers(held: Held): Promise<string> {
  const { daemon } = held;
  // The models stand still, so that the record stays new while all come.
  const { inference } = childrenOf(pidOf(daemon));
  for (const pid of inference) process.kill(pid, 'SIGSTOP');
  const watched = await submitPicture(daemon, await distinctPicture(2));
  const memoryBefore = memoryOf(daemon);
  const sockets = await openSockets(daemon.http, SUBSCRIBERS, subscribe(WATCH, { identifier: watched }));
  const ended = noteEnds(sockets);
  const areThere = async () => (await metricOf(daemon, 'assay_watchers')) >= SUBSCRIBERS;
  await until(areThere, `${SUBSCRIBERS} watchers`, SUBSCRIBE_TIMEOUT_MS);
  const each = (memoryOf(daemon) - memoryBefore) / SUBSCRIBERS;
  await row(held, `${SUBSCRIBERS} subscribers`);
  const startedAt = performance.now();
  for (const pid of inference) process.kill(pid, 'SIGCONT');
  await until(() => ended.size === SUBSCRIBERS, 'every subscriber to get the end', SUBSCRIBE_TIMEOUT_MS);
  const endedMs = performance.now() - startedAt;
  await letGo(held, sockets);
  await until(async () => (await metricOf(daemon, 'assay_watchers')) === 0, 'the watchers to be gone');
  await row(held, 'after them all');
  return `a subscriber takes ${(each / 1000).toFixed(1)} kB; all got the end within ${endedMs.toFixed(0)} ms`;
}

async function run(): Promise<void> {
  await using daemon = await TestDaemon.start();
  const identifier = await submitPicture(daemon, await distinctPicture(1));
  await awaitEnds(daemon, [identifier]);
  await timeReads(daemon, identifier, READS);
  const medianMs = quantile(await timeReads(daemon, identifier, READS), 0.5);
  const held: Held = { daemon, identifier, medianMs, descriptors: descriptorsOf(daemon), rows: {} };
  await row(held, 'unloaded');
  await holdIdleAndSlow(held);
  const sentence = await holdSubscribers(held);
  console.table(held.rows);
  process.stdout.write(`${sentence}\n`);
}

await run();
for (const miss of misses) process.stderr.write(`missed: ${miss}\n`);
if (misses.length > 0) process.exitCode = 1;
