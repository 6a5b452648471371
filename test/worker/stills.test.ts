/**
 * Pictures beyond JPEG and PNG, through a real decode child: HEIC with grids and turns, AVIF, GIF, JPEG XL, raw files.
 *
 * Invariant: every documented container and codec is read, with its length, sides and orientation.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { MediaFaultError } from '../../src/engine/children/worker-errors.ts';
import type { DecodeSlot } from '../../src/engine/decode/decode-slot.ts';
import { LIMITS, openSlot } from '../media/decode-fixture.ts';
import { CORNERS, paintFrame, readFrameNumber } from '../media/make-media.ts';
import {
  type HeicRecipe,
  type HeicStep,
  makeApng,
  makeHeic,
  makeJxl,
  makeSequence,
  withFirstChunk,
} from '../media/make-stills.ts';
import { makeTiff, type TiffRecipe } from '../media/make-tiff.ts';
import { writePicture } from '../media/pictures.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

let folder: TemporaryFolder;
let slot: DecodeSlot;
before(async () => {
  folder = await makeTemporaryFolder();
  slot = await openSlot(folder.path);
});
after(async () => {
  await slot[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const WIDTH = 240;
const HEIGHT = 160;
const SIDES = { width: WIDTH, height: HEIGHT };
const RGB = Buffer.alloc(WIDTH * HEIGHT * 3);
paintFrame(0, WIDTH, HEIGHT, RGB);
const upright = (): Sharp => sharp(RGB, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
const place = async (bytes: Uint8Array) =>
  await slot.placeInput(await writePicture(folder.path, 'upload', bytes));

/** Stored so that the steps bring it upright. */
async function heic(store: (image: Sharp) => Sharp, more: Partial<HeicRecipe>): Promise<Buffer> {
  const { data, info } = await store(upright()).raw().toBuffer({ resolveWithObject: true });
  return await makeHeic({ rgb: data, width: info.width, height: info.height, ...more });
}

/** Beside the picture another one, which no viewer shows. */
const OTHER = { background: '#7f007f' };
const beside = (image: Sharp): Sharp => image.extend({ right: WIDTH, ...OTHER });
const LEFT_HALF: HeicStep = { clap: [WIDTH, HEIGHT, -WIDTH / 2, 0] };
const RIGHT_HALF: HeicStep = { clap: [WIDTH, HEIGHT, WIDTH / 2, 0] };
const UPPER_HALF: HeicStep = { clap: [WIDTH, HEIGHT, 0, -HEIGHT / 2] };

const STEPS: [name: string, store: (image: Sharp) => Sharp, more: Partial<HeicRecipe>][] = [
  ['one item', (image) => image, {}],
  ['tiles', (image) => image, { tile: 64 }],
  ['a turn by a quarter', (image) => image.rotate(90), { steps: [{ irot: 1 }] }],
  ['a turn by three quarters', (image) => image.rotate(270), { steps: [{ irot: 3 }] }],
  ['tiles and a turn', (image) => image.rotate(90), { tile: 64, steps: [{ irot: 1 }] }],
  ['a mirror', (image) => image.flop(), { steps: [{ imir: 1 }] }],
  ['a half turn', (image) => image.rotate(180), { steps: [{ irot: 2 }] }],
  ['a crop', beside, { steps: [LEFT_HALF] }],
  ['tiles and a crop', beside, { tile: 64, steps: [LEFT_HALF] }],
  [
    'a crop, then a turn',
    (image) => image.rotate(180).extend({ left: WIDTH, ...OTHER }),
    { steps: [RIGHT_HALF, { irot: 2 }] },
  ],
  [
    'a turn, then a crop',
    (image) => image.rotate(90).extend({ left: HEIGHT, ...OTHER }),
    { steps: [{ irot: 1 }, UPPER_HALF] },
  ],
  ['an item named again and turned', (image) => image.rotate(90), { derived: 'iden', steps: [{ irot: 1 }] }],
  [
    'a cropped item named again and turned',
    (image) => beside(image.rotate(180)),
    { derived: 'iden', codedSteps: [LEFT_HALF], steps: [{ irot: 2 }] },
  ],
  ['layers', (image) => image, { tile: 80, derived: 'iovl' }],
  ['an item in two places', (image) => image, { isSplit: true }],
  ['tiles in two places', (image) => image, { tile: 64, isSplit: true }],
  ['a description behind 70 KB', (image) => image, { bytesBefore: 70_000 }],
];

