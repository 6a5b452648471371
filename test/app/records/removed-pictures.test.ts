import { deepEqual, ok } from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { KeptPictures } from '../../../src/app/records/kept-pictures.ts';
import { SeenBeforeIndex } from '../../../src/app/records/seen-before.ts';
import {
  DESCRIPTOR_WORDS,
  emptyKeypoints,
  type Keypoints,
  packKeypoints,
} from '../../../src/domain/media/keypoints.ts';
import { Store } from '../../../src/store/store.ts';
import { drawFrom } from '../../media/scene.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const COUNT = 12;
const PICTURES = 4000;
const KEPT = 500;
const OWN = new Set([1]);

function keypointsOf(seed: number): Keypoints {
  const draw = drawFrom(seed);
  const made = emptyKeypoints(512, 512, COUNT);
  for (let at = 0; at < COUNT * DESCRIPTOR_WORDS; at++) made.words[at] = Math.floor(draw() * 2 ** 32);
  for (let at = 0; at < COUNT; at++) made.angle[at] = Math.floor(draw() * 256);
  for (let at = 0; at < COUNT; at++) [made.x[at], made.y[at]] = [at * 40, (at * 70) % 500];
  return made;
}

const hashOf = (number: number): string => hash('sha256', String(number));
const idOf = (number: number): string => `analysis-${number}`;

test('removed pictures leave an index once they are most of it, and kept ones are found', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const copies = new SeenBeforeIndex(store);
  await using pictures = new KeptPictures(store);
  store.follow((change) => {
    if (change.type === 'likeness') for (const index of [copies, pictures]) index.forget(change);
  });
  await store.transact((tx) => {
    for (let number = 0; number < PICTURES; number++) {
      const keypoints = packKeypoints(keypointsOf(number));
      const likeness = { hash: hashOf(number), timeSeconds: null, keypoints };
      tx.putLikenesses({ id: idOf(number), accountId: 1 }, [likeness], [], number);
    }
  });
  await pictures.read();
  const before = pictures.state;
  const near = async (number: number) =>
    (await copies.near([hashOf(number)], OWN)).map(({ distance }) => distance);
  deepEqual(await near(3), [0]);
  await store.transact((tx) => {
    for (let number = 0; number < PICTURES - KEPT; number++) tx.removeLikenesses(idOf(number));
  });
  await pictures.read();
  deepEqual(await near(3), []);
  deepEqual(await near(PICTURES - 3), [0]);
  const { pictures: left, bytes } = pictures.state;
  deepEqual([left, copies.countOf(OWN)], [KEPT, KEPT]);
  ok(bytes < before.bytes, `${bytes} bytes of ${before.bytes}`);
  ok(copies.rows < PICTURES / 2, `${copies.rows} rows`);
  const found = await pictures.search([keypointsOf(PICTURES - 3)], OWN);
  deepEqual(
    found.map(({ sequence }) => store.read.likenesses.getUnlessDamaged(sequence)?.analysisId),
    [idOf(PICTURES - 3)],
  );
});
