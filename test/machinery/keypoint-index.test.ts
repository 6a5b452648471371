/** The index of keypoints: over several runs, merged or not, it finds who shares words, within the accounts that are asked for. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DESCRIPTOR_WORDS, emptyKeypoints, type Keypoints } from '../../src/domain/media/keypoints.ts';
import { KeypointIndex, YOUNG_ROWS_MAX } from '../../src/machinery/likeness/keypoint-index.ts';
import { drawFrom } from '../media/scene.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const COUNT = 12;
const VOTES_MIN = 8;

function keypoints(seed: number, turn = 0): Keypoints {
  const draw = drawFrom(seed);
  const made = emptyKeypoints(512, 512, COUNT);
  for (let at = 0; at < COUNT * DESCRIPTOR_WORDS; at++) made.words[at] = Math.floor(draw() * 2 ** 32);
  for (let at = 0; at < COUNT; at++) made.angle[at] = Math.floor(draw() * 256) + turn;
  return made;
}

function indexOf(rows: number, index = new KeypointIndex(tmpdir())): KeypointIndex {
  for (let row = 1; row <= rows; row++) {
    index.add({ sequence: row * 10, accountId: 1 + (row % 2), keypoints: keypoints(row) });
  }
  return index;
}

test('a picture is found in a run that was merged, a sorted one and the one that grows, also turned', async () => {
  const index = indexOf(3 * YOUNG_ROWS_MAX + 50);
  const bytes = index.bytes;
  await index.settle();
  assert.ok(index.bytes < bytes, 'two runs share one table of words');
  for (const row of [3, 2 * YOUNG_ROWS_MAX, 2 * YOUNG_ROWS_MAX + 1, 3 * YOUNG_ROWS_MAX + 20]) {
    for (const turn of [0, 77]) {
      const hits = await index.search(
        [keypoints(999_999), keypoints(row, turn)],
        new Set([1, 2]),
        5,
        VOTES_MIN,
      );
      assert.deepEqual(
        hits.map(({ sequence, query }) => [sequence, query]),
        [[row * 10, 1]],
      );
    }
  }
  index.add({ sequence: 1_000_000, accountId: 1, keypoints: keypoints(4_000_000) });
  const hits = await index.search([keypoints(4_000_000)], new Set([1]), 5, VOTES_MIN);
  assert.deepEqual(
    hits.map(({ sequence }) => sequence),
    [1_000_000],
    'what came after a search is found as well',
  );
});

test('pictures of other accounts and removed ones are not found', async () => {
  const index = indexOf(100);
  assert.equal((await index.search([keypoints(8)], new Set([1]), 5, VOTES_MIN)).length, 1);
  assert.equal((await index.search([keypoints(8)], new Set([2]), 5, VOTES_MIN)).length, 0);
  assert.equal(index.remove(80), true);
  assert.equal(index.remove(81), false);
  assert.equal((await index.search([keypoints(8)], new Set([1]), 5, VOTES_MIN)).length, 0);
});

test('a word of many pictures says nothing', async () => {
  const index = new KeypointIndex(tmpdir());
  for (let row = 1; row <= 600; row++) index.add({ sequence: row, accountId: 1, keypoints: keypoints(7) });
  assert.deepEqual(await index.search([keypoints(7)], new Set([1]), 700, VOTES_MIN), []);
});

test('copies by one account hide no picture of another, neither alone nor where both are searched', async () => {
  for (const copies of [20, 560]) {
    const index = new KeypointIndex(tmpdir());
    index.add({ sequence: 1, accountId: 1, keypoints: keypoints(7) });
    const [alone] = await index.search([keypoints(7)], new Set([1]), 5, VOTES_MIN);
    for (let row = 2; row < 2 + copies; row++)
      index.add({ sequence: row, accountId: 2, keypoints: keypoints(7) });
    assert.deepEqual(await index.search([keypoints(7)], new Set([1]), 5, VOTES_MIN), [alone]);
    const both = await index.search([keypoints(7)], new Set([1, 2]), 4, VOTES_MIN);
    assert.deepEqual(
      both.filter(({ sequence }) => sequence === 1),
      [alone],
    );
  }
});

test('keypoints with a turned bit are found, and what came in the same number after a full run too', async () => {
  const index = indexOf(20);
  await index.search([keypoints(1)], new Set([1, 2]), 5, VOTES_MIN);
  for (let row = 21; row <= YOUNG_ROWS_MAX + 20; row++) {
    index.add({ sequence: row * 10, accountId: 1, keypoints: keypoints(row) });
  }
  const noisy = keypoints(YOUNG_ROWS_MAX + 5);
  for (let at = 0; at < COUNT; at++) {
    const place = at * DESCRIPTOR_WORDS;
    noisy.words[place] = (noisy.words[place] as number) ^ (1 << (31 - at)) ^ (1 << (1 + (at % 11)));
  }
  const hits = await index.search([noisy], new Set([1, 2]), 5, VOTES_MIN);
  assert.deepEqual(
    hits.map(({ sequence }) => sequence),
    [(YOUNG_ROWS_MAX + 5) * 10],
  );
});

/** So many pictures are a chapter here. */
const CHAPTER_ROWS = 2 * YOUNG_ROWS_MAX;

