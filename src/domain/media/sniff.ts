/** The format by a file's first bytes. Containers are named by their usual content; `refineMediaType` corrects that. */
import { FORMATS, type FormatFamily, type MediaType, typeOf } from './formats.ts';

/** Enough bytes of a file's head to recognise its type: an MPEG-TS cut within a packet needs five more in a row. */
export const HEAD_BYTES = 2048;

/** The media type by the first bytes; undefined if no accepted type begins so. */
export function sniffMediaType(head: Uint8Array): MediaType | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const text = bytes.toString('latin1');
  const format =
    FORMATS.find(({ starts }) => starts?.some((start) => text.startsWith(start))) ?? sniffFamily(bytes, text);
  return format && typeOf(format.mime);
}

/** Length of a leading part: a box without meaning, an APE tag; 0 if unknown, as for padding, which the demuxers skip. */
export function leadingBytes(head: Uint8Array): number {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.length < 16) return 0;
  if (bytes.toString('latin1', 0, 8) === 'APETAGEX') return 32 + bytes.readUInt32LE(12);
  if (!/^(free|skip|wide|uuid)$/.test(bytes.toString('latin1', 4, 8))) return 0;
  const size = bytes.readUInt32BE(0);
  return size === 1 ? Number(bytes.readBigUInt64BE(8)) : size;
}

/** The words of a family, most telling first; null for another family. */
type FamilyReader = (text: string, bytes: Buffer) => readonly string[] | null;

/** In the order of trust: the last ones look at few bits. */
const FAMILIES: readonly (readonly [family: FormatFamily, read: FamilyReader])[] = [
  ['ogg', (text) => (text.startsWith('OggS') ? (/theora|fishead/.exec(text) ?? []) : null)],
  ['ebml', (text) => (text.startsWith('\x1a\x45\xdf\xa3') ? (/webm/.exec(text) ?? []) : null)],
  ['riff', (text) => (/^(RIFF|RF64|BW64)/.test(text) ? [text.slice(8, 12)] : null)],
  ['iff', (text) => (text.startsWith('FORM') ? [text.slice(8, 12)] : null)],
  ['iso', readBrands],
  ['packets', (_, bytes) => (isTransportStream(bytes) ? [] : null)],
  ['frames', (_, bytes) => readFrameHeader(bytes)],
];

/** Replaces the word of a file that names no known one of its family. */
const NO_WORD = '';

function sniffFamily(bytes: Buffer, text: string) {
  for (const [family, read] of FAMILIES) {
    const words = read(text, bytes);
    if (words === null) continue;
    for (const word of [...words, NO_WORD]) {
      if (FOREIGN_BRANDS.test(word)) return undefined;
      const found = FORMATS.find(({ within }) => within?.[0] === family && within[1].test(word));
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return undefined;
}

/** JPEG 2000, and a camera's raw file, whose previews are not the picture. */
const FOREIGN_BRANDS = /^(jp[2xm]|crx )/;

/** ISO/IEC 14496-12 4.3; HEIF files may name their codec among the compatible brands only. */
function readBrands(text: string, bytes: Buffer): readonly string[] | null {
  const box = text.slice(4, 8);
  const skipped = leadingBytes(bytes);
  if (skipped >= 8 && skipped < bytes.length)
    return readBrands(text.slice(skipped), bytes.subarray(skipped)) ?? (box === 'wide' ? ['qt  '] : null);
  // QuickTime before 2004 has no `ftyp`.
  if (/^(moov|mdat|wide|pnot)$/.test(box)) return ['qt  '];
  if (box !== 'ftyp') return null;
  const end = Math.min(bytes.length, bytes.readUInt32BE(0));
  const brands = [text.slice(8, 12)];
  // Its version names the picture's coding (ISO/IEC 23008-12, the `mini` box).
  if (brands[0] === 'mif3') return [text.slice(12, 16), 'heic'];
  if (/^(mif1|msf1|mif2)/.test(brands[0] ?? ''))
    for (let at = 16; at + 4 <= end; at += 4) brands.push(text.slice(at, at + 4));
  return brands.length > 1 ? [...brands, 'heic'] : brands;
}

/** Packets of 188 bytes, of 192 with a time before each (Blu-ray, camcorders), of 204 with a correction behind each (receivers). */
const TS_PACKETS = [
  { length: 188, first: 0 },
  { length: 192, first: 4 },
  { length: 204, first: 0 },
] as const;

/** A file cut within a packet; only a longer row excludes chance. */
function isTransportStream(bytes: Buffer): boolean {
  const isRow = (first: number, step: number, count: number) =>
    Array.from({ length: count }, (_, index) => bytes[first + index * step]).every((byte) => byte === 0x47);
  return TS_PACKETS.some(
    ({ length, first }) =>
      isRow(first, length, 3) || Array.from({ length }, (_, at) => at).some((at) => isRow(at, length, 5)),
  );
}

/** Streams without a container: MPEG audio (ISO/IEC 11172-3 2.4.1.3), ADTS and AC-3 begin with a frame's header. */
function readFrameHeader(bytes: Buffer): readonly string[] | null {
  const [first = 0, second = 0, third = 0, , , sixth = 0] = bytes;
  if (first === 0x0b && second === 0x77) return sixth >> 3 <= 16 ? ['ac3'] : null;
  if (first !== 0xff) return null;
  if ((second & 0xf6) === 0xf0) return ['aac'];
  // Layers II and III; layer I is not in use, and looks like UTF-16 text.
  const isMpegAudio =
    (second & 0xe0) === 0xe0 &&
    (second & 0x18) !== 0x08 &&
    [0x02, 0x04].includes(second & 0x06) &&
    third >> 4 !== 15 &&
    (third & 0x0c) !== 0x0c;
  return isMpegAudio ? ['mpeg'] : null;
}
