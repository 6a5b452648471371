/** Pictures for tests, made on the spot: ordinary, odd and hostile ones. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Has detail everywhere, so that encoders have something to lose: a gradient under a pattern that does not repeat. */
export function patternRgb(width: number, height: number): Buffer {
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      rgb[at] = (x * 255) / width;
      rgb[at + 1] = (y * 255) / height;
      rgb[at + 2] = (x * x + y * 7 + ((x * y) % 31) * 3) % 256;
    }
  }
  return rgb;
}

export function patternImage(width: number, height: number): Sharp {
  return sharp(patternRgb(width, height), { raw: { width, height, channels: 3 } });
}

export async function writePicture(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** A grey PNG whose header names any size; its data is `rows` rows of zeros. A bomb is a few kilobytes. */
export function greyPng(
  width: number,
  height: number,
  rows: number,
  texts: readonly [type: string, data: Buffer][] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const data = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * rows));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...texts.map(([type, text]) => chunk(type, text)),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

/** Pages in one uncompressed grey TIFF, `side` × `side` each, all of the same pixels; the picture library writes only one. */
export function tiffOfPages(side: number, count: number): Buffer {
  const pixels = Buffer.alloc(side * side, 128);
  const first = 8 + pixels.length;
  const directoryBytes = 2 + 8 * 12 + 4;
  const header = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(first, 4);
  const pages = Array.from({ length: count }, (_, page) =>
    tiffDirectory(side, page + 1 < count ? first + (page + 1) * directoryBytes : 0),
  );
  return Buffer.concat([header, pixels, ...pages]);
}

function tiffDirectory(side: number, next: number): Buffer {
  const entries = [
    [256, side],
    [257, side],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [278, side],
    [279, side * side],
  ];
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length, 0);
  for (const [index, [tag = 0, value = 0]] of entries.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(4, at + 2);
    directory.writeUInt32LE(1, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  directory.writeUInt32LE(next, directory.length - 4);
  return directory;
}

/** Three frames. */
export async function animatedWebp(side: number): Promise<Buffer> {
  const frames = await Promise.all(
    ['#f00', '#0f0', '#00f'].map((background) =>
      sharp({ create: { width: side, height: side, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  return await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer();
}

/** The same animation with its last frame shown so many times more. */
export function repeatLastFrame(webp: Buffer, times: number): Buffer {
  const last = webp.subarray(webp.lastIndexOf('ANMF'));
  const whole = Buffer.concat([webp, ...Array<Buffer>(times).fill(last)]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}