/** Its frames are numbered (`paintFrame`), so that a test can tell them apart. */
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

const STILLS: { name: string; mime: string; bytes: () => Promise<Buffer>; pages?: number }[] = [
  ...STEPS.flatMap(([name, store, more]) => [
    { name: `HEIC of ${name}`, mime: 'image/heic', bytes: () => heic(store, more) },
    { name: `AVIF of ${name}`, mime: 'image/avif', bytes: () => heic(store, { ...more, codec: 'av1' }) },
  ]),
  { name: 'AVIF', mime: 'image/avif', bytes: () => upright().avif({ quality: 90 }).toBuffer() },
  { name: 'GIF', mime: 'image/gif', bytes: () => upright().gif().toBuffer() },
  { name: 'JPEG XL', mime: 'image/jxl', bytes: async () => makeJxl(RGB, WIDTH, HEIGHT) },
  ...ANIMATIONS.map(({ name, mime, bytes }) => ({ name, mime, bytes, pages: FRAMES })),
  ...SAMPLES.map(([name, recipe]) => ({
    name: `TIFF of ${name}`,
    mime: 'image/tiff',
    bytes: async () => makeTiff({ ...SIDES, ...RGB_SAMPLES, ...(await recipe()) }),
  })),
];

for (const { name, mime, bytes, pages = 1 } of STILLS) {
  test(`${name}: probed, upright and in the right colours`, async () => {
    const input = await place(await bytes());
    const { probe } = await slot.request({ type: 'probe', input, limits: LIMITS });
    assert.deepEqual(probe, {
      kind: 'image',
      mime,
      width: WIDTH,
      height: HEIGHT,
      pages,
      durationSeconds: null,
      hasSound: false,
    });
    const layout = { size: 160, align: 8, countMax: 1 };
    const patchSets = [{ name: 'whole', variant: 'original', layout } as const];
    const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
    const { image } = await slot.request(request);
    assert.deepEqual(
      [image.mime, image.width, image.height, image.provenance.fault],
      [mime, WIDTH, HEIGHT, null],
    );
    const [set] = image.patchSets;
    assert.ok(set !== undefined);
    const patch = await readFile(slot.outPath(set.file));
    const left = set.positions[0]?.x ?? 0;
    for (const [corner, [x, y]] of [
      [60, 20],
      [180, 20],
      [60, 120],
      [180, 120],
    ].entries()) {
      const at = ((y ?? 0) * 160 + (x ?? 0) - left) * 3;
      const error = [0, 1, 2].map((channel) =>
        Math.abs((patch[at + channel] ?? 0) - (CORNERS[corner]?.[channel] ?? 0)),
      );
      assert.ok(Math.max(...error) <= 12, `corner ${corner}: ${[...patch.subarray(at, at + 3)]}`);
    }
    const map = {
      type: 'render-heatmap',
      layer: 'origin',
      input,
      folder: 'in',
      limits: LIMITS,
      size: 160,
      output: 'map.png',
    } as const;
    const { heatmap } = await slot.request({ ...map, positions: [{ x: 40, y: 0 }], probabilities: [0.5] });
    assert.equal(heatmap.width, WIDTH);
  });
}

