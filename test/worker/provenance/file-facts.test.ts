/** The facts of real files: EXIF, IPTC, XMP and tags, out of the head of the file alone, and its thumbnail. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { readFileTexts } from '../../../src/worker/metadata/file-texts.ts';
import { type ProvenanceOrder, readProvenance } from '../../../src/worker/steps/provenance.ts';
import { compareThumbnail } from '../../../src/worker/steps/thumbnail.ts';
import { softPicture } from '../../media/soft-picture.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const EXIF = {
  IFD0: { Make: 'Canon', Model: 'EOS R5', DateTime: '2026:05:01 18:00:00', Artist: 'A. Photographer' },
  IFD2: { DateTimeOriginal: '2026:05:01 12:00:00', OffsetTimeOriginal: '+02:00', LensModel: 'RF 50 mm' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '45/1 26/1 18/1',
    GPSLongitudeRef: 'W',
    GPSLongitude: '12/1 19/1 58/1',
  },
};
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:stEvt="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#" xmp:CreatorTool="Darkroom 7">
<dc:creator><rdf:Seq><rdf:li>A. Photographer</rdf:li></rdf:Seq></dc:creator>
<xmpMM:History><rdf:Seq>
<rdf:li stEvt:action="created" stEvt:softwareAgent="Darkroom 7" stEvt:when="2026-05-01T13:00:00+02:00"/>
<rdf:li rdf:parseType="Resource"><stEvt:action>saved</stEvt:action><stEvt:softwareAgent>Darkroom 7</stEvt:softwareAgent></rdf:li>
</rdf:Seq></xmpMM:History></rdf:Description></rdf:RDF></x:xmpmeta>`;

const ENTRIES = [
  ['captured', 'EXIF DateTimeOriginal, OffsetTimeOriginal', '2026-05-01 12:00:00+02:00'],
  ['changed', 'EXIF DateTime, OffsetTime', '2026-05-01 18:00:00'],
  ['place', 'EXIF GPSLatitude, GPSLongitude', '45.43833, -12.33278'],
  ['camera', 'EXIF Make, Model', 'Canon EOS R5'],
  ['lens', 'EXIF LensModel', 'RF 50 mm'],
  ['software', 'XMP CreatorTool', 'Darkroom 7'],
  ['author', 'EXIF Artist', 'A. Photographer'],
  ['author', 'XMP creator', 'A. Photographer'],
  ['edited', 'XMP History', 'created, Darkroom 7, 2026-05-01T13:00:00+02:00'],
  ['edited', 'XMP History', 'saved, Darkroom 7'],
];

async function factsOf(order: Omit<ProvenanceOrder, 'trust' | 'path'>, bytes: Buffer) {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'file');
  await writeFile(path, bytes);
  const { fileFacts } = await readProvenance({ ...order, path, trust: NO_TRUST });
  return fileFacts?.facts.map(({ kind, field, value }) => [kind, field, value]);
}

const picture = () => {
  const { rgb, width, height } = softPicture(320, 240);
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .withExif(EXIF)
    .withXmp(XMP);
};

for (const [format, mime] of [
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
] as const) {
  test(`time, place, device and author are read of ${mime}`, async () => {
    assert.deepEqual(await factsOf({ mime }, await picture().toFormat(format).toBuffer()), ENTRIES);
  });
}

test('tags of a film are facts; a clock that was never set is none', async () => {
  const tags = {
    'com.apple.quicktime.creationdate': '2026-05-01T12:00:00+0200',
    'com.apple.quicktime.make': 'Apple',
    'com.apple.quicktime.model': 'iPhone 17',
    'com.apple.quicktime.location.ISO6709': '+45.4384+012.3327+003.000/',
    creation_time: '1904-01-01T00:00:00.000000Z',
    encoder: 'Lavf60',
  };
  assert.deepEqual(await factsOf({ mime: 'video/mp4', tags }, Buffer.from('none')), [
    ['captured', 'tag com.apple.quicktime.creationdate', '2026-05-01 12:00:00+02:00'],
    ['place', 'tag com.apple.quicktime.location.ISO6709', '45.43840, 12.33270'],
    ['camera', 'tag com.apple.quicktime.make, com.apple.quicktime.model', 'Apple iPhone 17'],
    ['software', 'tag encoder', 'Lavf60'],
  ]);
});

/** A block of EXIF with a thumbnail, which the picture library does not write. */
function withThumbnail(jpeg: Buffer, thumbnail: Buffer): Buffer {
  const directory = (entries: [tag: number, value: number][], next: number): Buffer => {
    const bytes = Buffer.alloc(2 + entries.length * 12 + 4);
    bytes.writeUInt16LE(entries.length, 0);
    for (const [index, [tag, value]] of entries.entries()) {
      const at = 2 + index * 12;
      bytes.writeUInt16LE(tag, at);
      bytes.writeUInt16LE(4, at + 2);
      bytes.writeUInt32LE(1, at + 4);
      bytes.writeUInt32LE(value, at + 8);
    }
    bytes.writeUInt32LE(next, bytes.length - 4);
    return bytes;
  };
  const [first, second] = [8, 14];
  const head = Buffer.from('II*\0\x08\0\0\0', 'latin1');
  const own = directory(
    [
      [259, 6],
      [513, second + 42],
      [514, thumbnail.length],
    ],
    0,
  );
  const block = Buffer.concat([Buffer.from('Exif\0\0'), head, directory([], second), own, thumbnail]);
  assert.equal(head.length, first);
  const marker = Buffer.from([0xff, 0xe1, 0, 0]);
  marker.writeUInt16BE(block.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), marker, block, jpeg.subarray(2)]);
}

test('a thumbnail is close to its own picture, also with bars or turned, and far from another', async () => {
  await using folder = await makeTemporaryFolder();
  const own = softPicture(480, 320);
  const { rgb, width, height } = own;
  const open = () => sharp(rgb, { raw: { width, height, channels: 3 } });
  const bars = { fit: 'contain', background: '#000' } as const;
  const small = open().resize(160, 120, bars).jpeg();
  const turned = sharp(await small.clone().toBuffer())
    .rotate(90)
    .jpeg();
  const other = sharp(
    await open().flop().extract({ left: 0, top: 0, width: 200, height: 160 }).png().toBuffer(),
  ).jpeg();
  const bits: (number | null)[] = [];
  for (const thumbnail of [small, turned, other]) {
    const path = join(folder.path, 'picture');
    const jpeg = await open().jpeg().toBuffer();
    await writeFile(path, withThumbnail(jpeg, await thumbnail.toBuffer()));
    const texts = await readFileTexts({ path, mime: 'image/jpeg' });
    assert.ok(texts.thumbnail !== null);
    bits.push(await compareThumbnail(texts.thumbnail, own));
  }
  const [upright = null, lying = null, foreign = null] = bits;
  assert.ok(upright !== null && upright < 60, `${upright}`);
  assert.ok(lying !== null && lying < 60, `${lying}`);
  assert.ok(foreign !== null && foreign > 80, `${foreign}`);
  assert.equal(await compareThumbnail(Buffer.from('no picture'), own), null);
});

test('only the head of a JPEG is read: what lies behind its first scan is no fact', async () => {
  const jpeg = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#456' } })
    .jpeg()
    .toBuffer();
  const exif = await picture().jpeg().toBuffer();
  assert.deepEqual(await factsOf({ mime: 'image/jpeg' }, Buffer.concat([jpeg, exif])), []);
});
