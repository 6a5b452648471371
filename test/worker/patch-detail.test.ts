/** Where the models look: the cases of models/training/tests/test_placement.py. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseByDetail, type PatchPosition, placePatches } from '../../src/domain/media/patches.ts';
import { choosePatches } from '../../src/worker/steps/patch-detail.ts';

const LAYOUT = { size: 128, align: 8, countMax: 16, candidateCountMax: 64 };
const PLACES: readonly PatchPosition[] = [0, 1, 2, 3].map((x) => ({ x, y: 0 }));

function paint(side: number, colour: (x: number, y: number) => number): Buffer {
  const rgb = Buffer.alloc(side * side * 3);
  for (let at = 0; at < side * side; at++)
    rgb.fill(colour(at % side, Math.floor(at / side)), at * 3, at * 3 + 3);
  return rgb;
}

test('the most detailed places are taken in their order, and none of less than half', () => {
  const xs = (details: number[], countMax: number) =>
    chooseByDetail(PLACES, details, countMax).map(({ x }) => x);
  assert.deepEqual(xs([6, 10, 4, 8], 16), [0, 1, 3]);
  assert.deepEqual(xs([6, 10, 4, 8], 2), [1, 3]);
});

test('a pack says below which share of the richest detail a place is left out', () => {
  const xs = (shareMin: number) => chooseByDetail(PLACES, [6, 10, 4, 2], 16, shareMin).map(({ x }) => x);
  assert.deepEqual(xs(0.25), [0, 1, 2]);
  assert.deepEqual(xs(0), [0, 1, 2, 3]);
});

test('with a step, places overlap up to their number', () => {
  const layout = { size: 128, align: 8, countMax: 196, candidateStep: 64 };
  const cases: [width: number, height: number, places: number[][]][] = [
    [128, 128, [[0, 0]]],
    [192, 192, [0, 64].flatMap((y) => [0, 64].map((x) => [x, y]))],
    [256, 130, [0, 64, 128].map((x) => [x, 0])],
  ];
  for (const [width, height, places] of cases) {
    assert.deepEqual(
      placePatches(width, height, layout).map(({ x, y }) => [x, y]),
      places,
    );
  }
  assert.equal(placePatches(512, 512, layout).length, 49);
  assert.equal(placePatches(4000, 3000, layout).length, 192);
});

test('equal places are taken from the first, a flat picture everywhere', () => {
  assert.deepEqual(chooseByDetail(PLACES, [5, 5, 5, 5], 2), PLACES.slice(0, 2));
  assert.deepEqual(chooseByDetail(PLACES, [0, 0, 0, 0], 16), PLACES);
});

test('detail in one corner of a large picture is found', () => {
  const side = 1024;
  const rgb = paint(side, (x, y) => (x >= 900 && y >= 900 ? (x * 7919 + y * 104_729) % 256 : 90));
  assert.deepEqual(choosePatches({ width: side, height: side, rgb }, LAYOUT), [{ x: 896, y: 896 }]);
  const overlapping = {
    ...LAYOUT,
    countMax: 24,
    candidateCountMax: 196,
    candidateStep: 64,
    detailShareMin: 0.25,
  };
  assert.deepEqual(
    choosePatches({ width: side, height: side, rgb }, overlapping).map(({ x, y }) => [x, y]),
    [
      [896, 824],
      [824, 896],
      [896, 896],
    ],
  );
});

test('a picture of one patch is looked at whole; hardly wider ones are not seen twice', () => {
  const rgb = paint(136, (x) => x);
  assert.deepEqual(choosePatches({ width: 128, height: 128, rgb }, LAYOUT), [{ x: 0, y: 0 }]);
  assert.deepEqual(choosePatches({ width: 130, height: 130, rgb }, LAYOUT), [{ x: 0, y: 0 }]);
});
