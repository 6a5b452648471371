/** A frame's PNG holds its pixels, whatever they are, and every check in it is right. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { makeRandom } from '../../../evaluate/random.ts';
import type { Picture } from '../../../src/worker/media/picture.ts';
import { encodeFramePng } from '../../../src/worker/pictures/png/frame-png.ts';
import { codeBits, codeLengths } from '../../../src/worker/pictures/png/prefix-code.ts';

const random = makeRandom(7);

function paint(width: number, height: number, at: (index: number) => number): Picture {
  return {
    width,
    height,
    rgb: Buffer.from(Uint8Array.from({ length: width * height * 3 }, (_, index) => at(index))),
  };
}

const PICTURES: Record<string, Picture> = {
  'one pixel': paint(1, 1, (index) => 40 * index),
  'one column': paint(1, 300, (index) => index),
  'one row': paint(257, 1, (index) => index * 3),
  'sides of no multiple': paint(61, 47, (index) => (index % 7) * 30),
  noise: paint(400, 300, () => random() * 256),
  black: paint(640, 480, () => 0),
  white: paint(333, 200, () => 255),
  'soft noise': paint(640, 400, (index) => 100 + (index >> 9) / 8 + random() * 6),
  'stripes of four rows': paint(320, 400, (index) => (Math.floor(index / 960) >> 2) * 5),
  'noise where no row is looked at': paint(200, 200, (index) =>
    Math.floor(index / 600) % 11 === 0 ? random() * 256 : 9,
  ),
  'runs of every length': paint(700, 120, (index) =>
    index % (Math.floor(index / 2100) * 9 + 40) === 0 ? 200 : 0,
  ),
};

/** Reads a PNG chunk by chunk; fails on a wrong check. */
function dataOf(png: Buffer): Buffer {
  const data: Buffer[] = [];
  const types: string[] = [];
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    equal(png.readUInt32BE(end), crc32(png.subarray(at + 4, end)), type);
    types.push(type);
    if (type === 'IDAT') data.push(png.subarray(at + 8, end));
    at = end + 4;
  }
  deepEqual(types, ['IHDR', 'IDAT', 'IEND']);
  return Buffer.concat(data);
}

for (const [name, picture] of Object.entries(PICTURES)) {
  test(`the pixels of ${name} come back from a PNG`, async () => {
    const { width, height, rgb } = picture;
    const png = encodeFramePng(picture);
    equal(inflateSync(dataOf(png)).length, (width * 3 + 1) * height, 'whole, with a checksum that holds');
    const { data, info } = await sharp(png, { failOn: 'warning' })
      .raw()
      .toBuffer({ resolveWithObject: true });
    deepEqual([info.width, info.height, info.channels], [width, height, 3]);
    ok(data.equals(rgb));
    equal(png.buffer.byteLength, png.length, 'what was taken for the worst case was given back');
  });
}

test('what is soft becomes smaller than by the quick level of another encoder, and noise grows by little', async () => {
  for (const [name, most] of [
    ['soft noise', 0.8],
    ['noise', 1.05],
  ] as const) {
    const picture = PICTURES[name] as Picture;
    const { width, height, rgb } = picture;
    const other = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png({ compressionLevel: 1, adaptiveFiltering: false })
      .toBuffer();
    const share = encodeFramePng(picture).length / other.length;
    ok(share <= most, `${name}: ${share}`);
  }
});

test('pixels that are no picture of these sides are refused', () => {
  throws(() => encodeFramePng({ width: 2, height: 2, rgb: Buffer.alloc(11) }), RangeError);
});

test('a code is whole, and no longer than allowed, however uneven the counts', () => {
  const counts = Uint32Array.from({ length: 40 }, (_, index) => Math.max(1, Math.floor(1.6 ** index)));
  for (const lengthMax of [6, 7, 12, 15]) {
    const lengths = codeLengths(counts, lengthMax);
    ok(lengths.every((length) => length > 0 && length <= lengthMax));
    equal(
      lengths.reduce((sum, length) => sum + 2 ** -length, 0),
      1,
    );
    const written = [...codeBits(lengths)].map((bits, symbol) =>
      bits.toString(2).padStart(lengths[symbol] as number, '0'),
    );
    equal(new Set(written).size, 40);
  }
  throws(() => codeLengths(counts, 5), RangeError);
  throws(() => codeLengths(Uint32Array.of(3), 5), RangeError);
});
