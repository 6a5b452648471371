/** Copies of patches against the same places of a copy of the whole picture. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PatchPosition } from '../../src/domain/media/patches.ts';
import { STABILITY_VARIANTS, type StabilityVariantName } from '../../src/domain/media/stability.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { cutRegion } from '../../src/worker/pictures/picture-region.ts';
import { copyPatches, copyWhole } from '../../src/worker/steps/patches.ts';
import { patternRgb } from '../media/pictures.ts';

const [WIDTH, HEIGHT, SIZE] = [500, 400, 128];
const PATCH_BYTES = SIZE * SIZE * 3;
const PICTURE = { width: WIDTH, height: HEIGHT, rgb: patternRgb(WIDTH, HEIGHT) };
const PLACES = [
  { x: 0, y: 0 },
  { x: 184, y: 136 },
  { x: WIDTH - SIZE, y: HEIGHT - SIZE },
];
/** The place that touches no edge of the picture. */
const INNER = 1;
/** The decoder blends halved colour at the picture's edge as if nothing lay beyond it; the scaler rounds its places. */
const EDGE_DIFFERENCE_MAX = 0.2;
/** The scaling of a part rounds elsewhere than that of the whole. */
const MEAN_DIFFERENCE_MAX = 6;

test('a recompressed patch is what recompressing the whole picture gives there', async () => {
  const whole = await copyWhole(PICTURE, 'jpeg-60');
  const copies = await copyAll(PICTURE, PLACES, 'jpeg-60');
  for (const [index, { x, y }] of PLACES.entries()) {
    const expected = cutRegion(whole, { x, y, width: SIZE, height: SIZE });
    const difference = meanDifference(patchOf(copies, index), expected.rgb);
    assert.ok(
      difference <= (index === INNER ? 0 : EDGE_DIFFERENCE_MAX),
      `differs by ${difference} at ${x}, ${y}`,
    );
  }
});

test('a scaled patch shows the middle of its place in the scaled picture', async () => {
  const whole = await copyWhole(PICTURE, 'scale-75');
  const copies = await copyAll(PICTURE, PLACES, 'scale-75');
  const side = Math.ceil(SIZE / 0.75);
  const start = (at: number, length: number) =>
    Math.round(Math.max(0, Math.min(length - side, at - Math.floor((side - SIZE) / 2))) * 0.75);
  for (const [index, { x, y }] of PLACES.entries()) {
    const place = { x: start(x, WIDTH), y: start(y, HEIGHT) };
    const expected = cutRegion(whole, { ...place, width: SIZE, height: SIZE });
    const difference = meanDifference(patchOf(copies, index), expected.rgb);
    assert.ok(difference < MEAN_DIFFERENCE_MAX, `differs by ${difference} at ${x}, ${y}`);
  }
});

test('a patch does not depend on those that are copied with it', async () => {
  for (const variant of STABILITY_VARIANTS) {
    const together = await copyAll(PICTURE, PLACES, variant);
    for (const [index, place] of PLACES.entries()) {
      const alone = await copyAll(PICTURE, [place], variant);
      const difference = meanDifference(patchOf(together, index), alone);
      assert.ok(difference < EDGE_DIFFERENCE_MAX, `${variant}: place ${index} differs by ${difference}`);
    }
  }
});

test('no copy of less than a patch is made', async () => {
  const picture = { width: 160, height: 160, rgb: patternRgb(160, 160) };
  const places = [{ x: 16, y: 16 }];
  assert.equal(await copyPatches(picture, places, { size: SIZE, variant: 'scale-75' }), null);
  assert.ok((await copyPatches(picture, places, { size: SIZE, variant: 'jpeg-60' })) !== null);
});

async function copyAll(
  picture: Picture,
  places: readonly PatchPosition[],
  variant: StabilityVariantName,
): Promise<Buffer> {
  const copies = await copyPatches(picture, places, { size: SIZE, variant });
  assert.ok(copies !== null);
  return copies;
}

function patchOf(copies: Buffer, index: number): Buffer {
  return copies.subarray(index * PATCH_BYTES, (index + 1) * PATCH_BYTES);
}

function meanDifference(a: Buffer, b: Buffer): number {
  assert.equal(a.length, b.length);
  let sum = 0;
  for (const [at, value] of a.entries()) sum += Math.abs(value - (b[at] ?? 0));
  return sum / a.length;
}
