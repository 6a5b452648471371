/** docs/interface.md, Get one classification, Get several, Get an image heatmap: paths, aliases, bounds, absences. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { makeClip, makePicture, makeSpeech } from './media.ts';
import { addCustomer, type Customer, type Service, shareService } from './service.ts';

const UNKNOWN = '0'.repeat(64);
const IMAGES = 5;
let service: Service;
let customer: Customer;
let other: Customer;
let images: string[];
let video: string;
let audio: string;
let mapped: string;

before(async () => {
  service = await shareService();
  customer = await addCustomer(service);
  other = await addCustomer(service);
  images = [];
  for (let made = 0; made < IMAGES; made += 1)
    images.push((await customer.classify('image', { image: await makePicture() })).identifier);
  video = (await customer.classify('video', { video: makeClip(), frames: '5' })).identifier;
  audio = (await customer.classify('audio', { audio: makeSpeech() })).identifier;
  mapped = (await customer.classify('image', { image: await makePicture(), with_heatmap: 'true' }))
    .identifier;
});
after(async () => await service[Symbol.asyncDispose]());

const ONE: [path: string, kind: string][] = [
  ['/api/classification', 'image'],
  ['/api/classification_image', 'image'],
  ['/api/classification_video', 'video'],
  ['/api/classification_audio', 'audio'],
];
const identifierOf = (kind: string): string => ({ video, audio })[kind] ?? images[0] ?? '';

for (const [path, kind] of ONE) {
  test(`GET ${path}/{identifier}: the ${kind} record`, async () => {
    const { status, body } = await customer.get(`${path}/${identifierOf(kind)}`);
    assert.equal(status, 200);
    assert.equal(body.identifier, identifierOf(kind));
  });

  test(`GET ${path}/{identifier}: unknown, foreign and of another kind are one and the same 404`, async () => {
    const own = `${path}/${identifierOf(kind)}`;
    const wrong = `${path}/${identifierOf(kind === 'audio' ? 'video' : 'audio')}`;
    const answers = [
      await customer.get(`${path}/${UNKNOWN}`),
      await customer.get(`${path}/not-an-identifier`),
      await other.get(own),
      await customer.get(wrong),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 404);
      assert.deepEqual(body, answers[0]?.body);
      assert.deepEqual(Object.keys(body), ['error']);
    }
  });
}

const MANY: [path: string, kind: string][] = [
  ['/api/classifications', 'image'],
  ['/api/classifications_image', 'image'],
  ['/api/classifications_video', 'video'],
  ['/api/classifications_audio', 'audio'],
];
const idsOf = (body: { identifier: string }[]): string[] => body.map(({ identifier }) => identifier);
const repeated = (name: string, identifiers: string[]): string =>
  identifiers.map((identifier) => `${encodeURIComponent(name)}=${identifier}`).join('&');

for (const [path, kind] of MANY) {
  test(`GET ${path}: "all classifications of the user", newest first, only of its kind`, async () => {
    const expected = kind === 'image' ? [mapped, ...images.toReversed()] : [identifierOf(kind)];
    assert.deepEqual(idsOf((await customer.get(path)).body), expected);
    assert.deepEqual((await other.get(path)).body, [], 'no one else sees them');
  });

  test(`GET ${path}: "bounded by 100"`, async () => {
    const hundred = Array.from({ length: 100 }, () => UNKNOWN);
    assert.deepEqual((await customer.get(`${path}?${repeated('identifiers[]', hundred)}`)).body, []);
    const tooMany = `${path}?${repeated('identifiers[]', [...hundred, UNKNOWN])}`;
    const { status, body } = await customer.get(tooMany);
    assert.deepEqual([status, Object.keys(body)], [422, ['message']]);
  });
}

test('"a query parameter carries a list of identifiers": every way to write it', async () => {
  const [first = '', second = ''] = images;
  const ways = [
    repeated('identifiers[]', [first, second]),
    repeated('identifiers', [first, second]),
    `identifiers=${first},${second}`,
    `identifiers=${encodeURIComponent(JSON.stringify([first, second]))}`,
  ];
  for (const query of ways) {
    const { body } = await customer.get(`/api/classifications?${query}`);
    assert.deepEqual(idsOf(body), [first, second], query);
  }
});

test('lists leave out unknown, foreign and other kinds', async () => {
  const [first = ''] = images;
  const query = repeated('identifiers[]', [UNKNOWN, first, video, 'nonsense']);
  assert.deepEqual(idsOf((await customer.get(`/api/classifications?${query}`)).body), [first]);
  assert.deepEqual((await other.get(`/api/classifications?${query}`)).body, []);
});

test('limit and cursor page without gaps or repeats, with Link rel="next"', async () => {
  const seen: string[] = [];
  let next: string | undefined = '/api/classifications?limit=2';
  while (next !== undefined) {
    const { headers, body } = await customer.get(next);
    assert.ok(body.length <= 2);
    seen.push(...idsOf(body));
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(seen, [mapped, ...images.toReversed()]);
});

for (const [query, field] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=many', 'limit'],
  ['cursor=nonsense', 'cursor'],
]) {
  test(`GET /api/classifications?${query}: 400 on ${field}`, async () => {
    const { status, body } = await customer.get(`/api/classifications?${query}`);
    assert.deepEqual([status, Object.keys(body.error)], [400, [field]]);
  });
}

for (const path of ['/api/classification/heatmap', '/api/classification_image/heatmap']) {
  test(`GET ${path}/{identifier}: "returns the heatmap PNG, available when has_heatmap is true"`, async () => {
    const { body: record } = await customer.get(`/api/classification/${mapped}`);
    assert.equal(record.has_heatmap, true);
    const { status, headers, body } = await customer.get(`${path}/${mapped}`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/png']);
    assert.equal((await sharp(body).metadata()).format, 'png');
    const again = await customer.call('GET', `${path}/${mapped}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
  });

  test(`GET ${path}/{identifier}: "{error: string} when the image has no associated heatmap"`, async () => {
    const { status, body } = await customer.get(`${path}/${images[0]}`);
    assert.equal(status, 404);
    assert.deepEqual(Object.keys(body), ['error']);
    assert.equal(typeof body.error, 'string');
  });

  test(`GET ${path}/{identifier}: a foreign one is 404`, async () => {
    assert.equal((await other.get(`${path}/${mapped}`)).status, 404);
  });
}
