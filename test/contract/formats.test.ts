/** Every documented format, made here and submitted: done, upright, with its real length and sides, whatever its name. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { MediaKind } from '../../src/domain/media/media.ts';
import { until } from '../faults/rounds/submissions.ts';
import { addCustomer, type Customer, fileOf, openService, type Service } from '../interface/service.ts';
import { CORNERS } from '../media/numbered-frame.ts';
import { FORMATS, type Format, film, HEIGHT, SECONDS, sound, still, WIDTH } from './formats.ts';

let service: Service;
/** An account that may submit the documented types. */
let customer: Customer;
/** An account whose plan takes further types. */
let foreigner: Customer;

before(async () => {
  service = await openService({ ASSAY_DECODE_SLOTS: '2' });
  customer = await addCustomer(service, { plan: { options: 'heatmap' } });
  foreigner = await addCustomer(service, { plan: { options: 'foreign_types' } });
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Codecs that begin with silence of their own, in containers that do not say so, are this much longer. */
const SECONDS_TOLERANCE = 0.15;
/** Strong compression and 4:2:0 move a plain colour by less. */
const COLOUR_TOLERANCE = 40;
const PRINT_TOLERANCE = 80;

const QUERY = `query ($identifier: ID!) { classification(identifier: $identifier) { status errors mimetype
  ... on ImageClassification { width height } ... on AudioClassification { durationSeconds }
  ... on VideoClassification { width height durationSeconds } } }`;

interface Found {
  status: string;
  errors: string;
  mimetype: string;
  width?: number;
  height?: number;
  durationSeconds?: number;
}

async function read({ key }: Customer, identifier: string): Promise<Found> {
  const init = {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, variables: { identifier } }),
  };
  const { data } = (await (await fetch(`${service.url}/graphql`, init)).json()) as {
    data: { classification: Found };
  };
  return data.classification;
}

async function ended(by: Customer, identifier: string): Promise<Found> {
  let found = await read(by, identifier);
  const hasEnded = async (): Promise<boolean> => {
    found = await read(by, identifier);
    return found.status !== 'NEW';
  };
  await until(hasEnded, identifier);
  return found;
}

/** The picture as a person would see it: of a video its first frame. */
async function seen({ key }: Customer, { kind }: Format, identifier: string): Promise<Buffer> {
  const path = kind === 'image' ? 'rendition/picture.webp' : 'frame/0';
  let response: Response | undefined;
  const isMade = async (): Promise<boolean> => {
    response = await fetch(`${service.url}/media/${identifier}/${path}`, { headers: { 'x-api-key': key } });
    return response.status !== 202;
  };
  await until(isMade, path);
  assert.equal(response?.status, 200, path);
  return Buffer.from((await response?.arrayBuffer()) ?? []);
}

async function assertUpright(picture: Buffer, { isTurned = false, isPrint = false }: Format): Promise<void> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const tolerance = isPrint ? PRINT_TOLERANCE : COLOUR_TOLERANCE;
  const order = isTurned ? [2, 0, 3, 1] : [0, 1, 2, 3];
  for (const [place, corner] of order.entries()) {
    const x = Math.floor(info.width * (place % 2 === 0 ? 0.15 : 0.85));
    const y = Math.floor(info.height * (place < 2 ? 0.15 : 0.7));
    const at = (y * info.width + x) * 3;
    const expected = CORNERS[corner] ?? [0, 0, 0];
    const errors = expected.map((value, channel) => Math.abs(value - (data[at + channel] ?? 0)));
    assert.ok(Math.max(...errors) <= tolerance, `place ${place}: ${[...data.subarray(at, at + 3)]}`);
  }
}

async function check(format: Format, by: Customer, identifier: string): Promise<void> {
  const { kind, mime, isTurned = false } = format;
  const found = await ended(by, identifier);
  assert.equal(found.status, 'DONE', found.errors);
  assert.equal(found.mimetype, mime);
  if (kind !== 'audio') {
    const sides = isTurned ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
    assert.deepEqual([found.width, found.height], sides);
    await assertUpright(await seen(by, format, identifier), format);
  }
  if (kind !== 'image') {
    const error = Math.abs((found.durationSeconds ?? 0) - SECONDS);
    assert.ok(error <= SECONDS_TOLERANCE, `${found.durationSeconds} seconds`);
  }
}

test('every documented format ends done, with its length, its sides, upright', async (context) => {
  const submitted: { format: Format; by: Customer; identifier: string }[] = [];
  for (const format of FORMATS) {
    const by = format.isForeign === true ? foreigner : customer;
    const fields = {
      [format.kind]: fileOf(await format.make(), format.name),
      ...(format.kind === 'video' ? { frames: '5' } : {}),
    };
    submitted.push({ format, by, identifier: await by.submit(`/api/classification_${format.kind}`, fields) });
  }
  for (const { format, by, identifier } of submitted) {
    await context.test(`${format.kind} ${format.name}`, () => check(format, by, identifier));
  }
});

