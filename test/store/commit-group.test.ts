import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RootDatabase } from 'lmdb';
import type { StoreChange } from '../../src/store/accounts/change.ts';
import { verifyCustody } from '../../src/store/custody/verify.ts';
import { MACHINE_DISK, type RecordsDisk } from '../../src/store/records-disk.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const CHANGES = 100;

class CountingDisk implements RecordsDisk {
  readonly noSync = MACHINE_DISK.noSync;
  freeBytes = MACHINE_DISK.freeBytes;
  commits = 0;
  fault: 'full' | 'flush' | null = null;

  async commit(root: RootDatabase, work: () => void): Promise<void> {
    await MACHINE_DISK.commit(root, () => {
      work();
      this.commits += 1;
      if (this.fault === 'full') throw Object.assign(new Error('MDB_MAP_FULL'), { code: 'ENOSPC' });
    });
    if (this.fault === 'flush') throw new Error('EIO: the disk did not flush');
  }
}

async function openStore(stack: AsyncDisposableStack) {
  const folder = stack.use(await makeTemporaryFolder());
  const disk = new CountingDisk();
  const changes: StoreChange[] = [];
  const store = stack.use(await Store.open({ folder: folder.path, disk }));
  store.follow((change) => changes.push(change));
  disk.commits = 0;
  return { store, disk, changes, folder: folder.path };
}

/** One line of the ledger, which is counted from the one before, and one entry of the log, chained to the one before. */
function grant(store: Store, accountId: number, { isRefused = false } = {}): Promise<number> {
  return store.transact((tx) => {
    tx.appendLedger({ accountId, reason: 'grant', amount: 1, identifier: '', at: 1 } as unknown as Parameters<
      typeof tx.appendLedger
    >[0]);
    tx.log.append({ kind: 'looked_at', subject: 'a'.repeat(64), actor: accountId, details: {} });
    if (isRefused) throw new Error(`refused ${accountId}`);
    return tx.balance(accountId).sequence;
  });
}

async function assertChained(store: Store): Promise<void> {
  const { isWhole, faults } = await verifyCustody(store.read.custody, {
    publicKeys: null,
    signal: new AbortController().signal,
  });
  assert.ok(isWhole, JSON.stringify(faults));
}

test('many changes at once take few commits, in their order of arrival', async () => {
  await using stack = new AsyncDisposableStack();
  const { store, disk, changes } = await openStore(stack);
  const ended: number[] = [];
  const many = Array.from({ length: CHANGES }, async () => ended.push(await grant(store, 1)));
  await Promise.all(many);
  assert.deepEqual(
    ended,
    Array.from({ length: CHANGES }, (_, index) => index + 1),
  );
  assert.ok(disk.commits <= 2, `${disk.commits} commits`);
  assert.equal(changes.length, CHANGES);
  await assertChained(store);
});

test('a change that throws undoes itself alone', async () => {
  await using stack = new AsyncDisposableStack();
  const { store, disk, changes } = await openStore(stack);
  const size = store.read.custody.size;
  const many = Array.from({ length: 9 }, (_, index) => grant(store, 1, { isRefused: index % 3 === 1 }));
  const ends = await Promise.allSettled(many);
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason))),
    [1, 'Error: refused 1', 2, 3, 'Error: refused 1', 4, 5, 'Error: refused 1', 6],
  );
  assert.equal(disk.commits, 1);
  assert.deepEqual(store.read.balance(1), { available: 6, spent: 0, sequence: 6 });
  assert.equal(store.read.custody.size, size + 6);
  assert.equal(changes.length, 6, 'undone changes are not sent');
  await assertChained(store);
});

test('a change that reads the log sees the entries before it, and takes only its own with it', async () => {
  await using stack = new AsyncDisposableStack();
  const { store, disk } = await openStore(stack);
  const { size } = store.read.custody;
  const looked = 'a'.repeat(64);
  const look = (subject: string, end: 'stays' | 'is undone') =>
    store.transact((tx) => {
      const sequence = tx.log.append({ kind: 'looked_at', subject, actor: 1, details: {} });
      const seen = tx.custody.rowsOf([looked], { limit: 9 }).length;
      if (end === 'is undone') throw new Error(`${sequence} saw ${seen}`);
      return [sequence - size, seen];
    });
  const ends = await Promise.allSettled([
    grant(store, 1),
    look('b'.repeat(64), 'is undone'),
    look(looked, 'stays'),
    look(looked, 'is undone'),
    grant(store, 1, { isRefused: true }),
    grant(store, 1),
    look(looked, 'stays'),
  ]);
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason))),
    [1, `Error: ${size + 1} saw 1`, [1, 2], `Error: ${size + 2} saw 3`, 'Error: refused 1', 2, [3, 4]],
  );
  assert.equal(disk.commits, 1);
  assert.equal(store.read.custody.size, size + 4);
  const rows = store.read.custody.rowsOf([looked], { limit: 9 });
  assert.deepEqual(
    rows.map(({ sequence }) => sequence - size),
    [3, 2, 1, 0],
  );
  await assertChained(store);
});

for (const fault of ['full', 'flush'] as const) {
  test(`if the disk is at fault (${fault}), each change fails and says so`, async () => {
    await using stack = new AsyncDisposableStack();
    const { store, disk, changes } = await openStore(stack);
    await grant(store, 1);
    disk.fault = fault;
    const ends = await Promise.allSettled([
      grant(store, 1),
      grant(store, 2, { isRefused: true }),
      grant(store, 3),
    ]);
    const message = fault === 'full' ? /MDB_MAP_FULL/ : /EIO: the disk did not flush/;
    assert.match(String((ends[0] as PromiseRejectedResult).reason), message);
    assert.match(String((ends[1] as PromiseRejectedResult).reason), /refused 2/);
    assert.match(String((ends[2] as PromiseRejectedResult).reason), message);
    assert.equal(changes.length, 1);
    disk.fault = null;
    if (fault === 'full') assert.deepEqual(store.read.balance(1), { available: 1, spent: 0, sequence: 1 });
    const next = await grant(store, 1);
    assert.equal(next, fault === 'full' ? 2 : 3, 'what was read under an undone group is not remembered');
    await assertChained(store);
  });
}

test('changes requested before the store closes are on the disk', async () => {
  await using stack = new AsyncDisposableStack();
  const { store, folder } = await openStore(stack);
  const asked = Promise.all([grant(store, 1), grant(store, 1)]);
  await store[Symbol.asyncDispose]();
  assert.deepEqual(await asked, [1, 2]);
  await using again = await Store.open({ folder });
  assert.equal(again.read.balance(1).available, 2);
});

test('the event loop goes on while a group is written and flushed', async () => {
  await using stack = new AsyncDisposableStack();
  const { store } = await openStore(stack);
  let turns = 0;
  await store.transact(() => setImmediate(() => (turns += 1)) && undefined);
  assert.equal(turns, 1, 'no turn between the change and its answer');
});

test('a size read while groups are written never goes back', async () => {
  await using stack = new AsyncDisposableStack();
  const { store } = await openStore(stack);
  const sizes: number[] = [];
  // The head of the log is a remembered value.
  const reading = setInterval(() => sizes.push(store.read.custody.size), 0);
  stack.defer(() => clearInterval(reading));
  for (let round = 0; round < CHANGES; round++) {
    const size = store.read.custody.size;
    await grant(store, 1);
    assert.equal(store.read.custody.size, size + 1);
  }
  assert.ok(sizes.length > 0, 'no one read meanwhile');
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => a - b),
    'a size of before came after a later one',
  );
});
