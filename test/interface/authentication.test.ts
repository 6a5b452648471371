/** docs/interface.md, Authentication and Errors: 401, 403 and 429 on every endpoint, in the documented shapes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makePicture, makeSpeech } from './media.ts';
import {
  addCustomer,
  type Customer,
  openService,
  type Service,
  shareService,
  strangerAt,
} from './service.ts';

const ID = '0'.repeat(64);
/** Every documented endpoint, aliases included. */
const ENDPOINTS: [method: 'GET' | 'POST' | 'DELETE', path: string][] = [
  ['POST', '/api/validate'],
  ['POST', '/api/classification'],
  ['POST', '/api/classification_image'],
  ['POST', '/api/image_fromurl'],
  ['POST', '/api/classification_audio'],
  ['POST', '/api/audio_fromurl'],
  ['POST', '/api/classification_video'],
  ['POST', '/api/video_fromurl'],
  ['GET', `/api/classification/${ID}`],
  ['GET', `/api/classification_image/${ID}`],
  ['GET', `/api/classification_video/${ID}`],
  ['GET', `/api/classification_audio/${ID}`],
  ['GET', '/api/classifications'],
  ['GET', '/api/classifications_image'],
  ['GET', '/api/classifications_video'],
  ['GET', '/api/classifications_audio'],
  ['GET', `/api/classification/heatmap/${ID}`],
  ['GET', `/api/classification_image/heatmap/${ID}`],
  ['POST', `/api/classification/${ID}/override`],
  ['POST', `/api/classification_image/${ID}/override`],
  ['POST', `/api/classification_video/${ID}/override`],
  ['POST', `/api/classification_audio/${ID}/override`],
  ['GET', '/api/user/credits'],
  ['POST', '/api/partner/send_creation_email'],
  ['GET', '/api/partner/users'],
  ['POST', '/api/user'],
  ['DELETE', '/api/user'],
];

let service: Service;
before(async () => {
  service = await shareService();
});
after(async () => await service[Symbol.asyncDispose]());

function call(customer: Customer, [method, path]: (typeof ENDPOINTS)[number]) {
  if (method === 'GET') return customer.get(path);
  if (method === 'DELETE') return customer.call('DELETE', path);
  return path.endsWith('/override') ? customer.postJson(path, {}) : customer.post(path, {});
}

for (const endpoint of ENDPOINTS) {
  test(`${endpoint.join(' ')}: "a missing or invalid key gives status 401" {error: string}`, async () => {
    for (const key of ['', 'assay_wrong', `assay_${'0'.repeat(64)}`]) {
      const { status, body } = await call(strangerAt(service, key), endpoint);
      assert.equal(status, 401);
      assert.deepEqual([Object.keys(body), typeof body.error], [['error'], 'string']);
    }
  });
}

test('403 {error}: "did not accept the terms of service", on every endpoint, GET too', async () => {
  await using strict = await openService({ ASSAY_TERMS_REQUIRED: 'true' });
  const customer = await addCustomer(strict);
  for (const endpoint of ENDPOINTS) {
    const { status, body } = await call(customer, endpoint);
    assert.deepEqual([status, Object.keys(body)], [403, ['error']], endpoint.join(' '));
    assert.match(body.error, /terms/);
  }
});

test('403 {error}: "not enabled for the requested media kind", by upload and from an address', async () => {
  const images = await addCustomer(service, { plan: { kinds: 'image' } });
  const sound = makeSpeech();
  const answers = [
    await images.post('/api/classification_audio', { audio: sound }),
    await images.post('/api/classification_video', { video: sound }),
    await images.post('/api/audio_fromurl', { file_url: 'https://example.org/a.mp3' }),
    await images.post('/api/video_fromurl', { file_url: 'https://example.org/a.mp4' }),
  ];
  for (const { status, body } of answers) assert.deepEqual([status, Object.keys(body)], [403, ['error']]);
});

test('403 {error}: not enabled for the kind, "GET endpoints also return it"', async () => {
  const sounds = await addCustomer(service, { plan: { kinds: 'audio' } });
  for (const [method, path] of ENDPOINTS) {
    if (method !== 'GET' || !path.includes('classification')) continue;
    const { status, body } = await sounds.get(path);
    const isEnabled = path.includes('_audio');
    if (isEnabled) assert.notEqual(status, 403, path);
    else assert.deepEqual([status, Object.keys(body)], [403, ['error']], path);
  }
});

test('403 {error}: a read-only user "can only view classification results"', async () => {
  const viewer = await addCustomer(service, { user: { readonly: 'true' } });
  assert.equal((await viewer.get('/api/classifications')).status, 200);
  assert.equal((await viewer.get('/api/user/credits')).status, 200);
  const submitted = await viewer.post('/api/classification', { image: await makePicture() });
  assert.deepEqual([submitted.status, Object.keys(submitted.body)], [403, ['error']]);
  const overridden = await viewer.postJson(`/api/classification/${ID}/override`, { classification: 'human' });
  assert.deepEqual([overridden.status, Object.keys(overridden.body)], [403, ['error']]);
});

test('429 {message}: "too many requests", with Retry-After and RateLimit headers', async () => {
  const hasty = await addCustomer(service, { plan: { rate_limit_per_minute: 3 } });
  for (let left = 2; left >= 0; left -= 1) {
    const { status, headers } = await hasty.get('/api/user/credits');
    assert.equal(status, 200);
    assert.match(headers.get('ratelimit') ?? '', new RegExp(`r=${left};t=\\d+`));
    assert.match(headers.get('ratelimit-policy') ?? '', /q=3;w=60/);
  }
  for (const endpoint of ENDPOINTS) {
    const { status, headers, body } = await call(hasty, endpoint);
    assert.deepEqual([status, Object.keys(body)], [429, ['message']], endpoint.join(' '));
    assert.ok(Number(headers.get('retry-after')) >= 1);
  }
});

test('nothing at another path: 404 {error}, and the documented methods only', async () => {
  const response = await fetch(`${service.url}/api/nothing`);
  assert.equal(response.status, 404);
  assert.equal(typeof ((await response.json()) as { error: string }).error, 'string');
});