async function settled(index: KeypointIndex, rows: number): Promise<KeypointIndex> {
  while (index.count < rows) {
    const row = index.count + 1;
    index.add({ sequence: row * 10, accountId: 1, keypoints: keypoints(row) });
    if (row % YOUNG_ROWS_MAX === 0) await index.settle();
  }
  return index;
}

async function assertFound(index: KeypointIndex, rows: readonly number[]): Promise<void> {
  for (const row of rows) {
    const hits = await index.search([keypoints(row, 33)], new Set([1]), 5, VOTES_MIN);
    assert.deepEqual(
      hits.map(({ sequence }) => sequence),
      [row * 10],
    );
  }
}

test('whole chapters lie in one file that has no name, and a picture of each is found', async () => {
  await using folder = await makeTemporaryFolder();
  const index = await settled(new KeypointIndex(folder.path, CHAPTER_ROWS), 3 * CHAPTER_ROWS + 20);
  assert.equal(index.fileBytes, 3 * CHAPTER_ROWS * COUNT * 4);
  assert.deepEqual(await readdir(folder.path), []);
  assert.equal(index.fault, null);
  const rows = [0, 1, 2, 3].flatMap((chapter) => [chapter * CHAPTER_ROWS + 1, chapter * CHAPTER_ROWS + 20]);
  await assertFound(index, rows);
  index[Symbol.dispose]();
});

test('a search that began before its file was replaced ends as it began', async () => {
  await using folder = await makeTemporaryFolder();
  const index = await settled(new KeypointIndex(folder.path, CHAPTER_ROWS), CHAPTER_ROWS);
  const asked = emptyKeypoints(512, 512, 600);
  asked.words.set(keypoints(7).words, (600 - COUNT) * DESCRIPTOR_WORDS);
  asked.angle.set(keypoints(7).angle, 600 - COUNT);
  const searching = index.search([asked], new Set([1]), 5, VOTES_MIN);
  await settled(index, 2 * CHAPTER_ROWS);
  assert.deepEqual(
    (await searching).map(({ sequence }) => sequence),
    [70],
  );
  await assertFound(index, [7, CHAPTER_ROWS + 7]);
  index[Symbol.dispose]();
});

test('if no file can be written, words stay in memory and the fault is known', async () => {
  await using folder = await makeTemporaryFolder();
  const index = await settled(new KeypointIndex(join(folder.path, 'absent'), CHAPTER_ROWS), 2 * CHAPTER_ROWS);
  assert.match(String(index.fault), /ENOENT/);
  assert.equal(index.fileBytes, 0);
  await assertFound(index, [5, CHAPTER_ROWS + 5]);
});

test('more keypoints than a vote has room for are refused', async () => {
  await assert.rejects(
    indexOf(2).search([emptyKeypoints(512, 512, 1025)], new Set([1]), 5, VOTES_MIN),
    /at most 1024 keypoints, found 1025/,
  );
});
