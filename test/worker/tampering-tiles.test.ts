/** Tiles as the training cuts them, and the map that is made of their cells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interpolateCells } from '../../src/worker/maps/cell-map.ts';
import { cutTile } from '../../src/worker/steps/patches.ts';

/** A picture whose pixels say where they are. */
function makePicture(width: number, height: number) {
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    rgb[at * 3] = at % width;
    rgb[at * 3 + 1] = Math.floor(at / width);
  }
  return { width, height, rgb };
}

function cut(width: number, height: number, position: { x: number; y: number }, size: number) {
  const tile = Buffer.alloc(size * size * 3);
  cutTile(makePicture(width, height), position, size, tile);
  return (x: number, y: number) => [tile[(y * size + x) * 3], tile[(y * size + x) * 3 + 1]];
}

test('inside the picture a tile is what lies there', () => {
  const at = cut(100, 90, { x: 16, y: 24 }, 32);
  assert.deepEqual(
    [at(0, 0), at(31, 31), at(5, 9)],
    [
      [16, 24],
      [47, 55],
      [21, 33],
    ],
  );
});

test('beyond the last whole block comes the mirror image', () => {
  const at = cut(21, 40, { x: 0, y: 0 }, 32);
  assert.deepEqual(
    [at(15, 0), at(16, 0), at(17, 0), at(31, 0)],
    [
      [15, 0],
      [15, 0],
      [14, 0],
      [0, 0],
    ],
  );
  const narrow = cut(5, 5, { x: 0, y: 0 }, 16);
  assert.deepEqual(
    [narrow(4, 0), narrow(5, 0), narrow(9, 0), narrow(10, 0)],
    [
      [4, 0],
      [4, 0],
      [0, 0],
      [0, 0],
    ],
  );
});

test('cells become pixels: their own value at their centre, the mean of overlapping tiles, nothing elsewhere', () => {
  const positions = [
    { x: 0, y: 0 },
    { x: 8, y: 0 },
    { x: 40, y: 0 },
  ];
  const probabilities = [0, 0.4, 0, 0.4, 0.8, 1, 0.8, 1, 0.5, 0.5, 0.5, 0.5];
  const map = { width: 56, height: 16, stepX: 1, stepY: 1 };
  const values = interpolateCells({ size: 16, cellPx: 8, positions, probabilities }, map);
  // A cell's centre lies between its fourth and fifth pixel.
  const at = (x: number) => ((values[4 * 56 + x - 1] ?? 0) + (values[4 * 56 + x] ?? 0)) / 2;
  for (const [x, value] of [
    [4, 0],
    [12, 0.6],
    [20, 1],
    [48, 0.5],
  ] as const) {
    assert.ok(Math.abs(at(x) - value) < 0.05, `${x}: ${at(x)}`);
  }
  assert.ok(Number.isNaN(values[4 * 56 + 32] ?? 0));
});

test('values that do not fit the tiles are refused', () => {
  const cells = { size: 16, cellPx: 8, positions: [{ x: 0, y: 0 }], probabilities: [0.5] };
  assert.throws(() => interpolateCells(cells, { width: 16, height: 16, stepX: 1, stepY: 1 }), /make no map/);
});
