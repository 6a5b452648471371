/** Walks the directories of a TIFF or a BigTIFF, reading little more than their heads. */
import type { FileWindow } from './file-window.ts';

export interface TiffForm {
  isLittleEndian: boolean;
  /** Bytes of a directory's count of entries, of an entry, and of an offset. */
  countBytes: 2 | 8;
  entryBytes: 12 | 20;
  offsetBytes: 4 | 8;
}

export interface TiffDirectory {
  at: number;
  entries: number;
}

const BIG = 43;

/** Null if the file is too short. */
export function readTiffForm(file: FileWindow): TiffForm | null {
  const head = file.read(0, 4);
  if (head === null) return null;
  const isLittleEndian = head.toString('latin1', 0, 2) === 'II';
  return readNumber(head.subarray(2, 4), { isLittleEndian }) === BIG
    ? { isLittleEndian, countBytes: 8, entryBytes: 20, offsetBytes: 8 }
    : { isLittleEndian, countBytes: 2, entryBytes: 12, offsetBytes: 4 };
}

export function readNumber(bytes: Buffer, { isLittleEndian }: Pick<TiffForm, 'isLittleEndian'>): number {
  if (bytes.length === 8) return Number(isLittleEndian ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE());
  return isLittleEndian ? bytes.readUIntLE(0, bytes.length) : bytes.readUIntBE(0, bytes.length);
}

/** Ends if a directory leads back to an earlier one, as the picture library does, and at the file's end. */
export function* tiffDirectories(
  file: FileWindow,
  form: TiffForm,
): Generator<TiffDirectory, void, undefined> {
  const { countBytes, entryBytes, offsetBytes } = form;
  const numberAt = (at: number, length: number): number | null => {
    const bytes = file.read(at, length);
    return bytes && readNumber(bytes, form);
  };
  const seen = new Set<number>();
  let start = numberAt(offsetBytes, offsetBytes);
  while (start !== null && start !== 0 && !seen.has(start)) {
    const entries = numberAt(start, countBytes);
    if (entries === null) return;
    seen.add(start);
    const at = start + countBytes;
    yield { at, entries };
    start = numberAt(at + entries * entryBytes, offsetBytes);
  }
}
