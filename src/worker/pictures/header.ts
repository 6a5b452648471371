/** Judges bounds before any pixel is decoded: a picture of 30,000² pixels fits into 100 KB of PNG. */

import { open } from 'node:fs/promises';
import { constants, inflateRawSync } from 'node:zlib';
import { formatOf, type MediaType } from '../../domain/media/formats.ts';
import { showsSequence } from '../libav/heif-items.ts';
import { MediaFaultFound, toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { FileWindow } from './file-window.ts';
import { readMediaType, refuseKind } from './media-header.ts';
import { assertBounds } from './picture-bounds.ts';
import { openPicture } from './picture-file.ts';
import { pngChunks, readPngForm } from './png-chunks.ts';
import { readTiffForm, tiffDirectories } from './tiff-directories.ts';
import { assertBits, isLab8, openableTiff, readerOf } from './tiff-samples.ts';
import { readTiffTags, TIFF_TAGS, type TiffTags } from './tiff-tags.ts';

type PictureFile = Pick<PictureHeader, 'path' | 'mime' | 'format' | 'limits'>;
type Described = Omit<PictureHeader, keyof PictureFile>;

/** `type` is passed if it is known. */
export async function readHeader(
  path: string,
  limits: DecodeLimits,
  type?: MediaType,
): Promise<PictureHeader> {
  const { kind, mime, name: format } = type ?? (await readMediaType(path));
  if (kind !== 'image') throw refuseKind('image', `${format} ${kind}`);
  assertBoundedParts(path, mime);
  const file = { path, mime, format, limits };
  const header = { ...file, ...(await describe(file)) };
  assertBounds(header, limits);
  return header;
}

async function describe(file: PictureFile): Promise<Described> {
  if (formatOf(file.mime)?.isHeif) return await describeHeifFile(file);
  switch (file.mime) {
    case 'image/jxl':
      return await describeJxl(file);
    case 'image/png':
      return await describePng(file);
    case 'image/tiff':
      return await describeTiff(file);
    default: {
      const { sides, pages } = await readMetadata(file);
      return { ...sides, pages, reader: 'library', frames: 'pages' };
    }
  }
}

async function describeHeifFile(file: PictureFile): Promise<Described> {
  if (showsSequence(file.path)) {
    const { describeTrack } = await import('./track-picture.ts');
    return { ...describeTrack(file), reader: 'track', frames: 'track' };
  }
  // Loaded late: it brings the media library, which most pictures do without.
  const { describeHeif } = await import('./heif-picture.ts');
  return { ...describeHeif(file.path), reader: 'items', frames: null };
}

/** The header's own figures are judged first, since the media library decodes as soon as it opens the file. */
async function describeJxl(file: PictureFile): Promise<Described> {
  const stored = await readJxlSize(file.path);
  if (stored === null) throw new MediaFaultFound('corrupt', `the ${file.format} header is damaged`);
  assertBounds(stored, file.limits);
  const { describeTrack } = await import('./track-picture.ts');
  return { ...describeTrack(file), reader: 'track', frames: 'track' };
}

async function describePng(file: PictureFile): Promise<Described> {
  const { isCgbi, frames, isDefaultShown } = readPngForm(file.path);
  if (isCgbi) throw refuseKind('image', "a PNG in Apple's own form (CgBI), which only its programs read");
  const { sides } = await readMetadata(file);
  if (frames === null) return { ...sides, pages: 1, reader: 'library', frames: null };
  const reader = isDefaultShown ? 'library' : 'track';
  return { ...sides, pages: Math.max(1, frames), reader, frames: 'track' };
}

async function describeTiff(file: PictureFile): Promise<Described> {
  const tags = readTiffTags(file.path);
  const raw = tags && describeRawTiff(tags);
  if (raw !== null) throw refuseKind('image', `${raw}, whose preview is not the photograph`);
  if (tags !== null) assertBits(tags);
  const { sides, pages, samples } = await readMetadata(file, await openableTiff(file.path));
  const reader = tags !== null && isLab8(tags) ? 'lab' : readerOf(samples);
  return { ...sides, pages, reader, frames: null };
}

/** Without the library's own pixel limit, whose error does not state the number of pixels. */
async function readMetadata({ path, format }: PictureFile, source: string | Buffer = path) {
  try {
    const samples = await openPicture(source, false).metadata();
    return { sides: samples.autoOrient, pages: samples.pages ?? 1, samples };
  } catch (error) {
    throw toPictureFault(error, format);
  }
}

/** A mosaic of one colour per pixel, and its values made linear (TIFF/EP, DNG). */
const RAW_PHOTOMETRICS = [32_803, 34_892];
const REDUCED_RESOLUTION = 1;

/** Most raw formats are TIFFs whose first page is a small preview: judging that would be a false answer. */
function describeRawTiff({ head, values }: TiffTags): string | null {
  if (head.toString('latin1', 8, 10) === 'CR') return 'a Canon CR2 raw photograph';
  if (values.has(TIFF_TAGS.dngVersion)) return 'a DNG raw photograph';
  const isRaw = RAW_PHOTOMETRICS.includes(values.get(TIFF_TAGS.photometric) ?? 0);
  const isPreview = ((values.get(TIFF_TAGS.newSubfileType) ?? 0) & REDUCED_RESOLUTION) === REDUCED_RESOLUTION;
  // Nikon, Sony and others put a preview first and the picture into a page below it.
  return isRaw || (isPreview && values.has(TIFF_TAGS.subIfds)) ? "a camera's raw photograph" : null;
}

/** JPEG XL's sides by its header (ISO/IEC 18181-1, SizeHeader): the decoder takes any size as soon as it opens. */
const SAMPLE_BYTES = 64 * 1024;
const CONTAINER_MARK = '\0\0\0\x0cJXL ';
/** Width over height; 0: the width is stored. */
const RATIOS: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];
const SIDE_BITS = [9, 13, 18, 30] as const;

