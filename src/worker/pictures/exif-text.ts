/** The few texts of an EXIF block that name what made the picture. Everything else in it is none of our business. */

const TAGS: Readonly<Record<number, string>> = {
  270: 'ImageDescription',
  271: 'Make',
  272: 'Model',
  305: 'Software',
  37510: 'UserComment',
};
const EXIF_FOLDER_TAG = 34_665;
const ENTRY_BYTES = 12;
/** Real ones have some dozens; a forged count must not cost time. */
const ENTRIES_MAX = 512;
/** Parameters of a generator may hold a long prompt; only their beginning is looked at. */
const TEXT_BYTES_MAX = 16_384;
/** `ASCII`, `UNICODE` or zeros in front of a UserComment. */
const CHARSET_BYTES = 8;

interface Tiff {
  bytes: Buffer;
  isLittleEndian: boolean;
}

/** Texts by name of the tag; a damaged block gives what could be read of it. */
export function readExifTexts(exif: Buffer): Map<string, string> {
  const bytes = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  const order = bytes.toString('latin1', 0, 2);
  const texts = new Map<string, string>();
  if (bytes.length < 8 || (order !== 'II' && order !== 'MM')) return texts;
  const tiff = { bytes, isLittleEndian: order === 'II' };
  const inner = readFolder(tiff, read32(tiff, 4), texts);
  if (inner !== null) readFolder(tiff, inner, texts);
  return texts;
}

/** Returns where the folder of camera data lies, or null. */
function readFolder(tiff: Tiff, start: number, texts: Map<string, string>): number | null {
  const count = Math.min(ENTRIES_MAX, read16(tiff, start));
  let inner: number | null = null;
  for (let index = 0; index < count; index++) {
    const entry = start + 2 + index * ENTRY_BYTES;
    const tag = read16(tiff, entry);
    if (tag === EXIF_FOLDER_TAG) inner = read32(tiff, entry + 8);
    const name = TAGS[tag];
    if (name === undefined) continue;
    const length = read32(tiff, entry + 4);
    const from = length <= 4 ? entry + 8 : read32(tiff, entry + 8);
    const value = tiff.bytes.subarray(from, from + Math.min(length, TEXT_BYTES_MAX));
    texts.set(name, name === 'UserComment' ? readComment(tiff, value) : value.toString('utf8'));
  }
  return inner;
}

function readComment({ isLittleEndian }: Tiff, value: Buffer): string {
  const text = value.subarray(CHARSET_BYTES);
  if (!value.toString('latin1', 0, 7).startsWith('UNICODE')) return text.toString('utf8');
  const even = Buffer.from(text.subarray(0, text.length & ~1));
  // Programs that turn a block to the other byte order leave its comments as they were.
  const zerosAt = (place: 0 | 1) => even.filter((byte, at) => byte === 0 && at % 2 === place).length;
  const balance = zerosAt(1) - zerosAt(0);
  const isLittle = balance === 0 ? isLittleEndian : balance > 0;
  return (isLittle ? even : even.swap16()).toString('utf16le');
}

/** Zero beyond the end: offsets are the file's own claims. */
function read16({ bytes, isLittleEndian }: Tiff, at: number): number {
  if (at + 2 > bytes.length) return 0;
  return isLittleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
}

function read32({ bytes, isLittleEndian }: Tiff, at: number): number {
  if (at + 4 > bytes.length) return 0;
  return isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}
