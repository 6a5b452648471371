import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  measurePicture,
  PICTURE_FEATURES,
  type PictureFeatures,
  weighPicture,
} from '../../../src/domain/media/picture-evidence.ts';
import { findRepeatedParts } from '../../../src/domain/media/repeated-parts.ts';

const SIZE = 176;
const SIDE = SIZE / 8;

/** A picture of `across` × `down` tiles whose cells are `calm`, but for a square of `edited` cells at (column, row). */
function makeAnswers(
  across: number,
  down: number,
  square: { column: number; row: number; side: number; logit: number },
) {
  const positions = Array.from({ length: across * down }, (_, tile) => {
    return { x: (tile % across) * SIZE, y: Math.floor(tile / across) * SIZE };
  });
  const cells = new Float32Array(positions.length * SIDE * SIDE).fill(-2);
  for (let y = square.row; y < square.row + square.side; y++) {
    for (let x = square.column; x < square.column + square.side; x++) {
      const tile = Math.floor(y / SIDE) * across + Math.floor(x / SIDE);
      cells[tile * SIDE * SIDE + (y % SIDE) * SIDE + (x % SIDE)] = square.logit;
    }
  }
  const tiles = new Float32Array(positions.length).fill(-1);
  return { places: { positions, size: SIZE, cell: 8 }, answers: { tiles, cells } };
}

test('a region stands out as much from a picture of 300 tiles as from one of four', () => {
  const square = { column: 19, row: 20, side: 7, logit: 3 };
  const [small, large] = [makeAnswers(2, 2, square), makeAnswers(20, 15, square)].map(({ places, answers }) =>
    measurePicture(places, answers, []),
  );
  assert.equal(small?.regionStrongest, 3);
  assert.equal(large?.regionStrongest, 3);
  assert.equal(large?.regionExcess, 5);
  assert.ok((large?.cellShare ?? 1) < (small?.cellShare ?? 0));
});

test('as many scattered cells are no region', () => {
  const { places, answers } = makeAnswers(4, 4, { column: 0, row: 0, side: 0, logit: 0 });
  for (let cell = 0; cell < 49; cell++) answers.cells[cell * 157] = 3;
  assert.ok(measurePicture(places, answers, []).regionStrongest < -1);
});

test('cells under two tiles are the mean of both', () => {
  const positions = [
    { x: 0, y: 0 },
    { x: 88, y: 0 },
  ];
  const cells = new Float32Array(2 * SIDE * SIDE);
  cells.fill(-1, 0, SIDE * SIDE).fill(1, SIDE * SIDE);
  const measured = measurePicture(
    { positions, size: SIZE, cell: 8 },
    { tiles: Float32Array.of(0, 2), cells },
    [],
  );
  assert.ok(Math.abs(measured.cellSpread ** 2 - 2 / 3) < 1e-6);
  assert.deepEqual([measured.tileMean, measured.tileStrongest], [1, 2]);
});

test('a feature far outside of what was seen does not decide alone', () => {
  const part = { centre: 1, deviation: 2, weight: 1 };
  const features = Object.fromEntries(PICTURE_FEATURES.map((name) => [name, part]));
  const weights = { intercept: 0.5, features: features as Parameters<typeof weighPicture>[1]['features'] };
  const all = (value: number) =>
    Object.fromEntries(PICTURE_FEATURES.map((name) => [name, value])) as PictureFeatures;
  assert.equal(weighPicture(all(1), weights), 0.5);
  assert.equal(weighPicture(all(3), weights), 0.5 + PICTURE_FEATURES.length);
  assert.equal(weighPicture({ ...all(1), cellSpread: 1e9 }, weights), 5.5);
});

/** Grey noise, smooth enough to survive: numbers of a fixed sequence. */
function makeNoise(width: number, height: number): Uint8Array {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const coarse = Float32Array.from({ length: Math.ceil(width / 3) * Math.ceil(height / 3) }, draw);
  return Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    return (
      60 + 130 * (coarse[Math.floor(y / 3) * Math.ceil(width / 3) + Math.floor(x / 3)] ?? 0) + 3 * draw()
    );
  });
}

function copyPart(
  rgb: Uint8Array,
  width: number,
  { x, y, dx, dy, side }: Record<'x' | 'y' | 'dx' | 'dy' | 'side', number>,
) {
  const copy = rgb.slice();
  for (let row = 0; row < side; row++) {
    const from = ((y + row) * width + x) * 3;
    copy.set(rgb.subarray(from, from + side * 3), ((y + dy + row) * width + x + dx) * 3);
  }
  return copy;
}

test('a part that was copied is found by its shift; without it no shift stands out', () => {
  const [width, height] = [500, 400];
  const noise = makeNoise(width, height);
  const [found] = findRepeatedParts(
    copyPart(noise, width, { x: 40, y: 30, dx: 301, dy: 203, side: 80 }),
    width,
    height,
  );
  assert.deepEqual([found?.dx, found?.dy], [301, 203]);
  const [chance] = findRepeatedParts(noise, width, height);
  assert.ok((found?.sharpness ?? 0) > 5 * (chance?.sharpness ?? 0), JSON.stringify([found, chance]));
  assert.ok((found?.crowd ?? 0) > 5 * (chance?.crowd ?? 0), JSON.stringify([found, chance]));
});

test('in a large picture shifts are given in its own pixels', () => {
  const [width, height] = [2000, 1600];
  const copied = copyPart(makeNoise(width, height), width, { x: 200, y: 100, dx: -120, dy: 900, side: 300 });
  const [found] = findRepeatedParts(copied, width, height);
  assert.deepEqual([found?.dx, found?.dy], [-120, 900]);
});

test('flat, tiny and narrow pictures have no repeated parts', () => {
  assert.deepEqual(findRepeatedParts(new Uint8Array(300 * 300 * 3).fill(90), 300, 300), []);
  assert.deepEqual(findRepeatedParts(makeNoise(20, 20), 20, 20), []);
  assert.deepEqual(findRepeatedParts(makeNoise(700, 18), 700, 18), []);
});
