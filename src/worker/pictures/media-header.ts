/** The type of any file by its first bytes, and the refusal of those that are none of ours. */
import { closeSync, openSync, readSync } from 'node:fs';
import { describeAcceptedTypes, type MediaType } from '../../domain/media/formats.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { HEAD_BYTES, sniffMediaType } from '../../domain/media/sniff.ts';
import { MediaFaultFound } from '../media/media-fault.ts';

/** Throws `unsupported_media_type` with what was found instead. */
export function readMediaType(path: string): MediaType {
  const head = readHead(path);
  const type = sniffMediaType(head);
  if (type !== undefined) return type;
  throw new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${describeHead(head)}, which is none of the accepted types of pictures, video and sound`,
  );
}

export function refuseKind(expected: MediaKind, found: string): MediaFaultFound {
  return new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${found}; accepted are ${describeAcceptedTypes(expected)}`,
  );
}

/** At once: a child has nothing else to do meanwhile, and three turns of other threads cost more than the reading. */
function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** Names for what is no accepted format, so that a refusal says what was found. Guesses by the first bytes. */
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

/** Completes the sentence “the file is …”. */
function describeHead(head: Uint8Array): string {
  if (head.length === 0) return 'empty';
  const text = Buffer.from(head).toString('latin1');
  const found = FOREIGN_TYPES.find(([offset, bytes]) => text.startsWith(bytes, offset));
  if (found !== undefined) return found[2];
  if (/<svg[\s>]/i.test(text)) return 'an SVG drawing';
  if (/^\s*<(!doctype )?html/i.test(text)) return 'an HTML page';
  if (/^\s*<\?xml/i.test(text)) return 'an XML document';
  return isText(head) ? 'text' : 'of a type that is not known here';
}

function isText(head: Uint8Array): boolean {
  return head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
