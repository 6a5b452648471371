/** What a change costs that many watch: of a whole account, over server-sent events, as the page's list has them. */
import { mkdtempDisposableSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from '../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../../test/daemon.ts';
import { metricOf, pidOf, until } from '../../test/faults/rounds/submissions.ts';
import { openSockets, subscribe } from '../../test/many-sockets.ts';
import { identifierOf, seedRecords } from '../../test/seeded-records.ts';
import { countsOf } from '../counts.ts';
import { processorSecondsOf, rssAnonOf } from '../process-tree.ts';
import { type Row, RUNS } from '../row.ts';

const OTHER_CONNECTIONS = 100;
const CONNECT_TIMEOUT_MS = 300_000;
const WATCH = 'subscription { classifications { identifier forceClassification } }';
const JUDGE = `mutation ($input: OverrideClassificationInput!) {
  overrideClassification(input: $input) { userErrors { message } } }`;
const MIB_KIB = 1024;
const MICROSECONDS = 1_000_000;

export async function measureWatchers(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of countsOf('ASSAY_BENCH_WATCHERS', [10, 1_000, 5_000]))
    rows.push(...(await measureWatchersOf(count)));
  return rows;
}

async function measureWatchersOf(count: number): Promise<Row[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  await seedOne(folder.path);
  await using daemon = await TestDaemon.start({ folder: folder.path, env: allow(count) });
  const pid = pidOf(daemon);
  const memoryBefore = rssAnonOf(pid);
  const admittingBefore = processorSecondsOf(pid);
  const sockets = await openSockets(daemon.http, count, subscribe(WATCH));
  const areThere = async () => (await metricOf(daemon, 'assay_watchers')) >= count;
  await until(areThere, `${count} watchers`, CONNECT_TIMEOUT_MS);
  const admittedEach = ((processorSecondsOf(pid) - admittingBefore) * MICROSECONDS) / count;
  const memoryEach = ((rssAnonOf(pid) - memoryBefore) * MIB_KIB) / count;
  const receivedMs: number[] = [];
  const processorEach: number[] = [];
  // The first change only warms up.
  for (let run = 0; run <= RUNS; run++) {
    const spentBefore = processorSecondsOf(pid);
    const startedAt = performance.now();
    const received = allReceived(sockets);
    await judge(daemon, run % 2 === 0 ? 'HUMAN' : 'ARTIFICIAL');
    await received;
    if (run === 0) continue;
    receivedMs.push(performance.now() - startedAt);
    processorEach.push(((processorSecondsOf(pid) - spentBefore) * MICROSECONDS) / count);
  }
  for (const socket of sockets) socket.destroy();
  const of = (name: string) => `${name}, ${count} watchers`;
  return [
    { name: of('processor time to admit one'), unit: 'µs', better: 'lower', runs: [admittedEach] },
    { name: of('a change until the last knows'), unit: 'ms', better: 'lower', runs: receivedMs },
    { name: of('processor time of a change, each'), unit: 'µs', better: 'lower', runs: processorEach },
    { name: of('memory of the daemon, each'), unit: 'KiB', better: 'lower', runs: [memoryEach] },
  ];
}

/** Allows a connection for each watcher, and some for the bench's own requests. */
function allow(count: number): Record<string, string> {
  return { ASSAY_HTTP_CONNECTIONS_MAX: String(Math.max(10_000, count + OTHER_CONNECTIONS)) };
}

async function seedOne(folder: string): Promise<void> {
  {
    // Makes the account that the record is of.
    await using _daemon = await TestDaemon.start({ folder });
  }
  await using store = await Store.open({ folder });
  await seedRecords(store, 1, () => ({ name: 'harbour.jpg', probability: 0.5 }));
}

/** The moment at which each watcher was sent the record again. */
async function allReceived(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          const look = (chunk: Buffer) => {
            if (!chunk.includes(identifierOf(0))) return;
            socket.off('data', look);
            resolve();
          };
          socket.on('data', look);
        }),
    ),
  );
}

async function judge({ http }: TestDaemon, classification: 'HUMAN' | 'ARTIFICIAL'): Promise<void> {
  const input = { kind: 'IMAGE', hash: identifierOf(0), classification };
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': TEST_KEY },
    body: JSON.stringify({ query: JUDGE, variables: { input } }),
  });
  const { data } = (await response.json()) as {
    data?: { overrideClassification: { userErrors: { message: string }[] } };
  };
  const [fault] = data?.overrideClassification.userErrors ?? [{ message: `answered ${response.status}` }];
  if (fault !== undefined) throw new Error(fault.message);
}