test('frames spread over an animation are cut, up to its last', async (context) => {
  for (const { name, bytes } of ANIMATIONS) {
    await context.test(name, async () => {
      const input = await place(await bytes());
      const layout = { size: 160, align: 8, countMax: 1 };
      const frameSets = [{ name: 'whole', variant: 'original', layout } as const];
      const request = {
        type: 'decode-image',
        input,
        limits: LIMITS,
        trust: NO_TRUST,
        patchSets: [],
        frameSets,
      } as const;
      const { image } = await slot.request(request);
      const seen = image.frames.map(async ({ number, file, patchSets }) => {
        assert.deepEqual(
          patchSets.map((set) => set.name),
          ['whole'],
        );
        const { data } = await sharp(slot.outPath(file)).raw().toBuffer({ resolveWithObject: true });
        assert.equal(readFrameNumber(data, WIDTH, HEIGHT), number - 1);
        return number;
      });
      assert.deepEqual(await Promise.all(seen), [4, 7, 9, 12]);
    });
  }
});

/** Files of the collection, by rule: what a viewer shows of each. */
const CASES: [file: string, width: number, height: number, pages: number][] = [
  ['reference-left.heic', 480, 486, 1],
  ['meta-behind-70k.heic', 480, 486, 1],
  ['clap-left.heic', 480, 486, 1],
  ['clap-right.heic', 480, 486, 1],
  ['iden.heic', 486, 480, 1],
  ['seq.avif', 480, 486, 2],
  ['apng-default.png', 200, 203, 2],
  ['lab8.tif', 200, 203, 1],
  ['float01.tif', 256, 256, 1],
];

test('the cases of the collection are shown as viewers show them', {
  skip: skipWithoutSharedData('cases'),
}, async () => {
  const colours = new Map<string, number[]>();
  for (const [file, ...expected] of CASES) {
    const input = await place(await readFile(sharedData('cases', file)));
    const layout = { size: 160, align: 8, countMax: 1 };
    const patchSets = [{ name: 'whole', variant: 'original', layout } as const];
    const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
    const { image } = await slot.request(request);
    assert.deepEqual([image.width, image.height, image.pages], expected, file);
    const patch = sharp(await readFile(slot.outPath('whole.rgb')), {
      raw: { width: 160, height: 160, channels: 3 },
    });
    colours.set(
      file,
      (await patch.stats()).channels.map(({ mean }) => mean),
    );
  }
  const error = (one: string, other: string) =>
    Math.max(
      ...[0, 1, 2].map((at) => Math.abs((colours.get(one)?.[at] ?? 0) - (colours.get(other)?.[at] ?? 0))),
    );
  const reference = 'reference-left.heic';
  assert.ok(error('clap-left.heic', reference) < 3);
  assert.ok(error('clap-right.heic', reference) > 3);
  assert.ok(error('meta-behind-70k.heic', reference) < 1);
  assert.ok((colours.get('float01.tif')?.[0] ?? 0) > 50);
});

test('what lies under transparency is not judged', async () => {
  const hidden = Buffer.alloc(WIDTH * HEIGHT * 4, 0);
  const image = sharp(hidden, { raw: { ...SIDES, channels: 4 } });
  const input = await place(await image.avif({ quality: 90 }).toBuffer());
  const layout = { size: 160, align: 8, countMax: 1 };
  const patchSets = [{ name: 'whole', variant: 'original', layout } as const];
  const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
  const { image: decoded } = await slot.request(request);
  const patch = await readFile(slot.outPath(decoded.patchSets[0]?.file ?? ''));
  assert.ok(
    patch.every((value) => value >= 250),
    `${patch[0]}`,
  );
});

/** A TIFF of one page with the given tags (all LONG). */
function tiff(tags: readonly (readonly [tag: number, value: number])[], mark = ''): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write(`II*\0\x10\0\0\0${mark}`, 'latin1');
  bytes.writeUInt16LE(tags.length, 16);
  for (const [index, [tag, value]] of tags.entries()) {
    bytes.writeUInt16LE(tag, 18 + index * 12);
    bytes.writeUInt16LE(4, 20 + index * 12);
    bytes.writeUInt32LE(1, 22 + index * 12);
    bytes.writeUInt32LE(value, 26 + index * 12);
  }
  return bytes;
}

