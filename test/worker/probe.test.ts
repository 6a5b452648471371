import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MediaFaultError } from '../../src/engine/children/worker-errors.ts';
import type { Probe } from '../../src/worker/protocol/decoded-media.ts';
import { LIMITS } from '../media/decode-fixture.ts';
import { animatedWebp, greyPng, patternImage, repeatLastFrame, tiffOfPages } from '../media/pictures.ts';
import { SlotOfFile } from '../media/slot-of-file.ts';

const child = new SlotOfFile();

async function probe(bytes: Uint8Array): Promise<Probe> {
  const input = await child.place(bytes);
  return (await child.slot.request({ type: 'probe', input, limits: LIMITS })).probe;
}

const jpeg = () => patternImage(320, 200).jpeg({ quality: 85 }).toBuffer();
const png = () => patternImage(320, 200).png().toBuffer();

interface Accepted {
  name: string;
  bytes: () => Promise<Buffer>;
  expected: Partial<Probe>;
}

const ACCEPTED: Accepted[] = [
  { name: 'JPEG', bytes: jpeg, expected: { mime: 'image/jpeg', width: 320, height: 200, pages: 1 } },
  {
    name: 'JPEG turned by EXIF',
    bytes: () => patternImage(320, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    expected: { width: 200, height: 320 },
  },
  {
    name: 'CMYK JPEG',
    bytes: () => patternImage(320, 200).toColourspace('cmyk').jpeg().toBuffer(),
    expected: { mime: 'image/jpeg', width: 320 },
  },
  {
    name: '16-bit PNG',
    bytes: () => patternImage(320, 200).toColourspace('rgb16').png().toBuffer(),
    expected: { mime: 'image/png', width: 320 },
  },
  {
    name: 'PNG with alpha',
    bytes: () => patternImage(320, 200).ensureAlpha(0.5).png().toBuffer(),
    expected: { mime: 'image/png' },
  },
  {
    name: 'palette PNG',
    bytes: () => patternImage(320, 200).png({ palette: true, colours: 16 }).toBuffer(),
    expected: { mime: 'image/png' },
  },
  {
    name: 'two-page TIFF',
    bytes: async () => tiffOfPages(64, 2),
    expected: { mime: 'image/tiff', width: 64, height: 64, pages: 2 },
  },
  {
    name: 'TIFF whose second page says that the first follows',
    bytes: async () => loopDirectories(tiffOfPages(64, 2)),
    expected: { mime: 'image/tiff', width: 64, height: 64, pages: 2 },
  },
  {
    name: 'animated WebP',
    bytes: () => animatedWebp(96),
    expected: { mime: 'image/webp', width: 96, height: 96, pages: 3 },
  },
  {
    name: 'PNG with packed texts of a megabyte each',
    bytes: async () =>
      greyPng(64, 64, 64, [
        ['zTXt', packedText(MIB)],
        ['iTXt', Buffer.concat([Buffer.from('XMP\0\x01\0en\0\0'), deflateSync(Buffer.alloc(MIB))])],
      ]),
    expected: { mime: 'image/png', width: 64, height: 64 },
  },
  {
    name: 'JPEG with data after its end',
    bytes: async () => Buffer.concat([await jpeg(), Buffer.from('a motion photo goes on here')]),
    expected: { mime: 'image/jpeg' },
  },
  {
    name: 'JPEG with flipped bits inside',
    bytes: async () => flipBits(await jpeg()),
    expected: { mime: 'image/jpeg' },
  },
];

const MIB = 1024 ** 2;
const packedText = (bytes: number) =>
  Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(bytes))]);

function loopDirectories(tiff: Buffer): Buffer {
  tiff.writeUInt32LE(tiff.readUInt32LE(4), tiff.length - 4);
  return tiff;
}

function flipBits(bytes: Buffer): Buffer {
  for (let at = Math.floor(bytes.length / 2); at < bytes.length - 64; at += 501)
    bytes[at] = (bytes[at] ?? 0) ^ 0x14;
  return bytes;
}

for (const { name, bytes, expected } of ACCEPTED) {
  test(`accepts: ${name}`, async () => {
    const found = await probe(await bytes());
    assert.equal(found.kind, 'image');
    assert.deepEqual({ ...found, ...expected }, found);
  });
}

interface Refused {
  name: string;
  bytes: () => Promise<Uint8Array>;
  fault: string;
  message: RegExp;
}

const cut = async (whole: Promise<Buffer>, kept: number) => {
  const bytes = await whole;
  return bytes.subarray(0, kept < 0 ? bytes.length + kept : Math.floor(bytes.length * kept));
};
const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>';

