/** Animations and sequences through a real decode child: which frame is shown first, how many there are, and those behind it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { LIMITS } from '../../media/decode-fixture.ts';
import { makeApng, makeJxlAnimation, makeSequence } from '../../media/make-stills.ts';
import { paintFrame, readFrameNumber } from '../../media/numbered-frame.ts';
import { SlotOfFile } from '../../media/slot-of-file.ts';
import { checkShown, HEIGHT, RGB, SIDES, upright, WHOLE, WIDTH } from '../../media/still-fixture.ts';

const child = new SlotOfFile();

/** An animation with numbered frames (`paintFrame`). */
const FRAMES = 12;
const frameOf = (index: number): Buffer => {
  const rgb = Buffer.alloc(RGB.length);
  paintFrame(index, WIDTH, HEIGHT, rgb);
  return rgb;
};
const FRAME_PICTURES = Array.from({ length: FRAMES }, (_, index) => frameOf(index));
const tall = (): Sharp =>
  sharp(Buffer.concat(FRAME_PICTURES), {
    raw: { width: WIDTH, height: HEIGHT * FRAMES, channels: 3, pageHeight: HEIGHT },
  });
const pngs = async (): Promise<Buffer[]> =>
  await Promise.all(
    FRAME_PICTURES.map((rgb) =>
      sharp(rgb, { raw: { ...SIDES, channels: 3 } })
        .png()
        .toBuffer(),
    ),
  );
const ANIMATIONS: { name: string; mime: string; bytes: () => Promise<Buffer> }[] = [
  {
    name: 'JPEG XL animation',
    mime: 'image/jxl',
    bytes: async () => makeJxlAnimation(WIDTH, HEIGHT, FRAMES),
  },
  { name: 'GIF animation', mime: 'image/gif', bytes: () => tall().gif().toBuffer() },
  { name: 'WebP animation', mime: 'image/webp', bytes: () => tall().webp({ quality: 95 }).toBuffer() },
  { name: 'PNG animation', mime: 'image/png', bytes: async () => makeApng(await pngs()) },
  {
    name: 'PNG animation beside another picture',
    mime: 'image/png',
    bytes: async () => makeApng(await pngs(), await upright().negate().png().toBuffer()),
  },
  {
    name: 'AVIF sequence',
    mime: 'image/avif',
    bytes: async () => makeSequence('avif', WIDTH, HEIGHT, FRAMES),
  },
  {
    name: 'HEIC sequence',
    mime: 'image/heic',
    bytes: async () => makeSequence('heic', WIDTH, HEIGHT, FRAMES),
  },
];

for (const { name, mime, bytes } of ANIMATIONS) {
  test(`${name}: its first shown frame, upright and in the right colours`, async () => {
    await checkShown(child.slot, await child.place(await bytes()), { mime, pages: FRAMES });
  });
}

test('frames spread over an animation are cut, up to its last', async (context) => {
  for (const { name, bytes } of ANIMATIONS) {
    await context.test(name, async () => {
      const input = await child.place(await bytes());
      const sets = { patchSets: [], frameSets: [WHOLE] };
      const asked = { input, limits: LIMITS, trust: NO_TRUST, ...sets };
      const { image } = await child.slot.request({ type: 'decode-image', ...asked });
      const seen = image.frames.map(async ({ number, file, patchSets }) => {
        assert.deepEqual(
          patchSets.map((set) => set.name),
          ['whole'],
        );
        const { data } = await sharp(child.slot.outPath(file)).raw().toBuffer({ resolveWithObject: true });
        assert.equal(readFrameNumber(data, WIDTH, HEIGHT), number - 1);
        return number;
      });
      assert.deepEqual(await Promise.all(seen), [4, 7, 9, 12]);
    });
  }
});
