/** docs/interface.md, Endpoints: submission of a file and of an address, with every field and the Accept behaviour. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { makeClip, makePicture, makeSpeech, type StillFormat } from './media.ts';
import {
  addCustomer,
  type Customer,
  type FormFields,
  fileOf,
  type Service,
  shareService,
} from './service.ts';

const IDENTIFIER = /^[0-9a-f]{64}$/;
let service: Service;
let customer: Customer;
let origin = '';
const served = new Map<string, Buffer>();
const server = createServer((request, response) => {
  const bytes = served.get(request.url ?? '');
  response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
});

before(async () => {
  service = await shareService();
  customer = await addCustomer(service);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  served.set('/photo.png', await makePicture());
  served.set('/voice.flac', makeSpeech());
  served.set('/clip.mp4', makeClip());
});
after(async () => {
  await service[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Entrance {
  path: string;
  kind: 'image' | 'video' | 'audio';
  field: string;
  media: () => Promise<string | Buffer>;
}

/** Every way in, aliases included. */
const ENTRANCES: Entrance[] = [
  { path: '/api/classification', kind: 'image', field: 'image', media: () => makePicture() },
  { path: '/api/classification_image', kind: 'image', field: 'image', media: () => makePicture() },
  { path: '/api/image_fromurl', kind: 'image', field: 'file_url', media: async () => `${origin}/photo.png` },
  { path: '/api/classification_audio', kind: 'audio', field: 'audio', media: async () => makeSpeech() },
  { path: '/api/audio_fromurl', kind: 'audio', field: 'file_url', media: async () => `${origin}/voice.flac` },
  { path: '/api/classification_video', kind: 'video', field: 'video', media: async () => makeClip() },
  { path: '/api/video_fromurl', kind: 'video', field: 'file_url', media: async () => `${origin}/clip.mp4` },
];

for (const { path, kind, field, media } of ENTRANCES) {
  test(`POST ${path}: "returns an identifier", and the record is read with it`, async () => {
    const fields = { [field]: await media(), ref_id: 'desk-1', frames: kind === 'video' ? '5' : undefined };
    const record = await customer.ended(kind, await customer.submit(path, fields));
    assert.equal(record.status, 'done', record.errors);
    assert.equal(record.ref_id, 'desk-1');
  });
}

const ACCEPTS: [accept: string, isJson: boolean][] = [
  ['application/json', true],
  ['text/html, application/json;q=0.5', true],
  ['text/plain', false],
  ['*/*', false],
  ['application/*', false],
  ['application/xml', false],
  ['application/json;q=0', false],
];
for (const { path, field, media } of ENTRANCES) {
  test(`POST ${path}: "with application/json, an object; with any other value, plain text"`, async () => {
    const bytes = await media();
    for (const [accept, isJson] of ACCEPTS) {
      const { status, headers, body } = await customer.post(path, { [field]: bytes }, accept);
      assert.equal(status, 200, JSON.stringify(body));
      const type = isJson ? 'application/json' : 'text/plain';
      assert.ok(headers.get('content-type')?.startsWith(type), accept);
      assert.match(isJson ? body.identifier : body, IDENTIFIER, accept);
      if (isJson) assert.deepEqual(Object.keys(body), ['identifier']);
    }
  });

  test(`POST ${path}: without ${field} 400 names the field`, async () => {
    const { status, body } = await customer.post(path, { ref_id: 'x' });
    assert.deepEqual([status, Object.keys(body.error)], [400, [field]]);
  });
}

const STILLS: StillFormat[] = ['png', 'jpeg', 'webp', 'tiff'];
for (const format of STILLS) {
  test(`"image: PNG, JPEG, JPG, WebP, TIF, TIFF": ${format} is taken`, async () => {
    const record = await customer.classify('image', { image: await makePicture({ format }) });
    assert.equal(record.status, 'done', record.errors);
  });
}

/** Muxer, codec. M4B, M4P and M4R are M4A under other names. */
const SOUNDS: [type: string, container: string, codec: string][] = [
  ['MP3', 'mp3', 'libmp3lame'],
  ['WAV', 'wav', 'pcm_s16le'],
  ['OGG', 'ogg', 'libvorbis'],
  ['FLAC', 'flac', 'flac'],
  ['AAC', 'adts', 'aac'],
  ['3GP', '3gp', 'aac'],
  ['M4A', 'ipod', 'aac'],
  ['MP4', 'mp4', 'aac'],
];
for (const [type, container, codec] of SOUNDS) {
  test(`"audio: MP3, WAV, OGG, FLAC, AAC, 3GP, M4A, MP4": ${type} is taken`, async () => {
    const audio = makeSpeech({ container, codec: codec as never, rate: 48_000 });
    const { status, body } = await customer.post('/api/classification_audio', { audio });
    assert.equal(status, 200, JSON.stringify(body));
  });
}

test('"audio: video/mp4": an MP4 with picture and sound is judged by its track, without sound it is 400', async () => {
  const filmed = makeClip({ withSound: 'aac' as never });
  const record = await customer.classify('audio', { audio: filmed });
  assert.equal(record.status, 'done', record.errors);
  const { status, body } = await customer.post('/api/classification_audio', { audio: makeClip() });
  assert.deepEqual([status, Object.keys(body.error)], [400, ['audio']]);
});

