/**
 * What unsigned metadata say of a picture's origin, and what the assessment makes of it.
 *
 * Invariant: what must not be judged is refused; unsigned metadata are evidence only.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { readExifTexts } from '../../../src/worker/pictures/exif-text.ts';
import { readDeclarations } from '../../../src/worker/steps/declarations.ts';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const PARAMETERS = 'a red boat\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1';
const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const picture = () => sharp({ create: { width: 32, height: 32, channels: 3, background: '#456' } });

function xmpOf(description: string): string {
  const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
  const about = `<rdf:Description rdf:about="" xmlns:i="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"`;
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${rdf}>${about} ${description}</rdf:RDF></x:xmpmeta>`;
}

/** A text chunk, put before the picture's data. */
async function withText(keyword: string, text: string): Promise<Buffer> {
  const png = await picture().png().toBuffer();
  const content = Buffer.concat([Buffer.from('tEXt'), Buffer.from(`${keyword}\0${text}`, 'latin1')]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  sum.writeUInt32BE(crc32(content));
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), length, content, sum, png.subarray(headerEnd)]);
}

const exif = (texts: Record<string, string>, comment?: string): Sharp =>
  picture().withExif({ IFD0: texts, ...(comment === undefined ? {} : { IFD2: { UserComment: comment } }) });
const xmp = (description: string): Sharp => picture().withXmp(xmpOf(description));

interface Case {
  name: string;
  make: () => Promise<Buffer>;
  mime: string;
  found: [kind: string, origin: string, field: string] | null;
}

const JPEG = 'image/jpeg';
const CASES: Case[] = [
  {
    name: 'a source type as an attribute',
    make: () => xmp(`i:DigitalSourceType="${IPTC}trainedAlgorithmicMedia"/>`).jpeg().toBuffer(),
    mime: JPEG,
    found: ['source_type', 'generated', 'XMP DigitalSourceType'],
  },
  {
    name: 'a source type as an element, in WebP',
    make: () =>
      xmp(`><i:DigitalSourceType>${IPTC}digitalCapture</i:DigitalSourceType></rdf:Description>`)
        .webp()
        .toBuffer(),
    mime: 'image/webp',
    found: ['source_type', 'captured', 'XMP DigitalSourceType'],
  },
  {
    name: 'a source type in an item of AVIF',
    make: () => xmp(`i:DigitalSourceType="${IPTC}trainedAlgorithmicMedia"/>`).avif().toBuffer(),
    mime: 'image/avif',
    found: ['source_type', 'generated', 'XMP DigitalSourceType'],
  },
  {
    name: 'a generator in the EXIF of AVIF',
    make: () => exif({ Software: 'Stable Diffusion' }).avif().toBuffer(),
    mime: 'image/avif',
    found: ['generator', 'generated', 'EXIF Software'],
  },
  {
    name: 'a source type as a resource, as RDF writes addresses',
    make: () =>
      xmp(`><i:DigitalSourceType rdf:resource="${IPTC}trainedAlgorithmicMedia"/></rdf:Description>`)
        .jpeg()
        .toBuffer(),
    mime: JPEG,
    found: ['source_type', 'generated', 'XMP DigitalSourceType'],
  },
  {
    name: 'a tool named in XMP',
    make: () => xmp('xmp:CreatorTool="Adobe Firefly"/>').jpeg().toBuffer(),
    mime: JPEG,
    found: ['generator', 'generated', 'XMP'],
  },
  {
    name: 'parameters in PNG text',
    make: () => withText('parameters', PARAMETERS),
    mime: 'image/png',
    found: ['generator', 'generated', 'PNG parameters'],
  },
  {
    name: 'a workflow in PNG text',
    make: () => withText('prompt', '{"3":{"inputs":{"seed":1},"class_type":"KSampler"}}'),
    mime: 'image/png',
    found: ['generator', 'generated', 'PNG prompt'],
  },
  {
    name: 'parameters in EXIF',
    make: () => exif({}, PARAMETERS).jpeg().toBuffer(),
    mime: JPEG,
    found: ['generator', 'generated', 'EXIF UserComment'],
  },
  {
    name: 'a program named in EXIF',
    make: () => exif({ Software: 'NovelAI' }).jpeg().toBuffer(),
    mime: JPEG,
    found: ['generator', 'generated', 'EXIF Software'],
  },
  {
    name: 'a camera',
    make: () => exif({ Make: 'Canon', Model: 'EOS R5', Software: 'Lightroom' }).jpeg().toBuffer(),
    mime: JPEG,
    found: ['camera', 'captured', 'EXIF Make, Model'],
  },
  {
    name: 'texts that only look alike',
    make: () => withText('parameters', 'Steps to the castle; seed of doubt'),
    mime: 'image/png',
    found: null,
  },
  { name: 'no metadata', make: () => picture().jpeg().toBuffer(), mime: JPEG, found: null },
];

