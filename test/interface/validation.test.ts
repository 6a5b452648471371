/** docs/interface.md, Validate a media file: the rules, and each documented failure with its status and body. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AUDIO_BYTES_MAX, IMAGE_BYTES_MAX } from '../../src/domain/limits.ts';
import { makeClip, makePicture, makeSpeech } from './media.ts';
import { COARSE_MODEL, FINE_MODEL } from './packs.ts';
import {
  type Answer,
  addCustomer,
  type Customer,
  type FormFields,
  openService,
  type Service,
  shareService,
} from './service.ts';

let service: Service;
let customer: Customer;
before(async () => {
  service = await shareService();
  customer = await addCustomer(service, { plan: { image_credits: 2, audio_credits: 2 }, credits: 10 });
});
after(async () => await service[Symbol.asyncDispose]());

function validate(fields: FormFields, by = customer): Promise<Answer> {
  return by.post('/api/validate', fields);
}

test('"Success: status 200 with the Media validation result, valid true" for an image', async () => {
  const file = await makePicture({ width: 320, height: 240, format: 'jpeg' });
  const { status, body } = await validate({ type: 'image', file });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    { ...body, models: body.models.sort() },
    {
      ...{ valid: true, filesize: file.length, mimetype: 'image/jpeg', width: 320, height: 240 },
      models: [COARSE_MODEL.id, FINE_MODEL.id],
    },
  );
});

test('"width, height: pixels; null for audio"', async () => {
  const file = makeSpeech();
  const { status, body } = await validate({ type: 'audio', file });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, {
    ...{ valid: true, filesize: file.length, mimetype: 'audio/flac', width: null, height: null },
    models: ['tiny-speech'],
  });
});

test('success for a video; with_audio: "audio-track models"', async () => {
  const file = makeClip({ width: 320, height: 256 });
  const { status, body } = await validate({ type: 'video', file });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.mimetype, body.width, body.height], ['video/mp4', 320, 256]);
  assert.equal(body.models.includes('tiny-speech'), false);
  const both = await validate({ type: 'video', file, with_audio: 'true' });
  assert.ok(both.body.models.includes('tiny-speech'));
});

test('"mimetype: detected from file content"', async () => {
  const { body } = await validate({ type: 'image', file: await makePicture({ format: 'webp' }) });
  assert.equal(body.mimetype, 'image/webp');
});

test('an MP4 with picture and sound is valid as audio', async () => {
  const file = makeClip({ withSound: 'aac' as never });
  const { status, body } = await validate({ type: 'audio', file });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.mimetype, body.models], ['video/mp4', ['tiny-speech']]);
});

test('with_audio: "ignored unless the pricing plan enables it"', async () => {
  const silent = await addCustomer(service, { plan: { options: 'webhook' } });
  const { status, body } = await validate({ type: 'video', file: makeClip(), with_audio: 'true' }, silent);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.models.includes('tiny-speech'), false);
});

test('"Models are resolved as in the classification endpoints, from the pricing plan"', async () => {
  const coarse = await addCustomer(service, { plan: { models: COARSE_MODEL.id } });
  const file = await makePicture({ width: 150, height: 150 });
  const { status, body } = await validate({ type: 'image', file }, coarse);
  assert.deepEqual([status, body.models], [200, [COARSE_MODEL.id]]);
  const identifier = await coarse.submit('/api/classification', { image: file });
  const record = await coarse.ended('image', identifier);
  assert.deepEqual(
    record.results.map(({ model }: { model: string }) => model),
    [COARSE_MODEL.id],
  );
});

test('"The file is not stored, no classification starts, no credits are consumed"', async () => {
  const before = await customer.credits();
  assert.equal((await validate({ type: 'image', file: await makePicture() })).status, 200);
  assert.deepEqual(await customer.credits(), before);
  assert.deepEqual((await customer.get('/api/classifications')).body, []);
  assert.deepEqual([...service.open.app.store.read.openAnalyses()], []);
});

interface Failure {
  rule: string;
  fields: () => Promise<FormFields>;
  status: number;
  /** Keys of the body; `error.<field>` for a field. */
  shape: string[];
  says: RegExp;
}

const bytesAbove = (head: Buffer, maximum: number): Buffer =>
  Buffer.concat([head, Buffer.alloc(maximum + 1 - head.length)]);

async function cut(): Promise<Buffer> {
  const whole = await makePicture({ format: 'jpeg', width: 600, height: 600 });
  return whole.subarray(0, whole.length / 3);
}

