/** The same media under other names and metadata: what declares an origin changes the provenance, never a model's figure. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { Builder, LocalSigner } from '@contentauth/c2pa-node';
import { credentials } from '@grpc/grpc-js';
import { FF_ENCODER_FLAC, FF_ENCODER_MPEG4 } from 'node-av/constants';
import { submitFile } from '../../evaluate/submit-file.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { type Classification, Status } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { makeIdentity } from '../certificates.ts';
import { TEST_KEY } from '../daemon.ts';
import { makeSound, makeVideo } from '../media/make-media.ts';
import { patternImage, patternRgb } from '../media/pictures.ts';
import { makeVoice } from '../media/voice.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const SIZE = { width: 320, height: 256 };
const RATE = 16_000;
const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const PARAMETERS = 'a red boat\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1';
const NAMES = [
  'IMG_2041.JPG',
  'stable-diffusion_00012_.png',
  'midjourney --ar 16:9 (1).webp',
  'människa.raw',
];

let daemon: OpenBox;
let client: AssayClient;
let jpeg: Buffer;
let png: Buffer;
/** Their records, as long as neither a name nor a tag says anything. */
let plainRecords: Record<'jpeg' | 'png', Classification>;

before(async () => {
  daemon = await openBox();
  client = new AssayClient({ address: daemon.grpc, credentials: credentials.createInsecure() }, TEST_KEY);
  jpeg = await picture().jpeg({ quality: 88 }).toBuffer();
  png = await picture().png().toBuffer();
  plainRecords = { jpeg: await classify(MediaKind.IMAGE, jpeg), png: await classify(MediaKind.IMAGE, png) };
});

after(async () => {
  client?.[Symbol.dispose]();
  await daemon?.[Symbol.asyncDispose]();
});

/** Analysed anew each time: an answer from the cache would prove nothing. */
async function classify(kind: MediaKind, bytes: Buffer, name = 'file'): Promise<Classification> {
  const options = { frames: 5, withTampering: kind === MediaKind.IMAGE };
  const header = { name, kind, noCache: true, options };
  const interrupted = new AbortController().signal;
  const record = await submitFile(client, { header, bytes, interrupted });
  assert.equal(record.status, Status.DONE, record.errors);
  assert.equal(record.name, name);
  return record;
}

/** Everything that a model measured, to the last bit. Fails where none answered: equal silence would prove nothing. */
function figuresOf(record: Classification): object {
  const { media, results, assessment } = record;
  const video = media.case === 'video' ? media.value.images : [];
  const clips = media.case === 'audio' ? media.value.clips : [];
  const all = [results, ...video.map((frame) => frame.results), ...clips.map((clip) => clip.results)].flat();
  const scores = all.map(({ model, version, classification }) => [
    `${model}@${version}`,
    classification.map(({ label, score }) => [label, score]),
  ]);
  assert.ok(all.length > 0 && all.every(({ unknown }) => !unknown), JSON.stringify(scores));
  assert.ok(assessment?.probability !== undefined);
  const { probability, log10LikelihoodRatio, stability } = assessment;
  const variants = stability?.variants.map(({ name, logOdds }) => [name, logOdds]);
  return { scores, probability, log10LikelihoodRatio, variants };
}

const codesOf = ({ assessment }: Classification) => (assessment?.reasons ?? []).map(({ code }) => code);
const isProvenance = (code: string) => /^(C2PA|METADATA|PROVENANCE)_/.test(code);

/** A segment of a JPEG behind its first marker. */
function withSegment(jpeg: Buffer, marker: number, content: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from(content, 'latin1'), jpeg.subarray(2)]);
}

const [APP1, COMMENT] = [0xe1, 0xfe];

function withXmp(jpeg: Buffer, attribute: string): Buffer {
  const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
  const names = `xmlns:i="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"`;
  const about = `<rdf:Description rdf:about="" ${names} ${attribute}/>`;
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${rdf}>${about}</rdf:RDF></x:xmpmeta>`;
  return withSegment(jpeg, APP1, `http://ns.adobe.com/xap/1.0/\0${xmp}`);
}

/** A text chunk of a PNG, before its data. */
function withText(png: Buffer, keyword: string, text: string): Buffer {
  const content = Buffer.from(`tEXt${keyword}\0${text}`, 'latin1');
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  sum.writeUInt32BE(crc32(content));
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), length, content, sum, png.subarray(headerEnd)]);
}

/** With a manifest that says that a generator made it. */
async function sign(jpeg: Buffer): Promise<Buffer> {
  await using folder = await makeTemporaryFolder();
  const authority = makeIdentity({ name: 'Test authority' });
  const { cert, key } = makeIdentity({ name: 'Test generator', issuer: authority, signsMedia: true });
  const signer = LocalSigner.newSigner(Buffer.from(cert + authority.cert), Buffer.from(key), 'es256');
  const action = { action: 'c2pa.created', digitalSourceType: `${IPTC}trainedAlgorithmicMedia` };
  const builder = Builder.withJson({
    ...{ claim_generator_info: [{ name: 'test', version: '1.0.0' }], title: 'a', format: 'image/jpeg' },
    assertions: [{ label: 'c2pa.actions', data: { actions: [action] } }],
  });
  const path = join(folder.path, 'picture.jpg');
  await writeFile(path, jpeg);
  const output = { buffer: null as Buffer | null };
  builder.sign(signer, { path, mimeType: 'image/jpeg' }, output);
  assert.ok(output.buffer !== null);
  return output.buffer;
}