test('the type counts by content, not by name: a PNG called .txt is taken, text called .png is not', async () => {
  const good = await customer.post('/api/classification', {
    image: fileOf(await makePicture(), 'letter.txt'),
  });
  assert.equal(good.status, 200);
  const bad = await customer.post('/api/classification', {
    image: fileOf(Buffer.from('just a letter'), 'photo.png'),
  });
  assert.deepEqual([bad.status, Object.keys(bad.body.error)], [400, ['image']]);
});

/** No face detector is among the models of this test. */
const NEEDS_DETECTOR = 'ensure_face_per_frame';
const FLAGS: Record<Entrance['kind'], string[]> = {
  image: ['with_heatmap', 'no_cache', 'prevent_c2pa_forces'],
  audio: ['no_cache', 'prevent_c2pa_forces'],
  video: ['key_frames', 'with_audio', 'no_cache', 'prevent_c2pa_forces', NEEDS_DETECTOR],
};
for (const { path, kind, field, media } of ENTRANCES) {
  test(`POST ${path}: "booleans in forms are sent as true"; what is no boolean is 400 on its field`, async () => {
    const bytes = await media();
    const served = FLAGS[kind].filter((name) => name !== NEEDS_DETECTOR);
    const every = Object.fromEntries(served.map((name) => [name, 'true']));
    assert.equal((await customer.post(path, { [field]: bytes, ...every })).status, 200);
    for (const name of FLAGS[kind]) {
      const { status, body } = await customer.post(path, { [field]: bytes, [name]: 'maybe' });
      assert.deepEqual([status, Object.keys(body.error)], [400, [name]]);
    }
  });
}

const MODEL_OPTIONS: [path: string, field: string, option: string][] = [
  ['/api/classification', 'image', 'with_morphing'],
  ['/api/classification', 'image', 'with_tampering'],
  ['/api/classification', 'image', 'with_nsfw'],
  ['/api/classification_video', 'video', 'with_morphing'],
  ['/api/classification_video', 'video', 'with_tampering'],
  ['/api/classification_video', 'video', 'with_nsfw'],
  ['/api/classification_video', 'video', NEEDS_DETECTOR],
];
for (const [path, field, option] of MODEL_OPTIONS) {
  test(`POST ${path} ${option}: without an installed model 422 {message} names the option`, async () => {
    const media = field === 'image' ? await makePicture() : makeClip();
    const { status, body } = await customer.post(path, { [field]: media, [option]: 'true' });
    assert.deepEqual([status, Object.keys(body)], [422, ['message']]);
    assert.match(body.message, new RegExp(option));
  });
}

test('video: frames, key_frames_method and ensure_face_per_frame hold on both ways in', async () => {
  for (const [path, media] of [
    ['/api/classification_video', { video: makeClip({ seconds: 3 }) }],
    ['/api/video_fromurl', { file_url: `${origin}/clip.mp4` }],
  ] as [string, FormFields][]) {
    const options = { frames: '5', key_frames: 'true', key_frames_method: 'color', ...media };
    const record = await customer.ended('video', await customer.submit(path, options));
    assert.ok(record.results.images.length >= 1 && record.results.images.length <= 5);
    for (const [name, value] of [
      ['frames', '7'],
      ['key_frames_method', 'best'],
    ] as const) {
      const { status, body } = await customer.post(path, { ...media, [name]: value });
      assert.deepEqual([status, Object.keys(body.error)], [400, [name]]);
    }
  }
});

const REFUSED_ADDRESSES = [
  ...['ftp://example.org/a.png', 'file:///etc/passwd', 'not an address', 'http://user:secret@example.org/a'],
  ...['http://10.0.0.1/a.png', 'http://169.254.169.254/latest', 'http://[fd00::1]/a', 'http://0x0a000001/a'],
];
for (const { path } of ENTRANCES.filter(({ field }) => field === 'file_url')) {
  test(`POST ${path}: an address that must not be fetched is 400 on file_url`, async () => {
    for (const file_url of REFUSED_ADDRESSES) {
      const { status, body } = await customer.post(path, { file_url });
      assert.deepEqual([status, Object.keys(body.error)], [400, ['file_url']], file_url);
    }
  });

  test(`POST ${path}: an address that cannot be fetched ends errored, with the reason and without a hash`, async () => {
    const kind = path.slice('/api/'.length).split('_')[0] ?? '';
    const identifier = await customer.submit(path, { file_url: `${origin}/nothing.bin` });
    const record = await customer.ended(kind, identifier);
    assert.deepEqual([record.status, record.hash], ['errored', '']);
    assert.match(record.errors, /404/);
  });
}

test('unknown fields are ignored with a warning, and parts come in any order', async () => {
  const form = new FormData();
  form.set('colour', 'blue');
  form.set('with_haetmap"', 'true');
  form.set('image', new Blob([new Uint8Array(await makePicture())]), 'a.png');
  form.set('ref_id', 'behind the file');
  const { status, body, headers } = await customer.call('POST', '/api/classification', {
    body: form,
    headers: { accept: 'application/json' },
  });
  assert.equal(status, 200);
  assert.equal(headers.get('warning'), '299 - "unknown form fields were ignored: colour, with_haetmap?22"');
  assert.equal((await customer.get(`/api/classification/${body.identifier}`)).body.ref_id, 'behind the file');
});

test('"submission bodies are multipart/form-data": another type is 400 on the file field', async () => {
  const { status, body } = await customer.postJson('/api/classification', { image: 'x' });
  assert.deepEqual([status, Object.keys(body.error)], [400, ['image']]);
});
