/** Pictures that cost a decoder and a model what photographs cost: shapes of all sizes, sensor noise, JPEG 90. */
import sharp from 'sharp';
import { makeRandom } from '../evaluate/random.ts';

export const PHOTO_COUNT = 40;
/** Their mean size is .68 megapixels. */
const MIX_SIDES = [
  [480, 360],
  [640, 640],
  [800, 600],
  [1024, 683],
  [1024, 1024],
  [1280, 720],
  [1200, 900],
  [720, 960],
] as const;
const MIX_COUNT = 24;
const WIDTH = 1600;
const HEIGHT = 1200;
const NOISE = 12;
/** Coarse, middle and fine detail, as fractions of the picture's sides. */
const SCALES = [100, 25, 6];
const COMMENT_BYTES_MAX = 65_000;

export async function makePhotos(): Promise<Buffer[]> {
  const photos: Buffer[] = [];
  for (let seed = 1; seed <= PHOTO_COUNT; seed++) photos.push(await makePhoto(seed, WIDTH, HEIGHT));
  return photos;
}

export async function makePhoto(seed: number, width: number, height: number): Promise<Buffer> {
  const random = makeRandom(seed);
  const layers = [];
  for (const scale of SCALES) {
    layers.push(await makeLayer(random, { width, height, scale: Math.min(scale, height / 4) }));
  }
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < rgb.length; at++) {
    const sum = layers.reduce((total, layer, index) => total + (layer[at] ?? 0) / 2 ** (index + 1), 0);
    rgb[at] = Math.max(0, Math.min(255, sum + (random() - 0.5) * NOISE));
  }
  return await sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** What most people send, from previews to a telephone's reduced photographs, and one as its camera takes it. */
export async function makeMix(): Promise<{ mix: Buffer[]; large: Buffer }> {
  const mix: Buffer[] = [];
  for (let index = 0; index < MIX_COUNT; index++) {
    const [width, height] = MIX_SIDES[index % MIX_SIDES.length] ?? MIX_SIDES[0];
    mix.push(await makePhoto(index + 1, width, height));
  }
  return { mix, large: await makePhoto(MIX_COUNT + 1, 4000, 3000) };
}

async function makeLayer(
  random: () => number,
  { width, height, scale }: { width: number; height: number; scale: number },
): Promise<Buffer> {
  const small = { width: Math.ceil(width / scale), height: Math.ceil(height / scale) };
  const values = Buffer.from(Array.from({ length: small.width * small.height * 3 }, () => random() * 256));
  return await sharp(values, { raw: { ...small, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
}

/** The same pixels under another hash: nothing may be answered from an earlier run. */
export function stampJpeg(jpeg: Buffer, stamp: string): Buffer {
  return insertComment(jpeg, Buffer.from(stamp));
}

/** A JPEG of exactly `sizeBytes`, filled up with comments that decoders skip. */
export function padJpeg(jpeg: Buffer, sizeBytes: number): Buffer {
  let padded = jpeg;
  while (padded.length < sizeBytes) {
    const missing = sizeBytes - padded.length;
    padded = insertComment(padded, Buffer.alloc(Math.max(1, Math.min(COMMENT_BYTES_MAX, missing - 4)), 0x41));
  }
  return padded;
}

function insertComment(jpeg: Buffer, text: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(text.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2)]);
}
