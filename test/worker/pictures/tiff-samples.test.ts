import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../media/decode-fixture.ts';
import { makeTiff, type TiffRecipe } from '../../media/make-tiff.ts';
import { SlotOfFile } from '../../media/slot-of-file.ts';
import { checkShown, HEIGHT, RGB, SIDES, upright, WIDTH } from '../../media/still-fixture.ts';

const child = new SlotOfFile();

const RGB_SAMPLES = { bits: 32, photometric: 2, samplesPerPixel: 3 } as const;
const bytesOf = ({ buffer }: { buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(buffer);
const SAMPLES: [name: string, recipe: () => Promise<Partial<TiffRecipe> & Pick<TiffRecipe, 'data'>>][] = [
  [
    'floats from 0 to 1',
    async () => ({ format: 3, data: bytesOf(Float32Array.from(RGB, (value) => value / 255)) }),
  ],
  ['32-bit integers', async () => ({ data: bytesOf(Uint32Array.from(RGB, (value) => value * 0x1010101)) })],
  [
    'CIELab of 8 bits',
    async () => {
      const { buffer, byteOffset } = await upright().toColourspace('lab').raw({ depth: 'float' }).toBuffer();
      const lab = new Float32Array(buffer, byteOffset, RGB.length);
      const data = Uint8Array.from(
        lab,
        (value, index) => Math.round(index % 3 === 0 ? value * 2.55 : value) & 255,
      );
      return { bits: 8, photometric: 8, data };
    },
  ],
];

for (const [name, recipe] of SAMPLES) {
  test(`TIFF of ${name}: upright and in the right colours`, async () => {
    const input = await child.place(makeTiff({ ...SIDES, ...RGB_SAMPLES, ...(await recipe()) }));
    await checkShown(child.slot, input, { mime: 'image/tiff', pages: 1 });
  });
}

const grey = (recipe: Pick<TiffRecipe, 'bits' | 'data'> & Partial<TiffRecipe>): Buffer =>
  makeTiff({ ...SIDES, ...recipe });

const REFUSED: { name: string; bytes: () => Promise<Uint8Array>; fault: string; message: RegExp }[] = [
  {
    name: 'TIFF of 12 bits',
    bytes: async () => grey({ bits: 12, data: Buffer.alloc(WIDTH * HEIGHT * 1.5, 0x7f) }),
    fault: 'unsupported_media_type',
    message: /TIFF with samples of 12 bits/,
  },
  {
    name: 'TIFF of signed integers',
    bytes: async () => grey({ bits: 16, format: 2, data: Buffer.alloc(WIDTH * HEIGHT * 2, 0x7f) }),
    fault: 'unsupported_media_type',
    message: /signed integers of 16 bits/,
  },
  {
    name: 'TIFF of floats beyond 1',
    bytes: async () =>
      grey({ bits: 32, format: 3, data: bytesOf(Float32Array.from(RGB.subarray(0, WIDTH * HEIGHT))) }),
    fault: 'unsupported_media_type',
    message: /floats from 40 to 200;/,
  },
  {
    name: 'TIFF of a compression that is not known',
    bytes: async () => grey({ bits: 8, compression: 34_712, data: Buffer.alloc(WIDTH * HEIGHT, 0x7f) }),
    fault: 'unsupported_media_type',
    message: /Compression scheme 34712/,
  },
  {
    name: 'TIFF of a tile for each colour',
    bytes: async () => {
      const tiff = await upright().tiff({ tile: true, compression: 'none' }).toBuffer();
      // PlanarConfiguration, one short.
      tiff[tiff.indexOf('1c010300010000000100', 'hex') + 8] = 2;
      return tiff;
    },
    fault: 'unsupported_media_type',
    message: /tiled separate planes/,
  },
  {
    name: 'TIFF cut in half',
    bytes: async () => grey({ bits: 8, data: Buffer.alloc(WIDTH * HEIGHT, 0x7f) }).subarray(0, 20_000),
    fault: 'corrupt',
    message: /TIFF data/,
  },
];

for (const { name, bytes, fault, message } of REFUSED) {
  test(`refuses: ${name}`, async () => {
    const input = await child.place(await bytes());
    await assert.rejects(child.slot.request({ type: 'probe', input, limits: LIMITS }), { fault, message });
  });
}
