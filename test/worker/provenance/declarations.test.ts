import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { readExifTexts } from '../../../src/worker/metadata/exif-texts.ts';
import { readFileTexts } from '../../../src/worker/metadata/file-texts.ts';
import { readProvenance, toDeclarations } from '../../../src/worker/steps/provenance.ts';

import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const PARAMETERS = 'a red boat\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1';
const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const picture = () => sharp({ create: { width: 32, height: 32, channels: 3, background: '#456' } });

const readDeclarations = async (file: Parameters<typeof readFileTexts>[0]) =>
  toDeclarations((await readFileTexts(file)).texts);

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

/** A JPEG with segments of our own behind its first bytes. */
async function withSegment(marker: number, content: Buffer): Promise<Buffer> {
  const jpeg = await picture().jpeg().toBuffer();
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}
const XMP_NAME = 'http://ns.adobe.com/xap/1.0/\0';
const bag = (name: string, value: string) =>
  xmpOf(`><i:${name}><rdf:Bag><rdf:li>${value}</rdf:li></rdf:Bag></i:${name}></rdf:Description>`);
const EXTENDED = Buffer.concat([
  Buffer.from('http://ns.adobe.com/xmp/extension/\0'),
  Buffer.alloc(40, 0x30),
  Buffer.from(bag('DigitalSourceType', `${IPTC}trainedAlgorithmicMedia`)),
]);
/** IPTC-IIM: the program's dataset, 2:65, within Photoshop's block of resources. */
function iim(program: string): Buffer {
  const value = Buffer.from(program);
  const dataset = Buffer.concat([Buffer.from([0x1c, 2, 65, 0, value.length]), value]);
  const head = Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\0', 'latin1');
  head.writeUInt32BE(dataset.length, head.length - 4);
  return Buffer.concat([head, dataset, Buffer.alloc(dataset.length % 2)]);
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
    found: ['generator', 'generated', 'XMP CreatorTool'],
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
    name: 'a source type with a slash behind it, in a list',
    make: () =>
      withSegment(0xe1, Buffer.from(XMP_NAME + bag('DigitalSourceType', `${IPTC}trainedAlgorithmicMedia/`))),
    mime: JPEG,
    found: ['source_type', 'generated', 'XMP DigitalSourceType'],
  },
  {
    name: 'XMP in UTF-16',
    make: () =>
      withSegment(
        0xe1,
        Buffer.concat([Buffer.from(XMP_NAME), Buffer.from(bag('AISystemUsed', 'Imagen 4'), 'utf16le')]),
      ),
    mime: JPEG,
    found: ['generator', 'generated', 'XMP AISystemUsed'],
  },
  {
    name: 'XMP that goes on in further segments',
    make: () => withSegment(0xe1, EXTENDED),
    mime: JPEG,
    found: ['source_type', 'generated', 'XMP DigitalSourceType'],
  },
  {
    name: 'a label of China as an attribute with entities',
    make: () => xmp('i:AIGC="{&quot;Label&quot;:&quot;1&quot;}"/>').jpeg().toBuffer(),
    mime: JPEG,
    found: ['generator', 'generated', 'XMP AIGC'],
  },
  {
    name: 'a label of China in PNG text',
    make: () => withText('AIGC', '{"Label":"2","ContentProducer":"0011"}'),
    mime: 'image/png',
    found: ['generator', 'generated', 'PNG AIGC'],
  },
  {
    name: 'a label of China within a comment',
    make: () => exif({}, '{"AIGC":{"ContentProducer":"x","Label":"1"}}').jpeg().toBuffer(),
    mime: JPEG,
    found: ['generator', 'generated', 'EXIF UserComment'],
  },
  {
    name: 'IPTC-IIM alone',
    make: () => withSegment(0xed, iim('Midjourney')),
    mime: JPEG,
    found: ['generator', 'generated', 'IPTC Originating Program'],
  },
  {
    name: "Midjourney's job, without its name",
    make: () => withText('Description', 'a cat --v 7 Job ID: c0ffee00-1111-4222-8333-444455556666'),
    mime: 'image/png',
    found: ['generator', 'generated', 'PNG Description'],
  },
  {
    name: "InvokeAI's metadata",
    make: () => withText('invokeai_metadata', '{"positive_prompt":"a cat"}'),
    mime: 'image/png',
    found: ['generator', 'generated', 'PNG invokeai_metadata'],
  },
  {
    name: 'a long prompt in the place of a camera, before what names the workflow',
    make: () =>
      exif({ Model: `prompt:{"9":{"inputs":{"text":"${'x'.repeat(20_000)}"}}}` })
        .jpeg()
        .toBuffer(),
    mime: JPEG,
    found: ['generator', 'generated', 'EXIF Model'],
  },
  {
    name: 'a signature by somebody who is no number, as people sign descriptions',
    make: () =>
      exif({ ImageDescription: 'Signature: of the mayor and witnesses', Artist: 'Jane' }).jpeg().toBuffer(),
    mime: JPEG,
    found: null,
  },
  {
    name: 'a caption that speaks of a generator',
    make: () => xmp('i:description="Protest against Midjourney"/>').jpeg().toBuffer(),
    mime: JPEG,
    found: null,
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
    const declarations = await readDeclarations({ path, mime });
    const read = declarations.map(({ kind, origin, field }) => [kind, origin, field]);
    assert.deepEqual(read, found === null ? [] : [found]);
    const provenance = await readProvenance({ path, mime, trust: NO_TRUST });
    assert.deepEqual(provenance.declarations, found === null ? undefined : declarations);
    assert.equal(provenance.declaredOrigin, null, 'only a signed manifest sets it');
  });
}

