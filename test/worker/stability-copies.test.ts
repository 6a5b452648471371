/**
 * Copies of patches against the same places of a copy of the whole picture.
 *
 * Invariant: a copy of a patch shows what a copy of the whole picture shows there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutRegion } from '../../src/worker/pictures/picture-region.ts';
import { copyPatch, copyWhole } from '../../src/worker/steps/stability-copies.ts';
import { patternRgb } from '../media/pictures.ts';

const [WIDTH, HEIGHT, SIZE] = [500, 400, 128];
const PICTURE = { width: WIDTH, height: HEIGHT, rgb: patternRgb(WIDTH, HEIGHT) };
const PLACES = [
  { x: 0, y: 0 },
  { x: 184, y: 136 },
  { x: WIDTH - SIZE, y: HEIGHT - SIZE },
];
/** The scaling of a part rounds elsewhere than that of the whole. */
const MEAN_DIFFERENCE_MAX = 6;

test('a recompressed patch is what recompressing the whole picture gives there', async () => {
  const whole = await copyWhole(PICTURE, 'jpeg-60');
  for (const { x, y } of PLACES) {
    const copy = await copyPatch(PICTURE, { x, y }, { size: SIZE, variant: 'jpeg-60' });
    const expected = cutRegion(whole, { x, y, width: SIZE, height: SIZE });
    assert.ok(copy !== null);
    assert.equal(meanDifference(copy.rgb, expected.rgb), 0, `at ${x}, ${y}`);
  }
});

test('a scaled patch shows the middle of its place in the scaled picture', async () => {
  const place = { x: 184, y: 136 };
  const copy = await copyPatch(PICTURE, place, { size: SIZE, variant: 'scale-75' });
  const whole = await copyWhole(PICTURE, 'scale-75');
  assert.ok(copy !== null);
  const side = Math.ceil(SIZE / 0.75);
  const start = (at: number) => Math.round((at - Math.floor((side - SIZE) / 2)) * 0.75);
  const expected = cutRegion(whole, { x: start(place.x), y: start(place.y), width: SIZE, height: SIZE });
  const difference = meanDifference(copy.rgb, expected.rgb);
  assert.ok(difference < MEAN_DIFFERENCE_MAX, `differs by ${difference}`);
});

test('no copy of less than a patch is made', async () => {
  const picture = { width: 160, height: 160, rgb: patternRgb(160, 160) };
  assert.equal(await copyPatch(picture, { x: 16, y: 16 }, { size: SIZE, variant: 'scale-75' }), null);
  assert.ok((await copyPatch(picture, { x: 16, y: 16 }, { size: SIZE, variant: 'jpeg-60' })) !== null);
});

function meanDifference(a: Buffer, b: Buffer): number {
  assert.equal(a.length, b.length);
  let sum = 0;
  for (const [at, value] of a.entries()) sum += Math.abs(value - (b[at] ?? 0));
  return sum / a.length;
}
