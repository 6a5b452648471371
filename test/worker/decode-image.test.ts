/** The steps of a picture's analysis, through a real decode child: patches to the byte, copies, quality, orientation. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import sharp from 'sharp';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import type { DecodeProgress } from '../../src/engine/decode/decode-slot.ts';
import type { PatchSetRequest } from '../../src/worker/protocol/decode-protocol.ts';
import type { DecodedImage, PatchedPicture, PatchSet } from '../../src/worker/protocol/decoded-media.ts';
import { LIMITS } from '../media/decode-fixture.ts';
import { animatedWebp, patternImage, patternRgb, tiffOfPages } from '../media/pictures.ts';
import { SlotOfFile } from '../media/slot-of-file.ts';

const child = new SlotOfFile();

const layout = (size: number, countMax: number) => ({ size, align: 8, countMax });
const ORIGINAL: PatchSetRequest = { name: 'origin', variant: 'original', layout: layout(64, 9) };

async function decode(
  bytes: Uint8Array,
  patchSets: PatchSetRequest[] = [ORIGINAL],
  onProgress: (progress: DecodeProgress) => void = () => {},
): Promise<DecodedImage> {
  const input = await child.place(bytes);
  const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets } as const;
  return (await child.slot.request(request, { onProgress })).image;
}

async function readPatches(set: PatchSet): Promise<Buffer[]> {
  const bytes = await readFile(child.slot.outPath(set.file));
  const patchBytes = set.size ** 2 * 3;
  assert.equal(bytes.length, set.positions.length * patchBytes);
  return set.positions.map((_, index) => bytes.subarray(index * patchBytes, (index + 1) * patchBytes));
}

function onlySet(image: DecodedImage): PatchSet {
  const [set] = image.patchSets;
  assert.ok(set !== undefined && image.patchSets.length === 1);
  return set;
}

/** Mean of each channel over all patches. */
async function meanColour(image: DecodedImage): Promise<number[]> {
  const bytes = Buffer.concat(await readPatches(onlySet(image)));
  const sums = [0, 0, 0];
  for (const [index, byte] of bytes.entries()) sums[index % 3] = (sums[index % 3] ?? 0) + byte;
  return sums.map((sum) => Math.round(sum / (bytes.length / 3)));
}

test('patches hold the very pixels of the picture', async () => {
  const rgb = patternRgb(300, 200);
  const set = onlySet(await decode(await patternImage(300, 200).png().toBuffer()));
  assert.ok(set.positions.length > 1);
  for (const [index, patch] of (await readPatches(set)).entries()) {
    const { x, y } = set.positions[index] ?? { x: -1, y: -1 };
    for (const row of [0, 31, 63]) {
      const start = ((y + row) * 300 + x) * 3;
      assert.deepEqual(patch.subarray(row * 192, row * 192 + 192), rgb.subarray(start, start + 192));
    }
  }
});

test('a picture turned by EXIF is cut upright', async () => {
  const jpeg = await patternImage(160, 96).withMetadata({ orientation: 6 }).jpeg({ quality: 90 }).toBuffer();
  const image = await decode(jpeg, [{ ...ORIGINAL, layout: layout(96, 1) }]);
  assert.deepEqual([image.width, image.height], [96, 160]);
  const upright = await sharp(jpeg).autoOrient().raw().toBuffer();
  const set = onlySet(image);
  const [patch] = await readPatches(set);
  const start = (set.positions[0]?.y ?? -1) * 96 * 3;
  assert.deepEqual(patch, upright.subarray(start, start + 96 * 96 * 3));
});

const solid = (background: string | { r: number; g: number; b: number; alpha: number }) =>
  sharp({ create: { width: 128, height: 128, channels: 4, background } });

const COLOURS: { name: string; bytes: () => Promise<Buffer>; expected: [number, number, number] }[] = [
  {
    name: 'transparency lies on white',
    bytes: () => solid({ r: 255, g: 0, b: 0, alpha: 0.5 }).png().toBuffer(),
    expected: [255, 127, 127],
  },
  {
    name: '16 bits become 8',
    bytes: () => solid('#4080c0').removeAlpha().toColourspace('rgb16').png().toBuffer(),
    expected: [64, 128, 192],
  },
  {
    name: 'a palette becomes colours',
    bytes: () => solid('#4080c0').png({ palette: true }).toBuffer(),
    expected: [64, 128, 192],
  },
  {
    name: 'grey becomes three channels',
    bytes: () => solid('#808080').removeAlpha().toColourspace('b-w').png().toBuffer(),
    expected: [128, 128, 128],
  },
  {
    name: 'of two pages the first is seen',
    bytes: async () => tiffOfPages(64, 2),
    expected: [128, 128, 128],
  },
];

for (const { name, bytes, expected } of COLOURS) {
  test(name, async () => {
    const actual = await meanColour(await decode(await bytes()));
    const distance = Math.max(...actual.map((value, index) => Math.abs(value - (expected[index] ?? 0))));
    assert.ok(distance <= 2, `${actual} is not near ${expected}`);
  });
}

test('CMYK inks become screen colours', async () => {
  const [red = 0, , blue = 0] = await meanColour(
    await decode(await solid('#e04020').removeAlpha().toColourspace('cmyk').jpeg().toBuffer()),
  );
  assert.ok(red > 150 && blue < 100, `red ${red}, blue ${blue}`);
});

test('an animation shows its first frame', async () => {
  const image = await decode(await animatedWebp(96));
  assert.equal(image.pages, 3);
  const [red = 0, green = 0] = await meanColour(image);
  assert.ok(red > 240 && green < 15);
});

