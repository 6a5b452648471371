/** Open invisible watermarks: found in pictures made by a rule and marked as generators mark them, and nowhere else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { WATERMARK_MESSAGES } from '../../src/domain/media/open-watermarks.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { toPicture } from '../../src/worker/pictures/pixels.ts';
import { findWatermarks } from '../../src/worker/steps/invisible-watermarks.ts';
import { softPicture } from '../media/soft-picture.ts';
import { markPicture } from '../media/watermark.ts';

const PICTURE = softPicture(512, 384);
const toSharp = ({ width, height, rgb }: Picture) => sharp(rgb, { raw: { width, height, channels: 3 } });

function idsOf(picture: Picture): string[] | undefined {
  return findWatermarks(picture)?.map(({ id }) => id);
}

test('no message is found in a picture without one', async () => {
  assert.deepEqual(findWatermarks(PICTURE), []);
  assert.deepEqual(findWatermarks({ width: 512, height: 512, rgb: Buffer.alloc(512 * 512 * 3, 200) }), []);
});

for (const { id, bits } of WATERMARK_MESSAGES) {
  for (const layout of ['bytes', 'floats'] as const) {
    test(`the mark ${id} written into ${layout} is found, and no other`, () => {
      assert.deepEqual(idsOf(markPicture(PICTURE, bits, layout)), [id]);
    });
  }
}

const SDXL = WATERMARK_MESSAGES[0];
assert.ok(SDXL !== undefined);

test('channels that a generator forgot to turn do not hide its mark', async () => {
  const swapped = await toPicture(
    toSharp(PICTURE).recomb([
      [0, 0, 1],
      [0, 1, 0],
      [1, 0, 0],
    ]),
  );
  const marked = markPicture(swapped, SDXL.bits, 'floats');
  assert.deepEqual(
    idsOf(
      await toPicture(
        toSharp(marked).recomb([
          [0, 0, 1],
          [0, 1, 0],
          [1, 0, 0],
        ]),
      ),
    ),
    ['sdxl'],
  );
});

test('a larger picture than is read whole still shows its mark', () => {
  assert.deepEqual(idsOf(markPicture(softPicture(2048, 1500), SDXL.bits, 'floats')), ['sdxl']);
});

test('a change that moves the blocks hides the mark, and no mark is reported', async () => {
  const marked = markPicture(PICTURE, SDXL.bits, 'floats');
  for (const picture of [
    toSharp(marked).rotate(90),
    toSharp(marked).resize(384, 288),
    toSharp(marked).extract({ left: 3, top: 3, width: 500, height: 370 }),
  ]) {
    assert.deepEqual(findWatermarks(await toPicture(picture)), []);
  }
});

test('a picture below the least size of the scheme is not searched', () => {
  assert.equal(findWatermarks(softPicture(255, 256)), null);
  assert.deepEqual(findWatermarks(softPicture(256, 256)), []);
  assert.equal(findWatermarks(softPicture(4, 100_000)), null);
});

test('a find has so few wrong bits that it is no accident', () => {
  assert.deepEqual(
    WATERMARK_MESSAGES.map(({ id, bits, errorsMax }) => [id, bits.length, errorsMax]),
    [
      ['sdxl', 48, 5],
      ['flux', 46, 3],
      ['sd1', 136, 20],
      ['sd1-inpainting', 224, 33],
      ['sd2', 32, 1],
    ],
  );
});
