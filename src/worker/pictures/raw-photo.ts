/**
 * Distinguishes a camera's raw file from a TIFF: most raw formats are TIFFs whose first page is a small preview that the
 * camera made. Judging the preview as if it were the photograph would be a false answer.
 */
import { open } from 'node:fs/promises';

const TAG_NEW_SUBFILE_TYPE = 254;
const TAG_PHOTOMETRIC = 262;
const TAG_SUB_IFDS = 330;
const TAG_DNG_VERSION = 50_706;
/** A mosaic of one colour per pixel, and its values made linear (TIFF/EP, DNG). */
const RAW_PHOTOMETRICS = [32_803, 34_892];
const REDUCED_RESOLUTION = 1;
const ENTRY_BYTES = 12;
/** A legal first page has some dozens. */
const ENTRIES_MAX = 512;

/** `a DNG raw photograph`, or null if the TIFF is an ordinary one. */
export async function describeRawTiff(path: string): Promise<string | null> {
  await using file = await open(path, 'r');
  const head = await readAt(file, 0, 12);
  if (head.subarray(8, 10).toString('latin1') === 'CR') return 'a Canon CR2 raw photograph';
  const isLittle = head.toString('latin1', 0, 2) === 'II';
  const number = (bytes: Buffer, at: number, size: 2 | 4) =>
    bytes.length < at + size ? 0 : isLittle ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  // BigTIFF: no camera writes it.
  if (number(head, 2, 2) !== 42) return null;
  const start = number(head, 4, 4);
  const count = Math.min(ENTRIES_MAX, number(await readAt(file, start, 2), 0, 2));
  const entries = await readAt(file, start + 2, count * ENTRY_BYTES);
  const values = new Map<number, number>();
  for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
    const isShort = number(entries, at + 2, 2) === 3;
    values.set(number(entries, at, 2), number(entries, at + 8, isShort ? 2 : 4));
  }
  return checkTags(values);
}

function checkTags(values: ReadonlyMap<number, number>): string | null {
  if (values.has(TAG_DNG_VERSION)) return 'a DNG raw photograph';
  const isRaw = RAW_PHOTOMETRICS.includes(values.get(TAG_PHOTOMETRIC) ?? 0);
  const isPreview = ((values.get(TAG_NEW_SUBFILE_TYPE) ?? 0) & REDUCED_RESOLUTION) === REDUCED_RESOLUTION;
  // Nikon, Sony and others put a preview first and the picture into a page below it.
  return isRaw || (isPreview && values.has(TAG_SUB_IFDS)) ? "a camera's raw photograph" : null;
}

async function readAt(
  file: Awaited<ReturnType<typeof open>>,
  position: number,
  length: number,
): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