const JXL_OF_ONE_GIGAPIXEL = Buffer.from([0xff, 0x0a, ...jxlSides(40_000, 40_000), ...Buffer.alloc(40)]);

/** SizeHeader with both sides written in 18 bits. */
function jxlSides(width: number, height: number): number[] {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
  };
  put(0, 1);
  put(2, 2);
  put(height - 1, 18);
  put(0, 3);
  put(2, 2);
  put(width - 1, 18);
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) =>
    bits.slice(byte * 8, byte * 8 + 8).reduce((sum, bit, index) => sum + (bit << index), 0),
  );
}

const grey = (recipe: Pick<TiffRecipe, 'bits' | 'data'> & Partial<TiffRecipe>): Buffer =>
  makeTiff({ ...SIDES, ...recipe });

const REFUSED: { name: string; bytes: () => Promise<Uint8Array>; fault: string; message: RegExp }[] = [
  {
    name: 'DNG',
    bytes: async () => tiff([[50_706, 0x0104]]),
    fault: 'unsupported_media_type',
    message: /a DNG raw photograph/,
  },
  {
    name: 'CR2',
    bytes: async () => tiff([[256, 10]], 'CR\x02\0'),
    fault: 'unsupported_media_type',
    message: /a Canon CR2 raw photograph/,
  },
  {
    name: 'NEF or ARW',
    bytes: async () =>
      tiff([
        [254, 1],
        [256, 160],
        [330, 400],
      ]),
    fault: 'unsupported_media_type',
    message: /a camera's raw photograph/,
  },
  {
    name: 'CR3',
    bytes: async () => Buffer.from('\0\0\0\x18ftypcrx \0\0\0\x01crx isom', 'latin1'),
    fault: 'unsupported_media_type',
    message: /a Canon CR3 raw photograph/,
  },
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
    name: 'TIFF cut in half',
    bytes: async () => grey({ bits: 8, data: Buffer.alloc(WIDTH * HEIGHT, 0x7f) }).subarray(0, 20_000),
    fault: 'corrupt',
    message: /TIFF data/,
  },
  {
    name: 'PNG in Apple’s form',
    bytes: async () =>
      withFirstChunk(await upright().png().toBuffer(), 'CgBI', Buffer.from([0x50, 0, 0x20, 2])),
    fault: 'unsupported_media_type',
    message: /CgBI/,
  },
  {
    name: 'JPEG XL of 1.6 gigapixels',
    bytes: async () => JXL_OF_ONE_GIGAPIXEL,
    fault: 'too_many_pixels',
    message: /1600000000 pixels \(40000 × 40000\)/,
  },
  {
    name: 'HEIC cut in half',
    bytes: async () => {
      const whole = await heic((image) => image, { tile: 64 });
      return whole.subarray(0, whole.length / 2);
    },
    fault: 'corrupt',
    message: /HEIF/,
  },
  {
    name: 'JPEG XL cut in half',
    bytes: async () => {
      const whole = makeJxl(RGB, WIDTH, HEIGHT);
      return whole.subarray(0, Math.floor(whole.length / 2));
    },
    fault: 'corrupt',
    message: /JPEG XL/,
  },
  {
    name: 'AVIF cut in half',
    bytes: async () => {
      const whole = await upright().avif().toBuffer();
      return whole.subarray(0, Math.floor(whole.length / 2));
    },
    fault: 'corrupt',
    message: /HEIF/,
  },
];

for (const { name, bytes, fault, message } of REFUSED) {
  test(`refuses: ${name}`, async () => {
    const input = await place(await bytes());
    const error = await slot
      .request({ type: 'probe', input, limits: LIMITS })
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof MediaFaultError, String(error));
    assert.equal(error.fault, fault);
    assert.match(error.message, message);
  });
}
