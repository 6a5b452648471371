/** Walks over ranges of a real LMDB: what they give, and that one left half-way keeps nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { firstKey, type Range, walkEntries, walkKeys } from '../../src/store/tables/ranges.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** More than the first three pages. */
const ROWS = 1000;
const WIDE_BYTES = 400_000;

interface Opened extends AsyncDisposable {
  root: RootDatabase;
  table: Database<Buffer, Key>;
}

async function openTable(): Promise<Opened> {
  const folder = await makeTemporaryFolder();
  const root = open({ path: join(folder.path, 'records'), maxDbs: 4 });
  const table = root.openDB<Buffer, Key>('rows', { encoding: 'binary' });
  root.transactionSync(() => {
    for (let row = 0; row < ROWS; row += 1) table.putSync([1, row], Buffer.from([row % 256]));
  });
  const close = async () => {
    await root.close();
    await folder[Symbol.asyncDispose]();
  };
  return { root, table, [Symbol.asyncDispose]: close };
}

const upwards = Array.from({ length: ROWS }, (_, row) => row);
const RANGES: { name: string; range: Range; expected: number[] }[] = [
  { name: 'everything', range: {}, expected: upwards },
  { name: 'everything, reversed', range: { reverse: true }, expected: upwards.toReversed() },
  {
    name: 'an end is not part of it',
    range: { start: [1, 5], end: [1, 700] },
    expected: upwards.slice(5, 700),
  },
  { name: 'without its start', range: { start: [1, 5], exclusiveStart: true }, expected: upwards.slice(6) },
  {
    name: 'reversed from between two keys',
    range: { start: [1, 699.5], end: [1, 3], reverse: true, exclusiveStart: true },
    expected: upwards.slice(4, 700).toReversed(),
  },
  { name: 'nothing', range: { start: [2], end: [3] }, expected: [] },
];

test('a walk over many pages gives every row once, in order', async () => {
  await using opened = await openTable();
  const { table } = opened;
  for (const { name, range, expected } of RANGES) {
    assert.deepEqual(
      Array.from(walkKeys(table, range), (key) => (key as number[])[1]),
      expected,
      name,
    );
    assert.deepEqual(
      Array.from(walkEntries(table, range), ({ key }) => (key as number[])[1]),
      expected,
      name,
    );
    assert.deepEqual(firstKey(table, range), expected.length === 0 ? undefined : [1, expected[0]], name);
  }
});

test('a page of wide values ends at its bound, and the walk goes on', async () => {
  await using opened = await openTable();
  const { root, table } = opened;
  root.transactionSync(() => {
    for (let row = 0; row < 20; row += 1) table.putSync([2, row], Buffer.alloc(WIDE_BYTES, row));
  });
  const rows = Array.from(walkEntries(table, { start: [2], end: [3] }), ({ value }) => value[0]);
  assert.deepEqual(rows, upwards.slice(0, 20));
});

test('a walk sees what is written and removed behind its page', async () => {
  await using opened = await openTable();
  const { root, table } = opened;
  const seen: unknown[] = [];
  for (const key of walkKeys(table, {})) {
    if (seen.length === 0) {
      root.transactionSync(() => {
        for (let row = 100; row < ROWS; row += 1) table.removeSync([1, row]);
        table.putSync([1, ROWS], Buffer.from([1]));
      });
    }
    seen.push((key as number[])[1]);
  }
  assert.deepEqual(seen, [...upwards.slice(0, 100), ROWS]);
});

test('walks that are left half-way keep no snapshot, however they are left', async () => {
  await using opened = await openTable();
  const { root, table } = opened;
  const left = [walkKeys(table, {}), walkEntries(table, {}), walkKeys(table, { reverse: true })];
  for (const walk of left) walk.next();
  assert.throws(() => {
    for (const _ of walkKeys(table, {})) throw new Error('the caller failed');
  });
  for (let count = 0; count < 30; count += 1) {
    await nextTurn();
    root.transactionSync(() => table.putSync([1, 0], Buffer.from([count])));
  }
  // The daemon's own reading transaction is given back in the next turn.
  await delay(10);
  assert.doesNotMatch(root.readerList(), /^\s*\d+ \w+ \d+$/m);
  assert.equal(
    left.every((walk) => walk.next().done === false),
    true,
  );
});
