/** `assay store compact` is killed at instants spread over its copy. */
import { deepEqual, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '../../src/store/store.ts';
import { COMPILED } from '../daemon.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const RECORDS = 1500;
const LARGE_BYTES = 20_000;
/** After the copy's folder is there. The copy takes some hundred milliseconds; the last rounds meet its end. */
const KILLED_AFTER_MS = [0, 5, 15, 40, 80, 160, 320];

/** What the store holds, and enough free pages to be worth the work. */
async function fill(folder: string): Promise<void> {
  await using store = await Store.open({ folder });
  await seedRecords(store, RECORDS, () => ({ name: 'a.png', probability: 0.5 }));
  for (const bytes of [2 * LARGE_BYTES, LARGE_BYTES]) {
    await store.transact((tx) => {
      for (let index = 0; index < RECORDS; index += 1) {
        const analysis = tx.analyses.get(identifierOf(index));
        ok(analysis !== undefined);
        tx.putAnalysis({ ...analysis, error: 'x'.repeat(bytes) });
      }
    });
  }
}

async function read(folder: string): Promise<unknown> {
  await using store = await Store.open({ folder });
  return {
    records: store.read.records.list({ accountId: 1, limit: RECORDS }),
    ledger: store.read.ledger(1),
    errorBytes: Array.from({ length: RECORDS }, (_, index) => errorBytes(store, index)),
  };
}

/** A copied folder begins a new epoch of its custody log, so that the log is compared by test/store/compact.test.ts only. */
const errorBytes = ({ read }: Store, index: number): number | undefined =>
  read.analyses.get(identifierOf(index))?.error.length;

/** True if it was killed before it ended. */
async function compactAndKill(folder: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [MAIN, 'store', 'compact', '--data-dir', folder], {
    env: { PATH: process.env.PATH, ...COMPILED },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const isOver = exited.then(() => true);
  const partial = join(folder, 'records-compact');
  while (!existsSync(partial) && child.exitCode === null) await Promise.race([delay(1), isOver]);
  await Promise.race([delay(afterMs), isOver]);
  child.kill('SIGKILL');
  const [, signal] = await exited;
  return signal === 'SIGKILL';
}

test('a compaction killed at any instant leaves the records as they were', async () => {
  await using folder = await makeTemporaryFolder();
  const original = join(folder.path, 'original');
  await fill(original);
  const before = await read(original);
  let killed = 0;
  let leftACopy = 0;
  for (const [round, afterMs] of KILLED_AFTER_MS.entries()) {
    const copy = join(folder.path, `round-${round}`);
    await cp(original, copy, { recursive: true });
    if (await compactAndKill(copy, afterMs)) killed += 1;
    if (existsSync(join(copy, 'records-compact'))) leftACopy += 1;
    deepEqual(await read(copy), before, `killed ${afterMs} ms into the copy`);
    ok(!existsSync(join(copy, 'records-compact')), 'a start removes what the killed process left');
  }
  ok(killed >= 3 && leftACopy >= 3, `${killed} were killed, ${leftACopy} amid their copy`);
});
