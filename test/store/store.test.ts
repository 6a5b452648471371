import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { open } from 'lmdb';
import { appliancePlan } from '../../src/domain/accounts/plan.ts';
import type { Classification } from '../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { openRecordsCopy } from '../../src/store/records-copy.ts';
import { Store } from '../../src/store/store.ts';
import { decodeValue, encodeValue } from '../../src/store/tables/codec.ts';
import { TABLES_MAX } from '../../src/store/tables/schema.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const NEVER = new AbortController().signal;
/** The format goes up for what is changed, not for a table that is added: so many may come within one format. */
const LATER_TABLES = 40;
const grant = { accountId: 1, reason: 'grant', amount: 10, identifier: '', at: 1 } as const;

const RECORD: Classification = {
  identifier: 'cd'.repeat(32),
  accountId: 1,
  kind: 'image',
  name: 'picture.png',
  refId: '',
  hash: '',
  mime: 'image/png',
  sizeBytes: 8,
  sourceUrl: null,
  options: DEFAULT_OPTIONS,
  analysisId: 'ef'.repeat(32),
  origin: 'analysed',
  cancelled: false,
  credits: 0,
  webhookUrl: null,
  requestId: null,
  createdAt: 1,
};

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a change that throws leaves nothing behind', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await assert.rejects(
    store.transact((tx) => {
      tx.appendLedger(grant);
      throw new Error('refused');
    }),
    /refused/,
  );
  assert.equal(store.read.balance(1).available, 0);
});

test('later reads see nothing of an undone change', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const plan = appliancePlan(0);
  await store.transact((tx) => tx.accounts.putPlan(plan));
  assert.equal(store.read.accounts.plans.get(plan.id)?.name, plan.name);
  const change = store.transact((tx) => {
    tx.accounts.putPlan({ ...plan, name: 'undone' });
    assert.equal(tx.accounts.plans.get(plan.id)?.name, 'undone');
    throw new Error('refused');
  });
  await assert.rejects(change, /refused/);
  assert.equal(store.read.accounts.plans.get(plan.id)?.name, plan.name);
});

test('that a record has no exports is remembered until it has one, also beside a change that is undone', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const reading = { rulesVersion: 3, classification: 'human', state: 'human', probability: 0.1 };
  const exports = [{ ...reading, at: 1, byAccountId: 1, fingerprint: 'f', packageSha256: 'a' }];
  const read = () => store.read.exportsOf('record')?.exports;
  assert.equal(read(), undefined);
  const change = store.transact((tx) => {
    tx.putExports('record', { exports });
    assert.deepEqual(tx.exportsOf('record'), { exports });
    throw new Error('refused');
  });
  await assert.rejects(change, /refused/);
  assert.equal(read(), undefined);
  const committed = store.transact((tx) => tx.putExports('record', { exports }));
  assert.equal(read(), undefined, 'not on the disk yet');
  await committed;
  assert.deepEqual(read(), exports);
  await store.transact((tx) => tx.removeExports('record'));
  assert.equal(read(), undefined);
});

test('the ledger’s sum is the balance', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await store.transact((tx) => tx.appendLedger(grant));
  await store.transact((tx) => tx.appendLedger({ ...grant, reason: 'charge', amount: -3, identifier: 'a' }));
  await store.transact((tx) => tx.appendLedger({ ...grant, reason: 'refund', amount: 3, identifier: 'a' }));
  const sum = store.read.ledger(1).reduce((total, { amount }) => total + amount, 0);
  assert.deepEqual(store.read.balance(1), { available: sum, spent: 0, sequence: 3 });
});

test('a flipped bit is found, never served', () => {
  const bytes = encodeValue({ verdict: 'human' });
  assert.deepEqual(decodeValue('t', 'k', bytes), { verdict: 'human' });
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  assert.throws(() => decodeValue('t', 'k', bytes), /damaged record in t/);
});