/** Null if no header is found in the first 64 KB. Stored sides; the orientation is not in this header. */
async function readJxlSize(path: string): Promise<{ width: number; height: number } | null> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
  const start = findCodestream(buffer.subarray(0, bytesRead));
  return start === null ? null : parseSize(buffer.subarray(start, bytesRead));
}

function findCodestream(bytes: Buffer): number | null {
  const text = bytes.toString('latin1');
  if (!text.startsWith(CONTAINER_MARK)) return text.startsWith('\xff\x0a') ? 2 : null;
  for (let at = 0; at + 16 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = text.slice(at + 4, at + 8);
    const headerBytes = size === 1 ? 16 : 8;
    // A part (`jxlp`) begins with its number.
    const body = at + headerBytes + (type === 'jxlp' ? 4 : 0);
    if (type === 'jxlc' || type === 'jxlp') return text.startsWith('\xff\x0a', body) ? body + 2 : null;
    const step = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
    if (step < 8) return null;
    at += step;
  }
  return null;
}

function parseSize(bytes: Buffer): { width: number; height: number } {
  let position = 0;
  const take = (count: number): number => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, position++)
      value += (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) * 2 ** bit;
    return value;
  };
  const isSmall = take(1) === 1;
  const takeSide = () => (isSmall ? (take(5) + 1) * 8 : take(SIDE_BITS[take(2)] ?? 9) + 1);
  const height = takeSide();
  const [over, under] = RATIOS[take(3)] ?? [0, 0];
  return { height, width: over === 0 ? takeSide() : Math.floor((height * over) / under) };
}

/** Frames of an animation, pages of a scan: two minutes at the pace of films, and half a second of the library's time. */
const PAGES_MAX = 4000;
/** Bound on the unpacked texts and profiles of a PNG, unless the file itself is larger: ten times the largest profile. */
const PNG_TEXT_BYTES_MAX = 8 * 1024 ** 2;

