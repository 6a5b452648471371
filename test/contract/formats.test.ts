/**
 * Every documented format, made here and submitted to a running service: done, with its real length and sides, upright,
 * whatever its file is called; and the refusal of what a name promises and the content does not hold.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FFEncoderCodec } from 'node-av/constants';
import sharp, { type Sharp } from 'sharp';
import { until } from '../faults/submissions.ts';
import { addCustomer, type Customer, fileOf, openService, type Service } from '../interface/service.ts';
import { CORNERS, makeSound, makeVideo, type SoundRecipe, type VideoRecipe } from '../make-media.ts';
import { makeHeic, makeJxl } from '../make-stills.ts';
import { makeVoice } from '../voice.ts';

type Kind = 'image' | 'video' | 'audio';

let service: Service;
/** May submit what the interface lists. */
let customer: Customer;
/** May submit more, by its plan. */
let foreigner: Customer;

before(async () => {
  service = await openService({ ASSAY_DECODE_SLOTS: '2' });
  customer = await addCustomer(service);
  foreigner = await addCustomer(service, { plan: { options: 'foreign_types' } });
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

const SECONDS = 2;
const RATE = 44_100;
const [WIDTH, HEIGHT] = [320, 256];
/** Codecs that begin with silence of their own, in containers that do not say so, are this much longer. */
const SECONDS_TOLERANCE = 0.15;
/** Strong compression and 4:2:0 move a plain colour by less. */
const COLOUR_TOLERANCE = 40;
const ENDED_TIMEOUT_MS = 50_000;

interface Format {
  kind: Kind;
  name: string;
  mime: string;
  make: () => Promise<Buffer> | Buffer;
  isForeign?: boolean;
  /** Stands upright where the stored picture lies on its side. */
  isTurned?: boolean;
}

function corners(): Buffer {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      rgb.set(CORNERS[(y * 2 < HEIGHT ? 0 : 2) + (x * 2 < WIDTH ? 0 : 1)] ?? [0, 0, 0], (y * WIDTH + x) * 3);
    }
  }
  return rgb;
}

const RGB = corners();
const still = (): Sharp => sharp(RGB, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });

/** Stored on its side; its tag says how it stands. */
async function turnedJpeg(): Promise<Buffer> {
  const lying = await still().rotate(270).raw().toBuffer();
  const image = sharp(lying, { raw: { width: HEIGHT, height: WIDTH, channels: 3 } });
  return await image.withMetadata({ orientation: 6 }).jpeg({ quality: 92 }).toBuffer();
}

function film(container: string, codec: string, more: Partial<VideoRecipe> = {}): () => Buffer {
  const size = { seconds: SECONDS, width: WIDTH, height: HEIGHT, fps: 25 };
  return () => makeVideo({ container, codec: codec as FFEncoderCodec, ...size, ...more });
}

const voice = makeVoice({ seconds: SECONDS, sampleRate: RATE, amplitude: 0.4 });

function sound(container: string, codec: string, more: Partial<SoundRecipe> = {}): () => Buffer {
  const wave = (time: number): number => voice[Math.floor(time * RATE)] ?? 0;
  const base = { seconds: SECONDS, rate: RATE, channels: 1, wave };
  return () => makeSound({ container, codec: codec as FFEncoderCodec, ...base, ...more });
}

/** Sound of one of the brands that differ in their name only. */
function branded(brand: string): () => Buffer {
  return () => {
    const bytes = sound('ipod', 'aac')();
    bytes.write(brand, 8, 'latin1');
    return bytes;
  };
}

const withSound = (codec: string): Partial<VideoRecipe> => ({ withSound: codec as FFEncoderCodec });

