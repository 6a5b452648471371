/** TIFFs that the library misreads: it clamps floats and long integers to black and white, and reads no CIELab. */
import { readFile } from 'node:fs/promises';
import type { Metadata, Sharp } from 'sharp';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { PictureHeader, PictureReader } from '../media/picture.ts';
import { openPicture, openPixels } from './picture-file.ts';
import { readTiffTags, TIFF_TAGS, type TiffTags } from './tiff-tags.ts';

const PHOTOMETRIC_RGB = 2;
const PHOTOMETRIC_CIELAB = 8;
/** Depths that the library opens; floats of 16 bits it opens as black. */
const BITS = [1, 2, 4, 8, 16, 32];
/** A sample takes four bytes until it is scaled: more pixels would exceed the child's memory. */
const SCALED_PIXELS_MAX = 32_000_000;
/** Resampling overshoots black and white a little. */
const OVERSHOOT_MAX = 0.1;

export function isLab8({ values }: TiffTags): boolean {
  const [colours, bits] = [values.get(TIFF_TAGS.photometric), values.get(TIFF_TAGS.bitsPerSample)];
  return colours === PHOTOMETRIC_CIELAB && bits === 8;
}

/** Throws MediaFaultFound, naming the samples, before the library calls them damage. */
export function assertBits({ values }: TiffTags): void {
  const bits = values.get(TIFF_TAGS.bitsPerSample) ?? 1;
  if (!BITS.includes(bits)) throw refuseSamples(`of ${bits} bits`);
}

/** Chooses how the samples are read. Throws MediaFaultFound, naming them, if their black and white are unknown. */
export function readerOf({ depth, space, bitsPerSample = 8 }: Metadata): PictureReader {
  const isLong = depth === 'uint' && (space === 'b-w' || space === 'srgb');
  const isFloat = depth === 'float' && bitsPerSample === 32 && (space === 'b-w' || space === 'scrgb');
  if (isLong || isFloat) return 'samples';
  if (depth === 'uchar' || depth === 'ushort' || space === 'labs') return 'library';
  const numbers = depth === 'float' ? 'floats' : depth === 'uint' ? 'integers' : 'signed integers';
  throw refuseSamples(`that are ${numbers} of ${bitsPerSample} bits (${space})`);
}

function refuseSamples(what: string): MediaFaultFound {
  const accepted =
    'integers of 1, 2, 4, 8, 16 and 32 bits without a sign, floats of 32 bits from 0 to 1, and CIELab';
  const found = `the file is a TIFF with samples ${what}`;
  return new MediaFaultFound('unsupported_media_type', `${found}; accepted are ${accepted}`);
}

/** Brings floats from 0 to 1 or long integers to 8 bits. Floats of RGB too are taken as values, not as light. */
export async function openSamples({ path, width, height, limits }: PictureHeader): Promise<Sharp> {
  if (width * height > SCALED_PIXELS_MAX) {
    const found = `the picture has ${width * height} pixels of 32-bit samples`;
    throw new MediaFaultFound('too_many_pixels', `${found}; at most ${SCALED_PIXELS_MAX} are accepted`);
  }
  const open = () => openPicture(path, limits.pixelsMax, 'error');
  const { depth = 'uint', space = 'b-w' } = await open().metadata();
  const { data, info } = await open()
    .autoOrient()
    .toColourspace(space)
    .raw({ depth })
    .toBuffer({ resolveWithObject: true });
  const count = data.length / Float32Array.BYTES_PER_ELEMENT;
  const { buffer, byteOffset } = data;
  const scaled =
    depth === 'float'
      ? scaleFloats(new Float32Array(buffer, byteOffset, count))
      : Buffer.from(new Uint32Array(buffer, byteOffset, count).map((value) => value >>> 24));
  return openPixels({ ...info, rgb: scaled }, info.channels);
}

function scaleFloats(samples: Float32Array): Buffer {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of samples) {
    // A comparison with NaN is false.
    if (!(value >= least)) least = value;
    if (!(value <= most)) most = value;
  }
  if (!(least >= -OVERSHOOT_MAX && most <= 1 + OVERSHOOT_MAX))
    throw refuseSamples(`that are floats from ${least} to ${most}`);
  const scaled = Buffer.alloc(samples.length);
  for (const [index, value] of samples.entries()) {
    scaled[index] = Math.round(255 * Math.min(1, Math.max(0, value)));
  }
  return scaled;
}

/** The file, or all its bytes if it is CIELab, whose samples the library reads unchanged once they are called RGB. */
export async function openableTiff(path: string): Promise<string | Buffer> {
  const tags = readTiffTags(path);
  const place = tags?.places.get(TIFF_TAGS.photometric);
  if (tags === null || place === undefined || !isLab8(tags)) return path;
  const bytes = await readFile(path);
  if (tags.isLittleEndian) bytes.writeUInt16LE(PHOTOMETRIC_RGB, place);
  else bytes.writeUInt16BE(PHOTOMETRIC_RGB, place);
  return bytes;
}

export async function openLab({ path, limits }: PictureHeader): Promise<Sharp> {
  const { data, info } = await openPicture(await openableTiff(path), limits.pixelsMax, 'error')
    .autoOrient()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += info.channels) labToRgb(data, at);
  return openPixels({ ...info, rgb: data }, info.channels);
}

/** Converts linear light to a byte of sRGB, in steps finer than its darkest ones. */
const LEVELS = 16_384;
const CURVE = Uint8Array.from({ length: LEVELS + 1 }, (_, index) => {
  const light = index / LEVELS;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});
const WHITE = [0.95047, 1, 1.08883] as const;
const DELTA = 6 / 29;

/** CIE 15:2018 8.2.1 inverted; the file's white becomes the screen's. `a`, `b` are signed (TIFF 6.0, section 23). */
function labToRgb(bytes: Buffer, at: number): void {
  const middle = ((bytes[at] ?? 0) / 2.55 + 16) / 116;
  const x = WHITE[0] * lightOf(middle + bytes.readInt8(at + 1) / 500);
  const y = WHITE[1] * lightOf(middle);
  const z = WHITE[2] * lightOf(middle - bytes.readInt8(at + 2) / 200);
  bytes[at] = byteOf(3.2404542 * x - 1.5371385 * y - 0.4985314 * z);
  bytes[at + 1] = byteOf(-0.969266 * x + 1.8760108 * y + 0.041556 * z);
  bytes[at + 2] = byteOf(0.0556434 * x - 0.2040259 * y + 1.0572252 * z);
}

const lightOf = (value: number): number => (value > DELTA ? value ** 3 : 3 * DELTA ** 2 * (value - 4 / 29));

const byteOf = (light: number): number => CURVE[Math.round(LEVELS * Math.min(1, Math.max(0, light)))] ?? 0;
