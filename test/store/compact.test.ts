/** Compaction on a real LMDB: the same values in a smaller file, at a start and by the command. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { chown, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { EPOCH_SUBJECT } from '../../src/store/custody/reindex.ts';
import type { StoreSpace } from '../../src/store/space/space.ts';
import { Store } from '../../src/store/store.ts';
import { runCommand } from '../cli/run-command.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const RECORDS = 200;
const LARGE_BYTES = 30_000;
const NOBODY = { address: '127.0.0.1:9', key: '' };
const MEGABYTE = 1e6;

const sizeOf = (folder: string): number => statSync(join(folder, 'records', 'data.mdb')).size;

/** Records whose analyses were large for a while; what the store says of them. */
async function fill(folder: string): Promise<unknown> {
  await using store = await Store.open({ folder });
  await seedRecords(store, RECORDS, () => ({ name: 'a.png', probability: 0.5 }));
  for (const error of ['x'.repeat(LARGE_BYTES), '']) {
    await store.transact((tx) => {
      for (let index = 0; index < RECORDS; index += 1) {
        const analysis = tx.analyses.get(identifierOf(index));
        assert.ok(analysis !== undefined);
        tx.putAnalysis({ ...analysis, error });
      }
    });
  }
  return stateOf(store);
}

async function spaceOf(folder: string): Promise<StoreSpace> {
  await using store = await Store.open({ folder });
  return await store.space();
}

function stateOf({ read }: Store): unknown {
  const { custody } = read;
  return {
    records: read.records.list({ accountId: 1, limit: RECORDS }),
    analyses: Array.from({ length: RECORDS }, (_, index) => read.analyses.get(identifierOf(index))),
    ledger: read.ledger(1),
    head: custody.head(),
    epochs: custody.rowsOf([EPOCH_SUBJECT], { limit: 10 }).length,
    epoch: { ...custody.epoch(), inode: 0 },
  };
}

test('the command makes the file small, and the next start finds the same store', async () => {
  await using folder = await makeTemporaryFolder();
  const before = await fill(folder.path);
  const bytesBefore = sizeOf(folder.path);
  const { freeBytes } = await spaceOf(folder.path);
  const outcome = await runCommand(NOBODY, ['store', 'compact', '--data-dir', folder.path, '--json']);
  assert.deepEqual([outcome.code, outcome.err], [0, '']);
  const bytesAfter = sizeOf(folder.path);
  assert.deepEqual(JSON.parse(outcome.out), {
    data_dir: folder.path,
    bytes_before: bytesBefore,
    bytes_after: bytesAfter,
  });
  const missed = Math.abs(bytesBefore - freeBytes - bytesAfter);
  assert.ok(
    missed < bytesAfter / 10,
    `${freeBytes} of ${bytesBefore} bytes were free, ${bytesAfter} are left`,
  );
  assert.ok(bytesAfter < bytesBefore / 2, `${bytesBefore} bytes before, ${bytesAfter} after`);
  assert.ok(!existsSync(join(folder.path, 'records-compact')));
  {
    await using store = await Store.open({ folder: folder.path });
    assert.deepEqual(stateOf(store), before);
    assert.equal((await store.space()).bytes, bytesAfter);
    await store.transact((tx) =>
      tx.appendLedger({ accountId: 1, reason: 'grant', amount: 1, identifier: '', at: 1 }),
    );
  }
  const again = await runCommand(NOBODY, ['store', 'compact', '--data-dir', folder.path]);
  assert.match(again.out, /^the records of .* have [\d.]+ MB now, [\d.]+ MB before\n$/);
});

test('a copied folder is still recognised after a compaction', async () => {
  await using folder = await makeTemporaryFolder();
  await fill(folder.path);
  const copy = join(folder.path, 'copy');
  await cp(join(folder.path, 'records'), join(copy, 'records'), { recursive: true });
  const outcome = await runCommand(NOBODY, ['store', 'compact', '--data-dir', copy]);
  assert.equal(outcome.code, 0, outcome.err);
  await using store = await Store.open({ folder: copy });
  const [newest] = store.read.custody.last({ limit: 1 });
  const reason = newest?.details?.what?.reason;
  assert.deepEqual([newest?.kind, reason], ['epoch_opened', 'the data folder was copied or moved']);
});

test('a start compacts a file that is mostly free, and removes what a killed one left', async () => {
  await using folder = await makeTemporaryFolder();
  const before = await fill(folder.path);
  const bytesBefore = sizeOf(folder.path);
  await mkdir(join(folder.path, 'records-compact'));
  await writeFile(join(folder.path, 'records-compact', 'data.mdb'), 'half a copy');
  const said: string[] = [];
  const onUpgrade = (message: string): void => void said.push(message);
  {
    await using store = await Store.open({ folder: folder.path, onUpgrade });
    assert.deepEqual([said, sizeOf(folder.path)], [[], bytesBefore], 'too small to be worth it');
    assert.deepEqual(stateOf(store), before);
  }
  assert.ok(!existsSync(join(folder.path, 'records-compact')));
  const small = { folder: folder.path, onUpgrade, compactBytesMin: MEGABYTE };
  {
    await using store = await Store.open(small);
    assert.match(
      said.join('\n'),
      /^\d+ MB of the \d+ MB of the records are free; they are compacted\nthe records have \d+ MB now$/,
    );
    assert.ok(sizeOf(folder.path) < bytesBefore / 2);
    assert.deepEqual(stateOf(store), before);
  }
  await using store = await Store.open(small);
  assert.equal(said.length, 2, 'once is enough');
  assert.deepEqual(stateOf(store), before);
});

test('a user other than the owner compacts nothing', async () => {
  // Only root may give a file away; without it there is no one else to ask for.
  if (process.geteuid?.() !== 0) return;
  await using folder = await makeTemporaryFolder();
  await fill(folder.path);
  await chown(join(folder.path, 'records', 'data.mdb'), 12345, 12345);
  const refused = await runCommand(NOBODY, ['store', 'compact', '--data-dir', folder.path]);
  const reason = 'the records belong to user 12345, this is user 0: run it as their owner';
  assert.deepEqual([refused.code, refused.err], [1, `assay: ${reason}\n`]);
});

test('an open store is not compacted, and a folder without a store is refused', async () => {
  await using folder = await makeTemporaryFolder();
  const empty = await runCommand(NOBODY, ['store', 'compact', '--data-dir', folder.path]);
  assert.deepEqual(
    [empty.code, empty.err],
    [2, `assay: ${folder.path} is no data folder: it has no records\n`],
  );
  await using store = await Store.open({ folder: folder.path });
  const bytes = sizeOf(store.folder);
  const refused = await runCommand(NOBODY, ['store', 'compact', '--data-dir', folder.path]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /process \d+/);
  assert.equal(sizeOf(folder.path), bytes);
});
