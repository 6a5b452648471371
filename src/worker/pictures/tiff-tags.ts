/** The tags of a TIFF's first page, as far as they say what kind of picture it is. */
import { open } from 'node:fs/promises';

export const TIFF_TAGS = {
  newSubfileType: 254,
  bitsPerSample: 258,
  photometric: 262,
  subIfds: 330,
  dngVersion: 50_706,
} as const;

export interface TiffTags {
  /** The file's first bytes. */
  head: Buffer;
  isLittleEndian: boolean;
  /** The first value of each tag that is a whole number. */
  values: ReadonlyMap<number, number>;
  /** Where the value of each tag lies in the file, if it lies in the page's list. */
  places: ReadonlyMap<number, number>;
}

const HEAD_BYTES = 12;
const ENTRY_BYTES = 12;
/** A legal first page has some dozens. */
const ENTRIES_MAX = 512;
const TYPE_SHORT = 3;
/** Bytes of a value by its type; others are no whole numbers. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, [TYPE_SHORT]: 2, 4: 4 };

/** Null for BigTIFF, which no camera and few programs write. */
export async function readTiffTags(path: string): Promise<TiffTags | null> {
  await using file = await open(path, 'r');
  const read = async (position: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  const head = await read(0, HEAD_BYTES);
  const isLittleEndian = head.toString('latin1', 0, 2) === 'II';
  const number = (bytes: Buffer, at: number, size: number) => {
    if (bytes.length < at + size) return 0;
    return isLittleEndian ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  };
  if (number(head, 2, 2) !== 42) return null;
  const start = number(head, 4, 4);
  const count = Math.min(ENTRIES_MAX, number(await read(start, 2), 0, 2));
  const entries = await read(start + 2, count * ENTRY_BYTES);
  const values = new Map<number, number>();
  const places = new Map<number, number>();
  for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
    const tag = number(entries, at, 2);
    const size = TYPE_BYTES[number(entries, at + 2, 2)] ?? 4;
    const isInside = number(entries, at + 4, 4) * size <= 4;
    const bytes = isInside ? entries.subarray(at + 8) : await read(number(entries, at + 8, 4), size);
    values.set(tag, number(bytes, 0, size));
    if (isInside) places.set(tag, start + 2 + at + 8);
  }
  return { head, isLittleEndian, values, places };
}