const picture = () => patternImage(SIZE.width, SIZE.height);

test('a picture: no name and no metadata without meaning moves a figure', async () => {
  const plain = plainRecords.jpeg;
  const expected = figuresOf(plain);
  // Each under a name that says something, too.
  const copies = [
    jpeg,
    withSegment(jpeg, COMMENT, 'a walk by the lake'),
    withXmp(jpeg, 'xmp:CreatorTool="GIMP 2.10"'),
    withXmp(jpeg, 'xmp:CreateDate="2021-05-04T11:12:13"'),
  ];
  assert.equal(copies.length, NAMES.length);
  for (const [at, bytes] of copies.entries()) {
    const record = await classify(MediaKind.IMAGE, bytes, NAMES[at]);
    assert.deepEqual([figuresOf(record), codesOf(record)], [expected, codesOf(plain)], NAMES[at]);
  }
});

test('a picture: what declares an origin is shown beside the figures, and moves none', async () => {
  const declaring: [code: string, plain: 'jpeg' | 'png', declared: Buffer][] = [
    ['METADATA_SOURCE_TYPE', 'jpeg', withXmp(jpeg, `i:DigitalSourceType="${IPTC}trainedAlgorithmicMedia"`)],
    ['METADATA_GENERATOR', 'jpeg', withXmp(jpeg, 'xmp:CreatorTool="Adobe Firefly"')],
    ['METADATA_GENERATOR', 'png', withText(png, 'parameters', PARAMETERS)],
    ['C2PA_GENERATED', 'jpeg', await sign(jpeg)],
  ];
  for (const [code, plain, declared] of declaring) {
    const [before, after] = [plainRecords[plain], await classify(MediaKind.IMAGE, declared)];
    assert.deepEqual(figuresOf(after), figuresOf(before), code);
    assert.ok(codesOf(after).includes(code), `${code} is not among ${codesOf(after)}`);
    assert.ok(!codesOf(before).includes(code));
    const others = codesOf(after).filter((one) => !isProvenance(one));
    assert.deepEqual(others, codesOf(before), 'the models’ own reasons stay');
  }
});

test('a picture of other pixels has other figures', async () => {
  const other = await classify(MediaKind.IMAGE, await picture().jpeg({ quality: 60 }).toBuffer());
  assert.notDeepEqual(figuresOf(other), figuresOf(plainRecords.jpeg));
});

function recording(metadata?: Record<string, string>): Buffer {
  const voice = makeVoice({ seconds: 4, sampleRate: RATE });
  const wave = (time: number) => voice[Math.floor(time * RATE)] ?? 0;
  const recipe = { container: 'matroska', codec: FF_ENCODER_FLAC, seconds: 4, rate: RATE, channels: 1 };
  return makeSound({ ...recipe, wave, ...(metadata === undefined ? {} : { metadata }) });
}

function film(metadata?: Record<string, string>): Buffer {
  const paint = (_index: number, rgb: Buffer) => void patternRgb(SIZE.width, SIZE.height).copy(rgb);
  const recipe = { container: 'mp4', codec: FF_ENCODER_MPEG4, seconds: 1, fps: 5, ...SIZE, paint };
  return makeVideo({ ...recipe, ...(metadata === undefined ? {} : { metadata }) });
}

/** As another program would have written it: the muxer puts its own name over any other. */
function fromEncoder(bytes: Buffer, name: 'Suno'): Buffer {
  const changed = Buffer.from(bytes);
  assert.ok(changed.includes('Lavf'), 'the muxer names itself');
  for (let at = changed.indexOf('Lavf'); at >= 0; at = changed.indexOf('Lavf', at)) changed.write(name, at);
  return changed;
}

for (const [what, kind, make] of [
  ['a recording', MediaKind.AUDIO, recording],
  ['a film', MediaKind.VIDEO, film],
] as const) {
  test(`${what}: neither name nor title, language or encoder moves a figure`, async () => {
    const plain = await classify(kind, make());
    const expected = figuresOf(plain);
    const titled = make({ title: 'Made with Suno and Sora', artist: 'A generator' });
    const inItalian = make({ language: 'ita' });
    const copies: [name: string, bytes: Buffer][] = [
      ['elevenlabs_v3_sora.mp4', titled],
      ['encoder', fromEncoder(inItalian, 'Suno')],
    ];
    for (const [name, bytes] of copies) {
      const record = await classify(kind, bytes, name);
      assert.deepEqual([figuresOf(record), codesOf(record)], [expected, codesOf(plain)], name);
    }
    assert.ok(!titled.equals(make()) && !inItalian.equals(make()), 'the tags are in the file');
  });
}