/** Each directory says that it has more entries than lie between it and the next one. */
function overlapDirectories(tiff: Buffer): Buffer {
  const directoryBytes = 2 + 8 * 12 + 4;
  const first = tiff.readUInt32LE(4);
  const entries = 2 * ((directoryBytes - 6) / 12 + 8);
  for (let at = first; at + 2 + entries * 12 + 4 <= tiff.length; at += directoryBytes) {
    tiff.writeUInt16LE(entries, at);
    tiff.writeUInt32LE(at + directoryBytes, at + 2 + entries * 12);
  }
  return tiff;
}

const REFUSED: Refused[] = [
  {
    name: 'JPEG cut in half',
    bytes: () => cut(jpeg(), 0.5),
    fault: 'corrupt',
    message: /JPEG data ends early/,
  },
  {
    name: 'JPEG without its last byte',
    bytes: () => cut(jpeg(), -1),
    fault: 'corrupt',
    message: /ends early/,
  },
  { name: 'PNG cut near its end', bytes: () => cut(png(), -200), fault: 'corrupt', message: /PNG data/ },
  { name: 'JPEG of a header only', bytes: () => cut(jpeg(), 0.01), fault: 'corrupt', message: /JPEG data/ },
  {
    name: 'JPEG-LS',
    bytes: async () => {
      const bytes = await jpeg();
      bytes[bytes.indexOf('ffc0', 'hex') + 1] = 0xf7;
      return bytes;
    },
    fault: 'unsupported_media_type',
    message: /of a kind that is not read here .*0xf7/,
  },
  {
    name: '30,000² PNG',
    bytes: async () => greyPng(30_000, 30_000, 8),
    fault: 'too_many_pixels',
    message: /900000000 pixels \(30000 × 30000\); at most 100000000/,
  },
  {
    name: 'PNG of one endless row',
    bytes: async () => greyPng(90_000, 1, 1),
    fault: 'too_many_pixels',
    message: /90000 × 1 pixels; a side may have at most 65500/,
  },
  {
    name: 'PNG of no size',
    bytes: async () => greyPng(0, 0, 0),
    fault: 'corrupt',
    message: /PNG data is damaged/,
  },
  {
    name: 'WebP of thousands of frames',
    bytes: async () => repeatLastFrame(await animatedWebp(16), 4000),
    fault: 'too_many_pixels',
    message: /the animation has more than 4000 frames/,
  },
  {
    name: 'TIFF of thousands of directories',
    bytes: async () => tiffOfPages(8, 4001),
    fault: 'too_many_pixels',
    message: /the TIFF has more than 4000 pages/,
  },
  {
    name: 'TIFF of directories that lie in each other',
    bytes: async () => overlapDirectories(tiffOfPages(8, 3000)),
    fault: 'corrupt',
    message: /its directories overlap/,
  },
  {
    name: 'PNG whose texts unpack to a thousand times its bytes',
    bytes: async () => greyPng(64, 64, 64, Array(9).fill(['zTXt', packedText(MIB)])),
    fault: 'corrupt',
    message: /the texts of the PNG unpack to more than 8388608 bytes/,
  },
  {
    name: 'PNG whose packed text ends early',
    bytes: async () => greyPng(64, 64, 64, [['zTXt', packedText(9 * MIB).subarray(0, -6)]]),
    fault: 'corrupt',
    message: /unpack to more than 8388608 bytes/,
  },
  {
    name: 'SVG',
    bytes: async () => Buffer.from(svg),
    fault: 'unsupported_media_type',
    message: /an SVG drawing/,
  },
  {
    name: 'empty file',
    bytes: async () => Buffer.alloc(0),
    fault: 'unsupported_media_type',
    message: /is empty/,
  },
  {
    name: 'text',
    bytes: async () => Buffer.from('hello'),
    fault: 'unsupported_media_type',
    message: /is text/,
  },
  {
    name: 'BMP',
    bytes: async () => Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)]),
    fault: 'unsupported_media_type',
    message: /a BMP picture, which is none of the accepted types/,
  },
  {
    name: 'ZIP archive',
    bytes: async () => Buffer.from('PK\x03\x04rest of it'),
    fault: 'unsupported_media_type',
    message: /a ZIP archive/,
  },
];

for (const { name, bytes, fault, message } of REFUSED) {
  test(`refuses: ${name}`, async () => {
    const error: unknown = await probe(await bytes()).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof MediaFaultError, String(error));
    assert.equal(error.fault, fault);
    assert.match(error.message, message);
    assert.ok(child.slot.isUsable, 'a refused file costs no child');
  });
}