const MISNAMED: [kind: MediaKind, name: string, mime: string, make: Format['make']][] = [
  ['image', 'photo.mp3', 'image/png', () => still().negate().png().toBuffer()],
  ['image', 'photo.mp4', 'image/jpeg', () => still().negate().jpeg().toBuffer()],
  ['image', 'README', 'image/webp', () => still().negate().webp().toBuffer()],
  ['video', 'clip.jpg', 'video/x-matroska', film('matroska', 'mpeg4', { seconds: 1 })],
  ['video', 'clip.m3u8', 'video/mp4', film('mp4', 'mpeg4', { seconds: 1 })],
  ['audio', 'voice.avi', 'audio/flac', sound('flac', 'flac', { seconds: 1 })],
  ['audio', 'voice.txt', 'audio/ogg', sound('ogg', 'libvorbis', { seconds: 1 })],
];

for (const [kind, name, mime, make] of MISNAMED) {
  test(`${name} holds ${mime}, and that is what counts`, async () => {
    const identifier = await customer.submit(`/api/classification_${kind}`, {
      [kind]: fileOf(await make(), name),
    });
    const found = await ended(customer, identifier);
    assert.deepEqual([found.status, found.mimetype], ['DONE', mime], found.errors);
  });
}

const text = (words: string) => (): Buffer => Buffer.from(words.padEnd(2000));
/** A raw photograph as cameras write it: a TIFF whose tag names the sensor's data (CFA, 32803). */
function rawPhoto(): Buffer {
  const bytes = Buffer.alloc(1024);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(8, 4);
  const tags = [
    [256, 4000],
    [257, 3000],
    [262, 32_803],
  ] as const;
  bytes.writeUInt16LE(tags.length, 8);
  for (const [index, [tag, value]] of tags.entries()) {
    bytes.writeUInt16LE(tag, 10 + index * 12);
    bytes.writeUInt16LE(4, 12 + index * 12);
    bytes.writeUInt32LE(1, 14 + index * 12);
    bytes.writeUInt32LE(value, 18 + index * 12);
  }
  return bytes;
}

const REFUSED: [kind: MediaKind, name: string, found: RegExp, make: Format['make']][] = [
  ['image', 'photo.png', /the file is text/, text('Dear editor, this is no picture.')],
  ['image', 'photo.jpg', /the file is a PDF document/, text('%PDF-1.7\n')],
  [
    'image',
    'photo.webp',
    /found sound only \(audio\/wav\), expected PNG/,
    sound('wav', 'pcm_s16le', { seconds: 1 }),
  ],
  ['image', 'photo.tif', /raw photograph.*whose preview is not the photograph/, rawPhoto],
  [
    'image',
    'IMG_1.CR3',
    /the file is a Canon CR3 raw photograph/,
    text('\0\0\0\x18ftypcrx \0\0\0\x01crx isom'),
  ],
  ['image', 'drawing.png', /the file is an SVG drawing/, text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['video', 'clip.mp4', /found a picture \(image\/png\), expected MP4/, () => still().png().toBuffer()],
  ['video', 'clip.webm', /the file is an HTML page/, text('<!doctype html><p>')],
  [
    'video',
    'clip.mov',
    /found sound only \(audio\/flac\), expected MP4/,
    sound('flac', 'flac', { seconds: 1 }),
  ],
  ['video', 'list.mp4', /the file is a playlist/, text('#EXTM3U\n')],
  ['audio', 'voice.mp3', /the file is a ZIP archive/, text('PK\x03\x04')],
  ['audio', 'voice.wav', /found a picture \(image\/jpeg\), expected MP3/, () => still().jpeg().toBuffer()],
];

for (const [kind, name, found, make] of REFUSED) {
  test(`${name} is refused, saying what was found: ${found.source}`, async () => {
    const fields = { [kind]: fileOf(await make(), name) };
    const { status, body } = await customer.post(`/api/classification_${kind}`, fields);
    assert.ok(status === 400 || status === 422, `${status}`);
    assert.match(JSON.stringify(body), found);
  });
}

test('types beyond the documented ones are a plan’s option', async () => {
  for (const { kind, name, make } of FORMATS.filter(({ isForeign }) => isForeign)) {
    const fields = { [kind]: fileOf(await make(), name) };
    const { status, body } = await customer.post(`/api/classification_${kind}`, fields);
    assert.equal(status, 400, name);
    assert.match(
      JSON.stringify(body),
      /found (HEIC|AVIF|GIF|JPEG XL|AIFF|AC-3), which the pricing plan does not take/,
    );
  }
});
