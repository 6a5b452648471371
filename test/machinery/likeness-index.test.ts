import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hammingDistance } from '../../src/domain/media/perceptual-hash.ts';
import { LikenessIndex } from '../../src/machinery/likeness/likeness-index.ts';

/** A hash of its own for each number, by a small generator: neighbours share nothing. */
function hashOf(number: number): string {
  let state = (number + 1) * 2_654_435_761;
  let hash = '';
  while (hash.length < 64) {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    hash += state.toString(16).padStart(8, '0');
  }
  return hash;
}

/** With so many of its bits turned over. */
function changed(hash: string, bits: number): string {
  const digits = hash.split('');
  for (let bit = 0; bit < bits; bit++) {
    const at = (bit * 7) % 64;
    digits[at] = (Number.parseInt(digits[at] ?? '0', 16) ^ (1 << (Math.floor((bit * 7) / 64) % 4))).toString(
      16,
    );
  }
  return digits.join('');
}

function filled(count: number, accountOf: (row: number) => number): LikenessIndex {
  const index = new LikenessIndex();
  for (let row = 1; row <= count; row++) {
    index.add({ sequence: row * 10, accountId: accountOf(row), hash: hashOf(row) });
  }
  return index;
}

test('near pictures are found, with their distance, over more than one slice', async () => {
  const index = filled(70_000, () => 1);
  for (const [row, bits] of [
    [1, 0],
    [40_000, 12],
    [70_000, 31],
  ] as const) {
    const hash = changed(hashOf(row), bits);
    assert.equal(hammingDistance(hash, hashOf(row)), bits);
    const hits = await index.search([{ hash, distanceMax: 31 }], new Set([1]), 10);
    assert.deepEqual(hits, [{ sequence: row * 10, query: 0, distance: bits }]);
  }
  const far = changed(hashOf(1), 32);
  assert.deepEqual(await index.search([{ hash: far, distanceMax: 31 }], new Set([1]), 10), []);
});

test('only rows of the accounts that are asked for', async () => {
  const index = filled(100, (row) => (row % 2) + 1);
  const query = [{ hash: hashOf(7), distanceMax: 31 }];
  assert.equal((await index.search(query, new Set([2]), 10)).length, 1);
  assert.equal((await index.search(query, new Set([1]), 10)).length, 0);
  assert.equal((await index.search(query, new Set([1, 2]), 10)).length, 1);
});

test('a removed row is not found, not even by a hash of zeros', async () => {
  const index = filled(100, () => 1);
  index.remove(70);
  index.remove(75);
  const nothing = '0'.repeat(64);
  for (const hash of [hashOf(7), nothing]) {
    assert.deepEqual(await index.search([{ hash, distanceMax: 31 }], new Set([1]), 10), []);
  }
  assert.equal((await index.search([{ hash: hashOf(8), distanceMax: 31 }], new Set([1]), 10)).length, 1);
});

test('the newest of many copies are found, and no more than asked for', async () => {
  const index = new LikenessIndex();
  for (let row = 1; row <= 50; row++) index.add({ sequence: row, accountId: 1, hash: hashOf(3) });
  const hits = await index.search([{ hash: hashOf(3), distanceMax: 31 }], new Set([1]), 5);
  assert.deepEqual(
    hits.map(({ sequence }) => sequence),
    [50, 49, 48, 47, 46],
  );
});