/**
 * Refuses, before a library reads the file, pictures whose parts cost far more than their bytes: a WebP of 50,000 frames
 * keeps its reader busy for minutes, ten megabytes of PNG text unpack to ten gigabytes. Throws MediaFaultFound. A part that
 * cannot be read to its end is damaged, and the library says how.
 */
function assertBoundedParts(path: string, mime: string): void {
  const check = CHECKS.get(mime);
  if (check === undefined) return;
  using file = new FileWindow(path);
  check(file);
}

const CHECKS: ReadonlyMap<string, (file: FileWindow) => void> = new Map([
  ['image/webp', checkWebp],
  ['image/tiff', checkTiff],
  ['image/png', checkPng],
]);

function checkWebp(file: FileWindow): void {
  let frames = 0;
  for (let at = 12; ; ) {
    const head = file.read(at, 8);
    if (head === null) return;
    if (head.toString('latin1', 0, 4) === 'ANMF') frames += 1;
    if (frames > PAGES_MAX) throw tooManyPages('the animation', 'frames');
    const size = head.readUInt32LE(4);
    at += 8 + size + (size % 2);
  }
}

function checkTiff(file: FileWindow): void {
  const form = readTiffForm(file);
  if (form === null) return;
  let [pages, bytes] = [0, 0];
  for (const { entries } of tiffDirectories(file, form)) {
    pages += 1;
    if (pages > PAGES_MAX) throw tooManyPages('the TIFF', 'pages');
    bytes += entries * form.entryBytes;
    if (bytes > file.sizeBytes)
      throw new MediaFaultFound('corrupt', 'the TIFF data is damaged (its directories overlap)');
  }
}

function checkPng(file: FileWindow): void {
  const bytesMax = Math.max(PNG_TEXT_BYTES_MAX, file.sizeBytes);
  let left = bytesMax;
  for (const { type, at, size } of pngChunks(file)) {
    if (!PACKED_CHUNKS.includes(type)) continue;
    left -= unpackedBytes(packedOf(type, file.readWhole(at, size)), left);
    if (left < 0)
      throw new MediaFaultFound('corrupt', `the texts of the PNG unpack to more than ${bytesMax} bytes`);
  }
}

/** Chunks that may be packed (PNG, 11.3). */
const PACKED_CHUNKS = ['zTXt', 'iTXt', 'iCCP'];

/** The packed part of a chunk: behind a keyword and a method, of iTXt behind two more texts; null if nothing is packed. */
function packedOf(type: string, data: Buffer): Buffer | null {
  let at = data.indexOf(0) + 1;
  if (at === 0) return null;
  if (type !== 'iTXt') return data.subarray(at + 1);
  if (data[at] === 0) return null;
  at += 2;
  for (let text = 0; text < 2; text += 1) at = data.indexOf(0, at) + 1 || data.length;
  return data.subarray(at);
}

/** Returns more than `bytesMax` if there is more. Libraries unpack the rest despite a missing end or a wrong checksum. */
function unpackedBytes(packed: Buffer | null, bytesMax: number): number {
  if (packed === null) return 0;
  const bounds = { maxOutputLength: Math.max(1, bytesMax), finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return inflateRawSync(packed.subarray(ZLIB_HEAD_BYTES), bounds).length;
  } catch (error) {
    return error instanceof RangeError ? bytesMax + 1 : packed.length * DEFLATE_FACTOR_MAX;
  }
}

const ZLIB_HEAD_BYTES = 2;
/** Largest expansion of a deflated byte, for data that is damaged in between. */
const DEFLATE_FACTOR_MAX = 1032;

function tooManyPages(what: string, pages: string): MediaFaultFound {
  return new MediaFaultFound('too_many_pixels', `${what} has more than ${PAGES_MAX} ${pages}`);
}
