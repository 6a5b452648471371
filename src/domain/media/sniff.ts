/**
 * Tells a media type from a file's first bytes, whatever the file is called. Containers that may hold a picture
 * or sound only are named by what they usually hold; `refineMediaType` corrects that once the streams are known.
 */
import { MEDIA_TYPES, type MediaType } from './media.ts';

/** Bytes of a file's head that are enough to tell its type: an MPEG-TS shows itself by three packets in a row. */
export const HEAD_BYTES = 512;

/** The media type that the first bytes show, or undefined where no accepted type begins so. */
export function sniffMediaType(head: Uint8Array): MediaType | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const mime = sniffMime(bytes);
  return MEDIA_TYPES.find((type) => type.mime === mime);
}

function sniffMime(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1');
  const signature = SIGNATURES.find(([start, offset = 0]) => text.startsWith(start, offset));
  if (signature !== undefined) return signature[2];
  if (text.startsWith('OggS')) return /theora|fishead/.test(text) ? 'video/ogg' : 'audio/ogg';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return text.includes('webm') ? 'video/webm' : 'video/x-matroska';
  if (text.startsWith('RIFF') || text.startsWith('RF64') || text.startsWith('BW64'))
    return RIFF_MIMES[text.slice(8, 12)];
  if (text.startsWith('FORM')) return /^AIF[FC]/.test(text.slice(8, 12)) ? 'audio/aiff' : undefined;
  if (text.slice(4, 8) === 'ftyp') return sniffBrand(bytes, text);
  // QuickTime before 2004 has no `ftyp`.
  if (/^(moov|mdat|wide|pnot)$/.test(text.slice(4, 8))) return 'video/quicktime';
  if (isTransportStream(bytes)) return 'video/mp2t';
  return sniffFrameHeader(bytes);
}

const SIGNATURES: readonly (readonly [bytes: string, offset: number, mime: string])[] = [
  ['\x89PNG\r\n\x1a\n', 0, 'image/png'],
  ['\xff\xd8\xff', 0, 'image/jpeg'],
  ['II*\0', 0, 'image/tiff'],
  ['MM\0*', 0, 'image/tiff'],
  ['II+\0', 0, 'image/tiff'],
  ['MM\0+', 0, 'image/tiff'],
  ['GIF87a', 0, 'image/gif'],
  ['GIF89a', 0, 'image/gif'],
  ['\xff\x0a', 0, 'image/jxl'],
  ['\0\0\0\x0cJXL \r\n\x87\n', 0, 'image/jxl'],
  ['fLaC', 0, 'audio/flac'],
  // An ID3 tag may also stand before FLAC or AAC; the probe looks behind it.
  ['ID3', 0, 'audio/mpeg'],
  ['FLV\x01', 0, 'video/x-flv'],
  ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', 0, 'video/x-ms-wmv'],
  ['\x06\x0e\x2b\x34\x02\x05\x01\x01', 0, 'application/mxf'],
  ['\0\0\x01\xba', 0, 'video/mpeg'],
  ['caff', 0, 'audio/x-caf'],
  ['#!AMR', 0, 'audio/amr'],
];

const RIFF_MIMES: Readonly<Record<string, string>> = {
  WEBP: 'image/webp',
  WAVE: 'audio/wav',
  'AVI ': 'video/x-msvideo',
};

const BRAND_MIMES: readonly (readonly [brand: RegExp, mime: string | undefined])[] = [
  [/^avi[fs]/, 'image/avif'],
  [/^(hei[cxms]|hev[cx])/, 'image/heic'],
  // A camera's raw file: its previews are not the picture.
  [/^crx /, undefined],
  [/^M4A/, 'audio/m4a'],
  [/^M4B/, 'audio/m4b'],
  [/^M4P/, 'audio/m4p'],
  [/^M4R/, 'audio/m4r'],
  [/^qt /, 'video/quicktime'],
  [/^3g/, 'video/3gpp'],
  [/^jp[2xm]/, undefined],
];

/** ISO/IEC 14496-12 4.3; HEIF files may name their codec among the compatible brands only. */
function sniffBrand(bytes: Buffer, text: string): string | undefined {
  const end = Math.min(bytes.length, bytes.readUInt32BE(0));
  const brands = [text.slice(8, 12)];
  if (/^(mif1|msf1|mif2)/.test(brands[0] ?? ''))
    for (let at = 16; at + 4 <= end; at += 4) brands.push(text.slice(at, at + 4));
  for (const brand of brands) {
    const known = BRAND_MIMES.find(([pattern]) => pattern.test(brand));
    if (known !== undefined) return known[1];
  }
  return brands.length > 1 ? 'image/heic' : 'video/mp4';
}

/** Packets of 188 bytes, or of 192 with a time before each (Blu-ray, camcorders). */
function isTransportStream(bytes: Buffer): boolean {
  const isRow = (first: number, step: number) =>
    [first, first + step, first + 2 * step].every((at) => bytes[at] === 0x47);
  return isRow(0, 188) || isRow(4, 192);
}

/** Streams without a container: MPEG audio (ISO/IEC 11172-3 2.4.1.3), ADTS and AC-3 begin with a frame's header. */
function sniffFrameHeader(bytes: Buffer): string | undefined {
  const [first = 0, second = 0, third = 0, , , sixth = 0] = bytes;
  if (first === 0x0b && second === 0x77) return sixth >> 3 <= 16 ? 'audio/ac3' : undefined;
  if (first !== 0xff) return undefined;
  if ((second & 0xf6) === 0xf0) return 'audio/aac';
  // Layers II and III; layer I is not in use, and its mark is that of UTF-16 text.
  const isMpegAudio =
    (second & 0xe0) === 0xe0 &&
    (second & 0x18) !== 0x08 &&
    [0x02, 0x04].includes(second & 0x06) &&
    third >> 4 !== 15 &&
    (third & 0x0c) !== 0x0c;
  return isMpegAudio ? 'audio/mpeg' : undefined;
}