/** Files of public reports, each with what it holds. */
const REPORTED = {
  'aigc-xmp.jpg': ['aigc_label', JPEG],
  'aisystem.jpg': ['ai_system', JPEG],
  'grok-exif.jpg': ['xai_signature', JPEG],
  'jpeg-comment.jpg': ['settings', JPEG],
  'xmp-ancestors.png': ['source_type', 'image/png'],
  'novelai-stealth.png': ['stealth_channel', 'image/png'],
  'easydiffusion.png': ['program_texts', 'image/png'],
  'comfy-long-prompt.webp': ['comfyui_camera', 'image/webp'],
} as const;

test('reported files: each declares that it was generated', {
  skip: skipWithoutSharedData('cases'),
}, async () => {
  for (const [file, [name, mime]] of Object.entries(REPORTED)) {
    const declarations = await readDeclarations({ path: sharedData('cases', file), mime });
    assert.deepEqual(
      declarations.map((found) => [found.name, found.origin]),
      [[name, 'generated']],
      file,
    );
  }
});

test('settings hidden in the lowest bits of colours are found with the decoded picture', async () => {
  await using folder = await makeTemporaryFolder();
  const [width, height] = [32, 32];
  const rgb = Buffer.alloc(width * height * 3, 0x40);
  const text = Buffer.from('stealth_rgbcomp');
  for (let bit = 0; bit < text.length * 8; bit++) {
    const pixel = Math.floor(bit / 3);
    const at = ((pixel % height) * width + Math.floor(pixel / height)) * 3 + (bit % 3);
    rgb[at] = 0x40 | (((text[bit >> 3] ?? 0) >> (7 - (bit % 8))) & 1);
  }
  const path = join(folder.path, 'picture');
  await writeFile(
    path,
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
  const found = await readDeclarations({ path, mime: 'image/png', picture: { width, height, rgb } });
  assert.deepEqual(
    found.map(({ name, field, value }) => [name, field, value]),
    [['stealth_channel', 'pixels colours', 'stealth_rgbcomp']],
  );
});

test('a shown text is one short line', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'picture');
  await writeFile(path, await withText('parameters', `${PARAMETERS}\x1b[31m${'x'.repeat(5000)}`));
  const [declaration] = await readDeclarations({ path, mime: 'image/png' });
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
  write(4, 12, 2);
  write(1, 14, 4);
  write(26, 18, 4);
  write(1, 26, 2);
  write(37_510, 28, 2);
  write(7, 30, 2);
  write(comment.length, 32, 4);
  write(head.length, 36, 4);
  return Buffer.concat([head, comment]);
}

test('a comment in UTF-16 is read in its own byte order, whichever the block has', () => {
  const text = Buffer.from(PARAMETERS, 'utf16le');
  for (const letters of [text, Buffer.from(text).swap16()]) {
    const comment = Buffer.concat([Buffer.from('UNICODE\0'), letters]);
    for (const isLittleEndian of [true, false])
      assert.equal(
        readExifTexts(commentBlock(comment, isLittleEndian)).texts.get('EXIF UserComment'),
        PARAMETERS,
      );
  }
});

test('a damaged EXIF block gives what can be read of it, and ends', () => {
  assert.equal(readExifTexts(Buffer.from('no EXIF')).texts.size, 0);
  const endless = Buffer.alloc(64, 0xff);
  endless.write('II*\0', 'latin1');
  endless.writeUInt32LE(8, 4);
  assert.equal(readExifTexts(endless).texts.size, 0);
  const circular = Buffer.alloc(64);
  circular.write('MM\0*', 'latin1');
  circular.writeUInt32BE(8, 4);
  circular.writeUInt16BE(1, 8);
  circular.writeUInt16BE(34_665, 10);
  circular.writeUInt32BE(8, 18);
  assert.equal(readExifTexts(circular).texts.size, 0);
});

test('tags of films and sound: a label of China, and a report that speaks of a generator', async () => {
  const label = '{"Label":"1","ContentProducer":"0011"}';
  const tags = { title: 'How Sora works: OpenAI Sora', AIGC: label, encoder: 'Lavf60' };
  const found = await readDeclarations({ path: 'none', mime: 'video/mp4', tags });
  assert.deepEqual(found, [
    { kind: 'generator', field: 'tag AIGC', value: label, origin: 'generated', name: 'aigc_label' },
  ]);
});