for (const { name, make, mime, found } of CASES) {
  test(`metadata: ${name}`, async () => {
    await using folder = await makeTemporaryFolder();
    const path = join(folder.path, 'picture');
    await writeFile(path, await make());
    const declarations = await readDeclarations(path, mime);
    const read = declarations.map(({ kind, origin, field }) => [kind, origin, field]);
    assert.deepEqual(read, found === null ? [] : [found]);
    const provenance = await readProvenance({ path, mime, trust: NO_TRUST });
    assert.deepEqual(provenance.declarations, found === null ? undefined : declarations);
    assert.equal(provenance.declaredOrigin, null, 'only a signed manifest sets it');
  });
}

test('what is shown is one short line', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'picture');
  await writeFile(path, await withText('parameters', `${PARAMETERS}\x1b[31m${'x'.repeat(5000)}`));
  const [declaration] = await readDeclarations(path, 'image/png');
  assert.ok(declaration !== undefined && declaration.value.length <= 120);
  assert.doesNotMatch(declaration.value, /[\p{C}\n]/u);
});

/** A block of one comment, in the camera's folder of tags. */
function commentBlock(comment: Buffer, isLittleEndian: boolean): Buffer {
  const head = Buffer.alloc(44);
  const write = (value: number, at: number, bytes: number) =>
    isLittleEndian ? head.writeUIntLE(value, at, bytes) : head.writeUIntBE(value, at, bytes);
  head.write(isLittleEndian ? 'II*\0' : 'MM\0*', 'latin1');
  write(8, 4, 4);
  write(1, 8, 2);
  write(34_665, 10, 2);
  write(26, 18, 4);
  write(1, 26, 2);
  write(37_510, 28, 2);
  write(comment.length, 32, 4);
  write(head.length, 36, 4);
  return Buffer.concat([head, comment]);
}

test('a comment in UTF-16 is read in its own byte order, whichever the block has', () => {
  const text = Buffer.from(PARAMETERS, 'utf16le');
  for (const letters of [text, Buffer.from(text).swap16()]) {
    const comment = Buffer.concat([Buffer.from('UNICODE\0'), letters]);
    for (const isLittleEndian of [true, false])
      assert.equal(readExifTexts(commentBlock(comment, isLittleEndian)).get('UserComment'), PARAMETERS);
  }
});

test('a damaged EXIF block gives what can be read of it, and ends', () => {
  assert.equal(readExifTexts(Buffer.from('no EXIF')).size, 0);
  const endless = Buffer.alloc(64, 0xff);
  endless.write('II*\0', 'latin1');
  endless.writeUInt32LE(8, 4);
  assert.equal(readExifTexts(endless).size, 0);
  const circular = Buffer.alloc(64);
  circular.write('MM\0*', 'latin1');
  circular.writeUInt32BE(8, 4);
  circular.writeUInt16BE(1, 8);
  circular.writeUInt16BE(34_665, 10);
  circular.writeUInt32BE(8, 18);
  assert.equal(readExifTexts(circular).size, 0);
});
