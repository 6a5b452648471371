/** The tags of a TIFF's first page that say what kind of picture it is. */
import { FileWindow } from './file-window.ts';
import { readNumber, readTiffForm, tiffDirectories } from './tiff-directories.ts';

export const TIFF_TAGS = {
  newSubfileType: 254,
  bitsPerSample: 258,
  photometric: 262,
  subIfds: 330,
  dngVersion: 50_706,
} as const;

export interface TiffTags {
  head: Buffer;
  isLittleEndian: boolean;
  /** The first value of each tag that is a whole number. */
  values: ReadonlyMap<number, number>;
  /** The offset of each tag's value, if it lies in the page's list. */
  places: ReadonlyMap<number, number>;
}

const HEAD_BYTES = 12;
/** A legal first page has some dozens. */
const ENTRIES_MAX = 512;
const [TYPE_SHORT, TYPE_LONG8] = [3, 16];
/** Bytes of a value by its type; others are no whole numbers. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, [TYPE_SHORT]: 2, 4: 4, [TYPE_LONG8]: 8 };

/** Null if the file is too short for a directory. */
export function readTiffTags(path: string): TiffTags | null {
  using file = new FileWindow(path);
  const form = readTiffForm(file);
  const [first] = form === null ? [] : tiffDirectories(file, form);
  if (form === null || first === undefined) return null;
  const { isLittleEndian, entryBytes, offsetBytes } = form;
  const number = (bytes: Buffer) => readNumber(bytes, form);
  const values = new Map<number, number>();
  const places = new Map<number, number>();
  for (let index = 0; index < Math.min(ENTRIES_MAX, first.entries); index += 1) {
    const at = first.at + index * entryBytes;
    const entry = file.read(at, entryBytes);
    if (entry === null) break;
    const tag = number(entry.subarray(0, 2));
    const size = TYPE_BYTES[number(entry.subarray(2, 4))] ?? 4;
    const field = entry.subarray(entryBytes - offsetBytes);
    const isInside = number(entry.subarray(4, entryBytes - offsetBytes)) * size <= offsetBytes;
    const bytes = isInside ? field.subarray(0, size) : file.read(number(field), size);
    values.set(tag, bytes === null ? 0 : number(bytes));
    if (isInside) places.set(tag, at + entryBytes - offsetBytes);
  }
  return { head: file.readWhole(0, HEAD_BYTES), isLittleEndian, values, places };
}
