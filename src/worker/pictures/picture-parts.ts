/**
 * Refuses, before a library reads the file, pictures whose parts cost far more than their bytes: a WebP of
 * 50,000 frames keeps its reader busy for minutes, ten megabytes of PNG text unpack to ten gigabytes.
 */
import { constants, inflateRawSync } from 'node:zlib';
import { MediaFaultFound } from '../media/media-fault.ts';
import { FileWindow } from './file-window.ts';
import { pngChunks } from './png-chunks.ts';
import { readTiffForm, tiffDirectories } from './tiff-directories.ts';

/** Frames of an animation, pages of a scan: two minutes at the pace of films, and half a second of the library's time. */
const PAGES_MAX = 4000;
/** Bound on the unpacked texts and profiles of a PNG, unless the file itself is larger: ten times the largest profile. */
const PNG_TEXT_BYTES_MAX = 8 * 1024 ** 2;

/** Throws MediaFaultFound. A part that cannot be read to its end is damaged, and the library says how. */
export function assertBoundedParts(path: string, mime: string): void {
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
