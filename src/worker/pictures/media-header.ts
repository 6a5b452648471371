/** The type of any file by its first bytes, and the refusal of unaccepted types. */
import { describeAcceptedTypes, type MediaType } from '../../domain/media/formats.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { HEAD_BYTES, sniffMediaType } from '../../domain/media/sniff.ts';
import { ownBeginning, readBytes } from '../media/file-head.ts';
import { MediaFaultFound } from '../media/media-fault.ts';

/** Bytes for the demuxers, which recognise a row of frames. The library's own bound is 1 MB. */
const PROBED_BYTES = 64 * 1024;
const PADDING_BYTES_MAX = 1024 * 1024;

/** Throws `unsupported_media_type` with what was found instead. */
export async function readMediaType(path: string): Promise<MediaType> {
  const head = readBytes(path, 0, HEAD_BYTES);
  const type = sniffMediaType(head) ?? (await typeBehind(path, head));
  if (typeof type === 'object') return type;
  const found = isKnownAsNone(head) || type === undefined ? describeHead(head) : type;
  throw new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${found}, which is none of the accepted types of pictures, video and sound`,
  );
}

/** The type behind a tag or an empty box, or by the media library. A name completes “the file is …”; undefined: unknown. */
async function typeBehind(path: string, head: Uint8Array): Promise<MediaType | string | undefined> {
  if (head.length === 0 || isKnownAsNone(head)) return undefined;
  const at = ownBeginning(path);
  const type = sniffMediaType(readBytes(path, at, HEAD_BYTES));
  if (type !== undefined) return type;
  const { guessType } = await import('../libav/guess-type.ts');
  return guessType(path, firstBytes(path, at));
}

/** The first bytes that are not all zeros, as far as the media library looks. */
function firstBytes(path: string, from: number): Buffer {
  let bytes = readBytes(path, from, PROBED_BYTES);
  for (let at = from; at < PADDING_BYTES_MAX && bytes.length > 0 && bytes.every((byte) => byte === 0); ) {
    at += bytes.length;
    bytes = readBytes(path, at, PROBED_BYTES);
  }
  return bytes;
}

export function refuseKind(expected: MediaKind, found: string): MediaFaultFound {
  return new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${found}; accepted are ${describeAcceptedTypes(expected)}`,
  );
}

/** Names of unaccepted formats by their first bytes, so that a refusal says what was found. */
const FOREIGN_TYPES: readonly (readonly [offset: number, bytes: string, name: string])[] = [
  [0, 'GIF8', 'a damaged GIF picture'],
  [0, 'BM', 'a BMP picture'],
  [0, '8BPS', 'a Photoshop document'],
  [0, '\0\0\x01\0', 'an icon'],
  [4, 'jP  ', 'a JPEG 2000 picture'],
  [0, '\xff\x4f\xff\x51', 'a JPEG 2000 picture'],
  [0, '\x76\x2f\x31\x01', 'an OpenEXR picture'],
  [8, 'crx ', 'a Canon CR3 raw photograph'],
  [0, 'FUJIFILMCCD-RAW', 'a Fujifilm raw photograph'],
  [0, 'IIRO', 'an Olympus raw photograph'],
  [0, 'IIRS', 'an Olympus raw photograph'],
  [0, 'MMOR', 'an Olympus raw photograph'],
  [0, 'IIU\0', 'a Panasonic raw photograph'],
  [0, 'FOVb', 'a Sigma raw photograph'],
  [0, 'MThd', 'a MIDI score'],
  [0, '#EXTM3U', 'a playlist'],
  [0, 'ffconcat', 'a playlist'],
  [0, '%PDF', 'a PDF document'],
  [0, 'PK\x03\x04', 'a ZIP archive'],
  [0, '\x1f\x8b', 'a gzip archive'],
  [0, '7z\xbc\xaf', 'a 7z archive'],
  [0, 'Rar!', 'a RAR archive'],
  [0, '\x7fELF', 'a program'],
  [0, 'MZ', 'a program'],
];

function foreignTypeOf(text: string): string | undefined {
  return FOREIGN_TYPES.find(([offset, bytes]) => text.startsWith(bytes, offset))?.[2];
}

/** Whether the first bytes show an unaccepted format, or text, in which a demuxer may see anything. */
function isKnownAsNone(head: Uint8Array): boolean {
  return isText(head) || foreignTypeOf(Buffer.from(head).toString('latin1')) !== undefined;
}

/** Completes the sentence “the file is …”. */
function describeHead(head: Uint8Array): string {
  if (head.length === 0) return 'empty';
  const text = Buffer.from(head).toString('latin1');
  const found = foreignTypeOf(text);
  if (found !== undefined) return found;
  if (/<svg[\s>]/i.test(text)) return 'an SVG drawing';
  if (/^\s*<(!doctype )?html/i.test(text)) return 'an HTML page';
  if (/^\s*<\?xml/i.test(text)) return 'an XML document';
  return isText(head) ? 'text' : 'of a type that is not known here';
}

function isText(head: Uint8Array): boolean {
  return head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