test('a store that a later version gave more tables opens, and a check of it reads them all', async () => {
  await using folder = await makeTemporaryFolder();
  const records = join(folder.path, 'records');
  await using first = await Store.open({ folder: folder.path });
  await first[Symbol.asyncDispose]();
  const root = open({ path: records, pageSize: 8192, maxDbs: TABLES_MAX });
  for (let later = 0; later < LATER_TABLES; later++)
    await root.openDB({ name: `later-${later}`, encoding: 'binary' }).put('key', Buffer.from([1]));
  await root.close();
  await using store = await Store.open({ folder: folder.path });
  await store.transact((tx) => tx.appendLedger(grant));
  assert.equal(store.read.balance(1).available, 10);
  await store[Symbol.asyncDispose]();
  await using copy = await openRecordsCopy(records);
  assert.ok((await copy.check(NEVER)) > LATER_TABLES);
});

test('a second opener is refused with the pid of the first', async () => {
  await using folder = await makeTemporaryFolder();
  await using _first = await Store.open({ folder: folder.path });
  await assert.rejects(Store.open({ folder: folder.path }), new RegExp(`in use by process ${process.pid}`));
});

test('bytes are hashed and counted in one pass, bounded, and swept while no record needs them', async () => {
  await using folder = await makeTemporaryFolder();
  let hash: string;
  {
    await using store = await Store.open({ folder: folder.path });
    const blob = await store.blobs.receive(chunks('ab', 'c'), { bytesMax: 3 }, NEVER);
    hash = blob.hash;
    assert.equal(blob.sizeBytes, 3);
    assert.equal(hash, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    await assert.rejects(
      store.blobs.receive(chunks('ab', 'cd'), { bytesMax: 3 }, NEVER),
      /more than 3 bytes/,
    );
    await store.blobs.keep(blob);
    assert.ok(existsSync(store.blobs.pathOf(hash)));
    await writeFile(join(folder.path, 'uploads', 'left-behind'), 'x');
  }
  await using again = await Store.open({ folder: folder.path });
  assert.equal(await again.sweepOrphans(NEVER), 1);
  assert.equal(existsSync(again.blobs.pathOf(hash)), false);
  assert.equal(existsSync(join(folder.path, 'uploads', 'left-behind')), false);
});

test('bytes get their name once they are flushed, and never if the flush fails', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const turns = [Promise.withResolvers<Disposable>(), Promise.withResolvers<Disposable>()];
  const receive = async (text: string, turn: number) => {
    const enterFlush = () => turns[turn]?.promise ?? assert.fail('no such turn');
    return await store.blobs.receive(chunks(text), { bytesMax: 9, enterFlush }, NEVER);
  };
  const [waiting, refused] = [await receive('waiting', 0), await receive('refused', 1)];
  assert.equal(await readFile(waiting.path, 'utf8'), 'waiting', 'it can be looked at already');
  const keeping = store.blobs.keep(waiting);
  await delay(50);
  assert.equal(store.blobs.isThere(waiting.hash), false);
  turns[0]?.resolve({ [Symbol.dispose]() {} });
  await keeping;
  assert.equal(store.blobs.isThere(waiting.hash), true);

  turns[1]?.reject(new Error('the disk is gone'));
  await assert.rejects(store.blobs.keep(refused), /the disk is gone/);
  assert.equal(store.blobs.isThere(refused.hash), false);
  await store.blobs.discard(refused);
  assert.equal(existsSync(refused.path), false);
});

test('a sweep beside running work takes orphans only, and no submission that is on its way', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const receive = (text: string) => store.blobs.receive(chunks(text), { bytesMax: 9 }, NEVER);
  const [orphan, arriving] = [await receive('orphan'), await receive('arriving')];
  await store.blobs.keep(orphan);
  const artifact = store.artifacts.pathOf('ab'.repeat(32), 'heatmap.png');
  await mkdir(dirname(artifact), { recursive: true });
  const { promise: seen, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: kept, resolve: isKept } = Promise.withResolvers<void>();
  const submission = store.blobs.withLock(arriving.hash, async () => {
    await store.blobs.keep(arriving);
    isKept();
    await seen;
    await store.transact((tx) => tx.putClassification({ ...RECORD, hash: arriving.hash }));
  });
  const sweep = store.sweepOrphans(NEVER);
  await kept;
  await delay(50);
  assert.equal(existsSync(store.blobs.pathOf(arriving.hash)), true);
  letGo();
  await submission;
  assert.equal(await sweep, 2);
  assert.equal(existsSync(store.blobs.pathOf(orphan.hash)), false);
  assert.equal(existsSync(store.blobs.pathOf(arriving.hash)), true);
  assert.equal(existsSync(dirname(artifact)), false);
});
