/** Readers of old states of a real store: seen, aged by the clock, warned of once, gone with their process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { ReaderWatch } from '../../src/app/appliance/doctor/reader-watch.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const NONE = { transactions: 0, seconds: 0 };
const NEVER_MS = 2 ** 30;
/** Reads the records as they are now, for as long as it runs. */
const READER = `
  import { open } from 'lmdb';
  const root = open({ path: process.argv[1], maxDbs: 64 });
  root.useReadTransaction();
  process.stdout.write('reads');
  setInterval(() => {}, 1000);`;

async function startReader(folder: string): Promise<() => Promise<void>> {
  const argv = ['--input-type=module', '--eval', READER, join(folder, 'records')];
  const cwd = join(import.meta.dirname, '..', '..');
  const child = spawn(process.execPath, argv, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

async function change(store: Store, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await store.transact((tx) =>
      tx.appendLedger({ accountId: 1, reason: 'grant', amount: 1, identifier: '', at: 1 }),
    );
  }
  // The store's own reading ends in the next turn.
  await delay(5);
}

test('a reader of an old state is counted and timed once it falls behind, and logged once', async () => {
  await using folder = await makeTemporaryFolder();
  let nowMs = 0;
  await using store = await Store.open({ folder: folder.path, uptimeMs: () => nowMs });
  const sink = new PassThrough();
  const said = () => (sink.read() as Buffer | null)?.toString() ?? '';
  using watch = new ReaderWatch({ store, log: pino(sink) }, NEVER_MS);
  const pass = (seconds: number): void => {
    nowMs += seconds * 1000;
    watch.look();
  };
  await change(store, 3);
  pass(100);
  assert.deepEqual([store.oldestReader(), said()], [NONE, '']);

  const end = await startReader(folder.path);
  pass(100);
  assert.deepEqual(store.oldestReader(), NONE, 'it reads the newest state, and holds nothing back');
  await change(store, 30);
  pass(0);
  pass(59);
  assert.deepEqual([store.oldestReader(), said()], [{ transactions: 30, seconds: 59 }, '']);
  pass(2);
  assert.match(said(), /"transactions":30,"seconds":61,"msg":"an old state of the records is still read/);
  pass(2);
  assert.equal(said(), '', 'once');
  await end();
  pass(1);
  assert.match(said(), /no old state of the records is read any more/);
  assert.deepEqual(store.oldestReader(), NONE);
});