test('copies are re-encoded and scaled, and only made when asked for', async () => {
  const sets: PatchSetRequest[] = [
    ORIGINAL,
    { name: 'again', variant: 'jpeg-60', layout: layout(64, 4) },
    { name: 'smaller', variant: 'scale-75', layout: layout(64, 4) },
  ];
  const png = await patternImage(400, 240).png().toBuffer();
  const { patchSets } = await decode(png, sets);
  const [original, again, smaller] = patchSets;
  assert.ok(original !== undefined && again !== undefined && smaller !== undefined);
  assert.deepEqual([again.width, again.height], [400, 240]);
  assert.deepEqual(again.positions, smaller.positions);
  const reference = await sharp(await sharp(png).jpeg({ quality: 60 }).toBuffer())
    .raw()
    .toBuffer();
  const { x, y } = again.positions[0] ?? { x: -1, y: -1 };
  const [patch] = await readPatches(again);
  // At the edge of the picture the decoder blends halved colour otherwise.
  const inner = 8;
  const from = ((y + inner) * 400 + x + inner) * 3;
  const row = patch?.subarray((inner * 64 + inner) * 3, (inner + 1) * 64 * 3);
  assert.deepEqual(row, reference.subarray(from, from + (64 - inner) * 3));
});

test('copies are made of the places that are looked at', async () => {
  const jpeg = await patternImage(2600, 300).jpeg().toBuffer();
  const detailed = { ...layout(64, 4), candidateCountMax: 32 };
  const { patchSets } = await decode(jpeg, [
    { name: 'origin', variant: 'original', layout: detailed },
    { name: 'again', variant: 'jpeg-60', layout: detailed },
  ]);
  const [origin, again] = patchSets;
  assert.equal(again?.positions.length, 4);
  assert.deepEqual(again?.positions, origin?.positions);
});

test('a set is left out if the picture is smaller than a patch', async () => {
  const sets: PatchSetRequest[] = [
    { name: 'whole', variant: 'original', layout: layout(96, 4) },
    { name: 'scaled', variant: 'scale-75', layout: layout(96, 4) },
  ];
  const { patchSets } = await decode(await patternImage(120, 100).png().toBuffer(), sets);
  assert.deepEqual(
    patchSets.map(({ name }) => name),
    ['whole'],
  );
});

for (const quality of [30, 60, 85, 97]) {
  test(`finds JPEG quality ${quality}`, async () => {
    const { quality: measured } = await decode(await patternImage(200, 120).jpeg({ quality }).toBuffer());
    assert.deepEqual(measured, { shortSide: 120, jpegQuality: quality, truncated: false });
  });
}

test('a PNG has no JPEG quality', async () => {
  const { quality } = await decode(await patternImage(200, 120).png().toBuffer());
  assert.equal(quality.jpegQuality, null);
});

test('reports data that is missing before the end marker', async () => {
  const jpeg = await patternImage(400, 400).jpeg().toBuffer();
  const holed = Buffer.concat([jpeg.subarray(0, jpeg.length / 2), Buffer.from([0xff, 0xd9])]);
  // Some failures of this show only now and then: the library's warnings lie in one place for all threads.
  for (let time = 0; time < 60; time++) assert.equal((await decode(holed)).quality.truncated, true);
});

test('reports each step once, in order', async () => {
  const seen: string[] = [];
  await decode(await patternImage(200, 120).png().toBuffer(), [ORIGINAL], ({ step, done, total }) =>
    seen.push(`${done}/${total} ${step}`),
  );
  assert.deepEqual(seen, [
    '0/7 header',
    '1/7 pixels',
    '2/7 patches',
    '3/7 quality',
    '4/7 provenance',
    '5/7 marks',
    '6/7 likeness',
  ]);
});

test('the patches are there before the rest of the picture is read', async () => {
  const seen: string[] = [];
  const patched: PatchedPicture[] = [];
  const bytes = await patternImage(200, 120).png().toBuffer();
  const input = await child.place(bytes);
  const asked = [ORIGINAL];
  const request = { type: 'decode-image', input, limits: LIMITS, trust: NO_TRUST, patchSets: asked } as const;
  const { image } = await child.slot.request(request, {
    onProgress: ({ step }) => seen.push(step),
    onPatched: (picture) => {
      assert.equal(seen.at(-1), 'patches');
      patched.push(picture);
    },
  });
  const { width, height, patchSets } = image;
  assert.deepEqual(patched, [{ width, height, patchSets }]);
});

test('the heatmap is as large as the picture, at most 1024, and its legend below', async () => {
  const input = await child.place(await patternImage(2048, 1000).jpeg().toBuffer());
  const positions = [0, 1, 2, 3].map((index) => ({ x: (index % 2) * 1984, y: Math.floor(index / 2) * 936 }));
  const request = {
    type: 'render-heatmap',
    layer: 'origin',
    input,
    folder: 'in',
    limits: LIMITS,
    size: 64,
    output: 'map.png',
  } as const;
  const { heatmap } = await child.slot.request({ ...request, positions, probabilities: [0, 1, 0, 1] });
  assert.deepEqual(heatmap, { width: 1024, height: 532 });
  const path = child.slot.outPath('map.png');
  assert.ok((await stat(path)).size > 1000);
  const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height, info.channels], [1024, 532, 3]);
  const redMinusBlue = (x: number) =>
    (data[(250 * 1024 + x) * 3] ?? 0) - (data[(250 * 1024 + x) * 3 + 2] ?? 0);
  assert.ok(redMinusBlue(20) < -60, 'human is blue');
  assert.ok(redMinusBlue(1000) > 60, 'artificial is red');
  assert.ok(Math.abs(redMinusBlue(512)) < 40, 'undecided is neither');
});
