/** Names for files that are no accepted picture, so that a refusal says what was found. Guesses by the first bytes. */

export const HEAD_SAMPLE_BYTES = 512;

const SIGNATURES: readonly (readonly [offset: number, bytes: string, name: string])[] = [
  [0, 'GIF8', 'a GIF picture'],
  [0, 'BM', 'a BMP picture'],
  [0, '8BPS', 'a Photoshop document'],
  [0, '\0\0\x01\0', 'an icon'],
  [0, '\xff\x0a', 'a JPEG XL picture'],
  [4, 'JXL ', 'a JPEG XL picture'],
  [4, 'jP  ', 'a JPEG 2000 picture'],
  [8, 'heic', 'a HEIC picture'],
  [8, 'heix', 'a HEIC picture'],
  [8, 'mif1', 'a HEIF picture'],
  [8, 'avif', 'an AVIF picture'],
  [8, 'qt  ', 'a QuickTime video'],
  [8, 'M4A ', 'M4A audio'],
  [4, 'ftyp', 'an MP4 video'],
  [0, '\x1a\x45\xdf\xa3', 'a Matroska or WebM video'],
  [8, 'AVI ', 'an AVI video'],
  [8, 'WAVE', 'WAV audio'],
  [0, 'ID3', 'MP3 audio'],
  [0, '\xff\xfb', 'MP3 audio'],
  [0, 'fLaC', 'FLAC audio'],
  [0, 'OggS', 'Ogg audio or video'],
  [0, '%PDF', 'a PDF document'],
  [0, 'PK\x03\x04', 'a ZIP archive'],
  [0, '\x1f\x8b', 'a gzip archive'],
  [0, '7z\xbc\xaf', 'a 7z archive'],
  [0, 'Rar!', 'a RAR archive'],
  [0, '\x7fELF', 'a program'],
  [0, 'MZ', 'a program'],
];

/** Completes the sentence “the file is …”. */
export function describeHead(head: Uint8Array): string {
  if (head.length === 0) return 'empty';
  const text = Buffer.from(head).toString('latin1');
  const found = SIGNATURES.find(([offset, bytes]) => text.startsWith(bytes, offset));
  if (found !== undefined) return found[2];
  if (/<svg[\s>]/i.test(text)) return 'an SVG drawing';
  if (/^\s*<(!doctype )?html/i.test(text)) return 'an HTML page';
  if (/^\s*<\?xml/i.test(text)) return 'an XML document';
  return isText(head) ? 'text' : 'of a type that is not known here';
}

function isText(head: Uint8Array): boolean {
  return head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
