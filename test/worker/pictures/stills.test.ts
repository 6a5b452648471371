/** Pictures beyond JPEG and PNG, through a real decode child: HEIC with grids and turns, AVIF, GIF, JPEG XL, raw files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { MediaFaultError } from '../../../src/engine/children/worker-errors.ts';
import { LIMITS } from '../../media/decode-fixture.ts';
import {
  type HeicRecipe,
  type HeicStep,
  makeHeic,
  makeJxl,
  withFirstChunk,
} from '../../media/make-stills.ts';
import { SlotOfFile } from '../../media/slot-of-file.ts';
import { checkShown, HEIGHT, RGB, SIDES, upright, WHOLE, WIDTH } from '../../media/still-fixture.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';

const child = new SlotOfFile();

/** Stores the picture so that its steps turn it upright. */
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

const STILLS: { name: string; mime: string; bytes: () => Promise<Buffer>; pages?: number }[] = [
  ...STEPS.flatMap(([name, store, more]) => [
    { name: `HEIC of ${name}`, mime: 'image/heic', bytes: () => heic(store, more) },
    { name: `AVIF of ${name}`, mime: 'image/avif', bytes: () => heic(store, { ...more, codec: 'av1' }) },
  ]),
  { name: 'AVIF', mime: 'image/avif', bytes: () => upright().avif({ quality: 90 }).toBuffer() },
  { name: 'GIF', mime: 'image/gif', bytes: () => upright().gif().toBuffer() },
  { name: 'JPEG XL', mime: 'image/jxl', bytes: async () => makeJxl(RGB, WIDTH, HEIGHT) },
];

for (const { name, mime, bytes } of STILLS) {
  test(`${name}: probed, upright and in the right colours`, async () => {
    await checkShown(child.slot, await child.place(await bytes()), { mime, pages: 1 });
  });
}

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
    const input = await child.place(await readFile(sharedData('cases', file)));
    const patchSets = [WHOLE];
    const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
    const { image } = await child.slot.request(request);
    assert.deepEqual([image.width, image.height, image.pages], expected, file);
    const patch = sharp(await readFile(child.slot.outPath('whole.rgb')), {
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

test('pixels under transparency are not judged', async () => {
  const hidden = Buffer.alloc(WIDTH * HEIGHT * 4, 0);
  const image = sharp(hidden, { raw: { ...SIDES, channels: 4 } });
  const input = await child.place(await image.avif({ quality: 90 }).toBuffer());
  const patchSets = [WHOLE];
  const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
  const { image: decoded } = await child.slot.request(request);
  const patch = await readFile(child.slot.outPath(decoded.patchSets[0]?.file ?? ''));
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
    name: 'HEIC that is smaller than it says',
    bytes: async () => {
      const bytes = await heic((image) => image, {});
      bytes.writeUInt32BE(WIDTH + 40, bytes.indexOf('ispe') + 8);
      return bytes;
    },
    fault: 'corrupt',
    message: /240 × 160 pixels, and says 280 × 160/,
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
    const input = await child.place(await bytes());
    const error = await child.slot
      .request({ type: 'probe', input, limits: LIMITS })
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof MediaFaultError, String(error));
    assert.equal(error.fault, fault);
    assert.match(error.message, message);
  });
}