const FAILURES: Failure[] = [
  {
    rule: '400: `type` missing',
    fields: async () => ({ file: await makePicture() }),
    ...{ status: 400, shape: ['error.type'], says: /image, video or audio/ },
  },
  {
    rule: '400: `type` unsupported',
    fields: async () => ({ type: 'text', file: await makePicture() }),
    ...{ status: 400, shape: ['error.type'], says: /image, video or audio/ },
  },
  {
    rule: '400: `file` missing',
    fields: async () => ({ type: 'image' }),
    ...{ status: 400, shape: ['error.file'], says: /required/ },
  },
  {
    rule: '400: a missing type and a missing file are reported together',
    fields: async () => ({}),
    ...{ status: 400, shape: ['error.type', 'error.file'], says: /required/ },
  },
  {
    rule: '400: file format not accepted for the given type (image)',
    fields: async () => ({ type: 'image', file: makeSpeech() }),
    ...{ status: 400, shape: ['error.file'], says: /not an image file/ },
  },
  {
    rule: '400: file format not accepted for the given type (not a video file)',
    fields: async () => ({ type: 'video', file: await makePicture() }),
    ...{ status: 400, shape: ['error.file'], says: /not a video file/ },
  },
  {
    rule: '413: image exceeds 15 MB; detail gives actual and maximum size in bytes',
    fields: async () => ({ type: 'image', file: bytesAbove(await makePicture(), IMAGE_BYTES_MAX) }),
    ...{ status: 413, shape: ['valid', 'detail'], says: /15728641.*15728640/ },
  },
  {
    rule: '413: audio exceeds 15 MB; detail gives actual and maximum size in bytes',
    fields: async () => ({ type: 'audio', file: bytesAbove(makeSpeech(), AUDIO_BYTES_MAX) }),
    ...{ status: 413, shape: ['valid', 'detail'], says: /15728641.*15728640/ },
  },
  {
    rule: '422: corrupted file',
    fields: async () => ({ type: 'image', file: await cut() }),
    ...{ status: 422, shape: ['valid', 'detail'], says: /ends early or is damaged/ },
  },
  {
    rule: '422: corrupted file (a video without its index)',
    fields: async () => ({ type: 'video', file: makeClip().subarray(0, 6000) }),
    ...{ status: 422, shape: ['valid', 'detail'], says: /video|damaged|read/ },
  },
  {
    rule: '422: corrupted file (a recording without its samples)',
    fields: async () => ({ type: 'audio', file: makeSpeech().subarray(0, 60) }),
    ...{ status: 422, shape: ['valid', 'detail'], says: /sound|damaged|read|samples/ },
  },
  {
    rule: "422: resolution below a selected model's minimum; detail names model, required and actual size",
    fields: async () => ({ type: 'image', file: await makePicture({ width: 400, height: 150 }) }),
    ...{ status: 422, shape: ['valid', 'detail'], says: /tiny-fine.*200.*150/ },
  },
  {
    rule: '422: file not an audio file (a picture)',
    fields: async () => ({ type: 'audio', file: await makePicture() }),
    ...{ status: 422, shape: ['valid', 'detail'], says: /not an audio file/ },
  },
  {
    rule: '422: file not an audio file (a video without sound)',
    fields: async () => ({ type: 'audio', file: makeClip() }),
    ...{ status: 422, shape: ['valid', 'detail'], says: /not an audio file/ },
  },
  {
    rule: '422 {message}: no models available for the selected options',
    fields: async () => ({ type: 'image', file: await makePicture(), with_tampering: 'true' }),
    ...{ status: 422, shape: ['message'], says: /with_tampering/ },
  },
];

for (const { rule, fields, status, shape, says } of FAILURES) {
  test(rule, async () => {
    const { status: found, body } = await validate(await fields());
    assert.equal(found, status, JSON.stringify(body));
    const names = Object.keys(body.error ?? {}).map((field) => `error.${field}`);
    assert.deepEqual('error' in body ? names : Object.keys(body), shape);
    if ('valid' in body) assert.equal(body.valid, false, '"always false"');
    assert.match(JSON.stringify(body), says);
  });
}

test('"type: video and audio need the same enablement as the matching classification endpoints"', async () => {
  const images = await addCustomer(service, { plan: { kinds: 'image' } });
  for (const [type, file] of [
    ['video', makeClip()],
    ['audio', makeSpeech()],
  ] as const) {
    const { status, body } = await validate({ type, file }, images);
    assert.deepEqual([status, Object.keys(body)], [403, ['error']]);
    const submitted = await images.post(`/api/classification_${type}`, { [type]: file });
    assert.deepEqual([submitted.status, submitted.body], [status, body]);
  }
});

test('422: video height below the platform minimum, which the operator may set to 720', async () => {
  const { status } = await validate({ type: 'video', file: makeClip({ width: 320, height: 208 }) });
  assert.equal(status, 200);
  await using strict = await openService({ ASSAY_LIMITS_VIDEO_HEIGHT_MIN: '720' });
  const other = await addCustomer(strict);
  const { status: refused, body } = await other.post('/api/validate', { type: 'video', file: makeClip() });
  assert.equal(refused, 422);
  assert.match(body.detail, /720/);
});