const FORMATS: Format[] = [
  { kind: 'image', name: 'plain.png', mime: 'image/png', make: () => still().png().toBuffer() },
  {
    kind: 'image',
    name: 'deep.png',
    mime: 'image/png',
    make: () => still().toColourspace('rgb16').png().toBuffer(),
  },
  {
    kind: 'image',
    name: 'palette.png',
    mime: 'image/png',
    make: () => still().png({ palette: true }).toBuffer(),
  },
  { kind: 'image', name: 'turned.jpg', mime: 'image/jpeg', make: turnedJpeg },
  {
    kind: 'image',
    name: 'print.jpeg',
    mime: 'image/jpeg',
    make: () => still().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer(),
  },
  {
    kind: 'image',
    name: 'web.webp',
    mime: 'image/webp',
    make: () => still().webp({ quality: 92 }).toBuffer(),
  },
  { kind: 'image', name: 'scan.tif', mime: 'image/tiff', make: () => still().tiff().toBuffer() },
  {
    kind: 'image',
    name: 'packed.tiff',
    mime: 'image/tiff',
    make: () => still().tiff({ compression: 'lzw' }).toBuffer(),
  },
  { kind: 'video', name: 'h264.mp4', mime: 'video/mp4', make: film('mp4', 'libx264', withSound('aac')) },
  {
    kind: 'video',
    name: 'turned.mp4',
    mime: 'video/mp4',
    make: film('mp4', 'libx264', { rotation: 90 }),
    isTurned: true,
  },
  { kind: 'video', name: 'hevc.mov', mime: 'video/quicktime', make: film('mov', 'libx265') },
  {
    kind: 'video',
    name: 'mpeg4.mkv',
    mime: 'video/x-matroska',
    make: film('matroska', 'mpeg4', withSound('flac')),
  },
  {
    kind: 'video',
    name: 'vp8.webm',
    mime: 'video/webm',
    make: film('webm', 'libvpx', withSound('libvorbis')),
  },
  { kind: 'video', name: 'av1.webm', mime: 'video/webm', make: film('webm', 'libsvtav1') },
  {
    kind: 'video',
    name: 'mpeg4.avi',
    mime: 'video/x-msvideo',
    make: film('avi', 'mpeg4', withSound('libmp3lame')),
  },
  { kind: 'video', name: 'h264.ts', mime: 'video/mp2t', make: film('mpegts', 'libx264', withSound('aac')) },
  {
    kind: 'video',
    name: 'mpeg2.mpg',
    mime: 'video/mpeg',
    make: film('mpeg', 'mpeg2video', withSound('mp2')),
  },
  { kind: 'video', name: 'phone.3gp', mime: 'video/3gpp', make: film('3gp', 'mpeg4', withSound('aac')) },
  {
    kind: 'video',
    name: 'theora.ogv',
    mime: 'video/ogg',
    make: film('ogg', 'libtheora', withSound('libvorbis')),
  },
  { kind: 'video', name: 'h264.flv', mime: 'video/x-flv', make: film('flv', 'libx264', withSound('aac')) },
  { kind: 'video', name: 'old.wmv', mime: 'video/x-ms-wmv', make: film('asf', 'wmv2', withSound('wmav2')) },
  { kind: 'audio', name: 'a.mp3', mime: 'audio/mpeg', make: sound('mp3', 'libmp3lame') },
  { kind: 'audio', name: 'a.wav', mime: 'audio/wav', make: sound('wav', 'pcm_s16le') },
  {
    kind: 'audio',
    name: 'telephone.wav',
    mime: 'audio/wav',
    make: sound('wav', 'pcm_mulaw', { rate: 8000 }),
  },
  { kind: 'audio', name: 'vorbis.ogg', mime: 'audio/ogg', make: sound('ogg', 'libvorbis') },
  { kind: 'audio', name: 'opus.ogg', mime: 'audio/ogg', make: sound('ogg', 'libopus', { rate: 48_000 }) },
  { kind: 'audio', name: 'a.flac', mime: 'audio/flac', make: sound('flac', 'flac', { channels: 2 }) },
  { kind: 'audio', name: 'a.aac', mime: 'audio/aac', make: sound('adts', 'aac') },
  { kind: 'audio', name: 'a.3gp', mime: 'audio/3gp', make: sound('3gp', 'aac', { rate: 16_000 }) },
  { kind: 'audio', name: 'a.m4a', mime: 'audio/m4a', make: branded('M4A ') },
  { kind: 'audio', name: 'a.m4b', mime: 'audio/m4b', make: branded('M4B ') },
  { kind: 'audio', name: 'a.m4p', mime: 'audio/m4p', make: branded('M4P ') },
  { kind: 'audio', name: 'a.m4r', mime: 'audio/m4r', make: branded('M4R ') },
  { kind: 'audio', name: 'a.mp4', mime: 'video/mp4', make: sound('mp4', 'aac', { channels: 2 }) },
  {
    kind: 'image',
    name: 'phone.heic',
    mime: 'image/heic',
    make: () => makeHeic({ rgb: RGB, width: WIDTH, height: HEIGHT, tile: 128 }),
    isForeign: true,
  },
  {
    kind: 'image',
    name: 'a.avif',
    mime: 'image/avif',
    make: () => still().avif({ quality: 85 }).toBuffer(),
    isForeign: true,
  },
  { kind: 'image', name: 'a.gif', mime: 'image/gif', make: () => still().gif().toBuffer(), isForeign: true },
  {
    kind: 'image',
    name: 'a.jxl',
    mime: 'image/jxl',
    make: () => makeJxl(RGB, WIDTH, HEIGHT),
    isForeign: true,
  },
  { kind: 'audio', name: 'a.aiff', mime: 'audio/aiff', make: sound('aiff', 'pcm_s16be'), isForeign: true },
  {
    kind: 'audio',
    name: 'a.ac3',
    mime: 'audio/ac3',
    make: sound('ac3', 'ac3', { rate: 48_000 }),
    isForeign: true,
  },
];

