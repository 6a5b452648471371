import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS, refineMediaType } from '../../../src/domain/media/formats.ts';
import { sniffMediaType } from '../../../src/domain/media/sniff.ts';

const ftyp = (brand: string, ...compatible: string[]) =>
  `\0\0\0${String.fromCharCode(16 + compatible.length * 4)}ftyp${brand}\0\0\0\0${compatible.join('')}`;
const packets = (first: number, step: number) => {
  const bytes = Buffer.alloc(512, 0xff);
  for (const index of [0, 1, 2]) bytes[first + index * step] = 0x47;
  return bytes.toString('latin1');
};

/** Rows from the middle of a packet on. */
const rows = (first: number, step: number) => {
  const bytes = Buffer.alloc(2048, 0xff);
  for (let at = first; at < bytes.length; at += step) bytes[at] = 0x47;
  return bytes.toString('latin1');
};

const CASES: readonly (readonly [name: string, head: string, mime: string | undefined])[] = [
  ['PNG', '\x89PNG\r\n\x1a\n', 'image/png'],
  ['JPEG', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
  ['TIFF of the other byte order', 'MM\0*', 'image/tiff'],
  ['GIF', 'GIF89a', 'image/gif'],
  ['HEIC', ftyp('heic', 'mif1'), 'image/heic'],
  ['HEIC by its compatible brands', ftyp('mif1', 'miaf', 'heic'), 'image/heic'],
  ['AVIF', ftyp('avif'), 'image/avif'],
  ['AVIF by its compatible brands', ftyp('mif1', 'miaf', 'avif'), 'image/avif'],
  ['JPEG XL', '\xff\x0a\0', 'image/jxl'],
  ['TIFF', 'II*\0', 'image/tiff'],
  ['BigTIFF', 'II+\0', 'image/tiff'],
  ['JPEG XL in a container', '\0\0\0\x0cJXL \r\n\x87\n', 'image/jxl'],
  ['MP4', ftyp('isom', 'mp41'), 'video/mp4'],
  ['MP4 of an unknown brand', ftyp('XyZ1'), 'video/mp4'],
  ['M4A', ftyp('M4A ', 'isom'), 'audio/m4a'],
  ['M4B', ftyp('M4B '), 'audio/m4b'],
  ['M4P', ftyp('M4P '), 'audio/m4p'],
  ['M4R', ftyp('M4R '), 'audio/m4r'],
  ['3GP', ftyp('3gp5'), 'video/3gpp'],
  ['MOV', ftyp('qt  '), 'video/quicktime'],
  ['MOV of the old kind', '\0\0\0\x08wide\0\0\0\0mdat', 'video/quicktime'],
  [
    'MP4 behind boxes that mean nothing',
    `\0\0\0\x10skip\0\0\0\0\0\0\0\0\0\0\0\x08free${ftyp('isom')}`,
    'video/mp4',
  ],
  ['MP4 behind a wide box', `\0\0\0\x08wide${ftyp('isom')}`, 'video/mp4'],
  ['HEIC behind a box', `\0\0\0\x08free${ftyp('heic', 'mif1')}`, 'image/heic'],
  ['a box that means nothing, and no more', '\0\0\0\x08free\0\0\0\0\0\0\0\0', undefined],
  ['CR3', ftyp('crx ', 'isom'), undefined],
  ['JPEG 2000', ftyp('jp2 '), undefined],
  ['WebM', '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm', 'video/webm'],
  ['MKV', '\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska', 'video/x-matroska'],
  ['AVI', 'RIFF\0\0\0\0AVI LIST', 'video/x-msvideo'],
  ['WAV', 'RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
  ['WAV past 4 GB', 'RF64\xff\xff\xff\xffWAVEds64', 'audio/wav'],
  ['RIFF of another kind', 'RIFF\0\0\0\0RMIDdata', undefined],
  ['MPEG-TS', packets(0, 188), 'video/mp2t'],
  ['MPEG-TS with times', packets(4, 192), 'video/mp2t'],
  ['MPEG-TS with corrections', packets(0, 204), 'video/mp2t'],
  ['MPEG-TS from amid a packet', rows(88, 188), 'video/mp2t'],
  ['MPEG-TS with times from amid a packet', rows(100, 192), 'video/mp2t'],
  ['MPEG-TS with corrections from amid a packet', rows(203, 204), 'video/mp2t'],
  ['four sync bytes in a row amid noise', rows(88, 188).slice(0, 88 + 4 * 188), undefined],
  ['a text that begins with G', 'Good morning, this is no transport stream'.padEnd(512), undefined],
  ['MPEG-PS', '\0\0\x01\xba', 'video/mpeg'],
  ['MPEG-PS of a Hikvision recorder', 'IMKH\x01\x01', 'video/mpeg'],
  ['MPEG pictures without a container', '\0\0\x01\xb3', 'video/mpeg'],
  ['FLV', 'FLV\x01', 'video/x-flv'],
  ['FLV of another version', 'FLV\x02', undefined],
  ['WMV', '\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'video/x-ms-wmv'],
  ['MXF', '\x06\x0e\x2b\x34\x02\x05\x01\x01', 'application/mxf'],
  ['AIFF', 'FORM\0\0\0\0AIFFCOMM', 'audio/aiff'],
  ['AIFF of the compressed kind', 'FORM\0\0\0\0AIFCFVER', 'audio/aiff'],
  ['IFF of another kind', 'FORM\0\0\0\0ILBMBMHD', undefined],
  ['CAF', 'caff\0\x01', 'audio/x-caf'],
  ['AC-3', '\x0b\x77\0\0\x14\x40', 'audio/ac3'],
  ['AC-3 of no version that exists', '\x0b\x77\0\0\x14\xff', undefined],
  ['OGG Vorbis', 'OggS\0\x02\x01vorbis', 'audio/ogg'],
  ['OGG Theora', 'OggS\0\x02\x80theora', 'video/ogg'],
  ['FLAC', 'fLaC', 'audio/flac'],
  ['MP3', '\xff\xfb\x90\x64', 'audio/mpeg'],
  ['MP3 with a tag', 'ID3\x03', 'audio/mpeg'],
  ['MPEG layer II', '\xff\xfd\x90\x04', 'audio/mpeg'],
  ['MP3 of no bit rate that exists', '\xff\xfb\xf0\x64', undefined],
  ['AAC', '\xff\xf1\x50\x80', 'audio/aac'],
  ['AMR', '#!AMR\n', 'audio/amr'],
  ['UTF-16 text', '\xff\xfeh\0i\0', undefined],
  ['empty', '', undefined],
  ['one byte', '\xff', undefined],
  ['text', 'hello', undefined],
];

for (const [name, head, mime] of CASES) {
  test(name, () => assert.equal(sniffMediaType(Buffer.from(head, 'latin1'))?.mime, mime));
}

test('every format that is known by its first bytes has a head here', () => {
  const shown = new Set(CASES.map(([, , mime]) => mime));
  for (const { mime, starts, within } of FORMATS)
    if (starts !== undefined || within !== undefined) assert.ok(shown.has(mime), mime);
});

test('what a container holds decides its kind', () => {
  assert.equal(refineMediaType('video/mp4', 'audio')?.mime, 'video/mp4');
  assert.equal(refineMediaType('video/mp4', 'audio')?.documented, true);
  assert.equal(refineMediaType('video/3gpp', 'audio')?.mime, 'audio/3gp');
  assert.equal(refineMediaType('audio/m4a', 'video')?.mime, 'video/mp4');
  assert.equal(refineMediaType('audio/ogg', 'video')?.mime, 'video/ogg');
  assert.equal(refineMediaType('audio/wav', 'video'), undefined);
});