const QUERY = `query ($identifier: ID!) { classification(identifier: $identifier) { status errors mime
  ... on ImageClassification { width height } ... on AudioClassification { durationSeconds }
  ... on VideoClassification { width height durationSeconds } } }`;

interface Found {
  status: string;
  errors: string;
  mime: string;
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
  await until(hasEnded, identifier, ENDED_TIMEOUT_MS);
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
  await until(isMade, path, ENDED_TIMEOUT_MS);
  assert.equal(response?.status, 200, path);
  return Buffer.from((await response?.arrayBuffer()) ?? []);
}

async function assertUpright(picture: Buffer, isTurned: boolean): Promise<void> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const order = isTurned ? [2, 0, 3, 1] : [0, 1, 2, 3];
  for (const [place, corner] of order.entries()) {
    const x = Math.floor(info.width * (place % 2 === 0 ? 0.15 : 0.85));
    const y = Math.floor(info.height * (place < 2 ? 0.15 : 0.7));
    const at = (y * info.width + x) * 3;
    const expected = CORNERS[corner] ?? [0, 0, 0];
    const errors = expected.map((value, channel) => Math.abs(value - (data[at + channel] ?? 0)));
    assert.ok(Math.max(...errors) <= COLOUR_TOLERANCE, `place ${place}: ${[...data.subarray(at, at + 3)]}`);
  }
}

async function check(format: Format, by: Customer, identifier: string): Promise<void> {
  const { kind, mime, isTurned = false } = format;
  const found = await ended(by, identifier);
  assert.equal(found.status, 'DONE', found.errors);
  assert.equal(found.mime, mime);
  if (kind !== 'audio') {
    const sides = isTurned ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
    assert.deepEqual([found.width, found.height], sides);
    await assertUpright(await seen(by, format, identifier), isTurned);
  }
  if (kind !== 'image') {
    const error = Math.abs((found.durationSeconds ?? 0) - SECONDS);
    assert.ok(error <= SECONDS_TOLERANCE, `${found.durationSeconds} seconds`);
  }
}

test('every documented format ends done, with its length, its sides, upright', {
  timeout: 120_000,
}, async (context) => {
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

const MISNAMED: [kind: Kind, name: string, mime: string, make: Format['make']][] = [
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
    assert.deepEqual([found.status, found.mime], ['DONE', mime], found.errors);
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

const REFUSED: [kind: Kind, name: string, found: RegExp, make: Format['make']][] = [
  ['image', 'photo.png', /the file is text/, text('Dear editor, this is no picture.')],
  ['image', 'photo.jpg', /the file is a PDF document/, text('%PDF-1.7\n')],
  ['image', 'photo.webp', /the file is WAV audio/, sound('wav', 'pcm_s16le', { seconds: 1 })],
  ['image', 'photo.tif', /raw photograph.*whose preview is not the photograph/, rawPhoto],
  [
    'image',
    'IMG_1.CR3',
    /the file is a Canon CR3 raw photograph/,
    text('\0\0\0\x18ftypcrx \0\0\0\x01crx isom'),
  ],
  ['image', 'drawing.png', /the file is an SVG drawing/, text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['video', 'clip.mp4', /the file is a PNG picture/, () => still().png().toBuffer()],
  ['video', 'clip.webm', /the file is an HTML page/, text('<!doctype html><p>')],
  [
    'video',
    'clip.mov',
    /the file is .*sound only|that holds audio|FLAC audio/,
    sound('flac', 'flac', { seconds: 1 }),
  ],
  ['video', 'list.mp4', /the file is a playlist/, text('#EXTM3U\n')],
  ['audio', 'voice.mp3', /the file is a ZIP archive/, text('PK\x03\x04')],
  ['audio', 'voice.wav', /the file is a JPEG picture/, () => still().jpeg().toBuffer()],
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
    assert.match(JSON.stringify(body), /the file is .*; accepted are/);
  }
});
