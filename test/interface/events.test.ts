/** docs/interface.md, Events and the cache: what is sent to a webhook, and when nothing is; what costs, and what does not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openReceiver, type Receiver, SIGNATURE_HEADERS } from '../app/webhooks/webhook-receiver.ts';
import { assertFits } from './description.ts';
import { makeClip, makePicture, makeSpeech } from './media.ts';
import { addCustomer, type Service, shareService } from './service.ts';

/** Long enough for a call that would have been made at once. */
const QUIET_MS = 400;
let service: Service;
let receiver: Receiver;
before(async () => {
  service = await shareService();
  receiver = await openReceiver({ status: 204 });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

let hooks = 0;
const newHook = (): string => `${receiver.origin}/hook-${++hooks}`;
const callsTo = (url: string) => receiver.hooks.filter(({ path }) => url.endsWith(path));

const KINDS = [
  { kind: 'image', schema: 'ImageClassification', media: () => makePicture() },
  { kind: 'video', schema: 'VideoClassification', media: async () => makeClip() },
  { kind: 'audio', schema: 'AudioClassification', media: async () => makeSpeech() },
] as const;
for (const { kind, schema, media } of KINDS) {
  test(`webhook_url (${kind}): "the classification result is sent to that address", as the GET shows it`, async () => {
    const customer = await addCustomer(service);
    const webhook_url = newHook();
    const seen = receiver.hooks.length;
    const record = await customer.classify(kind, { [kind]: await media(), webhook_url });
    await receiver.waitFor(seen + 1);
    const [call] = callsTo(webhook_url);
    assert.ok(call !== undefined);
    const sent = JSON.parse(call.body);
    assertFits(schema, sent);
    assert.deepEqual(sent, record);
    for (const name of SIGNATURE_HEADERS) assert.ok(call.headers[name], name);
  });
}

test('webhook_url: "needs a specific enablement, otherwise ignored"', async () => {
  const customer = await addCustomer(service, { plan: { options: 'heatmap' } });
  const webhook_url = newHook();
  const record = await customer.classify('image', { image: await makePicture(), webhook_url });
  assert.equal(record.status, 'done');
  const unreadable = await customer.post('/api/classification', {
    image: await makePicture(),
    webhook_url: 'not an address',
  });
  assert.equal(unreadable.status, 200, 'ignored whatever it says');
  await delay(QUIET_MS);
  assert.deepEqual(callsTo(webhook_url), []);
});

test('webhook_url: one that must not be called is 400 on the field', async () => {
  const customer = await addCustomer(service);
  for (const webhook_url of [
    'nonsense',
    'ftp://example.org/',
    'http://169.254.169.254/',
    'http://10.1.1.1/',
  ]) {
    const { status, body } = await customer.post('/api/classification', {
      image: await makePicture(),
      webhook_url,
    });
    assert.deepEqual([status, Object.keys(body.error)], [400, ['webhook_url']], webhook_url);
  }
});

test('"The webhook is not called when the result is served from cache"', async () => {
  const customer = await addCustomer(service);
  const image = await makePicture();
  await customer.classify('image', { image });
  const webhook_url = newHook();
  const identifier = await customer.submit('/api/classification', { image, webhook_url });
  const { body } = await customer.get(`/api/classification/${identifier}`);
  assert.equal(body.status, 'done', '"available by polling"');
  await delay(QUIET_MS);
  assert.deepEqual(callsTo(webhook_url), []);
});

test('cache: the same file with the same options is a new record, done at once, at no charge', async () => {
  const customer = await addCustomer(service, { plan: { image_credits: 2 }, credits: 20 });
  const image = await makePicture();
  const first = await customer.classify('image', { image, ref_id: 'a' });
  const identifier = await customer.submit('/api/classification', { image, ref_id: 'b' });
  assert.notEqual(identifier, first.identifier);
  const { body: second } = await customer.get(`/api/classification/${identifier}`);
  assert.deepEqual([second.status, second.ref_id], ['done', 'b']);
  assert.deepEqual(second.results, first.results);
  assert.equal((await customer.credits()).total_spent, 2);
});

test('cache: other options are other work', async () => {
  const customer = await addCustomer(service, { plan: { image_credits: 2 }, credits: 20 });
  const image = await makePicture();
  await customer.classify('image', { image });
  await customer.classify('image', { image, with_heatmap: 'true' });
  assert.equal((await customer.credits()).total_spent, 4);
});

test('no_cache: "true forces reprocessing; may cause additional charges"', async () => {
  const customer = await addCustomer(service, { plan: { image_credits: 2 }, credits: 20 });
  const image = await makePicture();
  await customer.classify('image', { image });
  const webhook_url = newHook();
  await customer.classify('image', { image, no_cache: 'true', webhook_url });
  assert.equal((await customer.credits()).total_spent, 4);
  await receiver.waitFor(receiver.hooks.length);
});

test('two equal submissions at the same time share one analysis and one charge', async () => {
  const customer = await addCustomer(service, { plan: { image_credits: 2 }, credits: 20 });
  const image = await makePicture();
  const both = await Promise.all([1, 2].map(() => customer.submit('/api/classification', { image })));
  assert.equal(new Set(both).size, 2);
  for (const identifier of both) await customer.ended('image', identifier);
  assert.equal((await customer.credits()).total_spent, 2);
});

test('the cache of one account says nothing to another: its record begins as new and is charged', async () => {
  const [first, second] = [
    await addCustomer(service),
    await addCustomer(service, { plan: { image_credits: 2 }, credits: 20 }),
  ];
  const image = await makePicture();
  await first.classify('image', { image });
  const identifier = await second.submit('/api/classification', { image });
  await second.ended('image', identifier);
  assert.equal((await second.credits()).total_spent, 2);
});

test('Idempotency-Key: the same key and content give the same identifier; another content 422', async () => {
  const customer = await addCustomer(service);
  const image = await makePicture();
  const key = { 'idempotency-key': 'order-1' };
  const json = 'application/json';
  const first = await customer.post('/api/classification', { image }, json, key);
  const again = await customer.post('/api/classification', { image }, json, key);
  assert.equal(again.body.identifier, first.body.identifier);
  const other = await customer.post('/api/classification', { image: await makePicture() }, json, key);
  assert.deepEqual([other.status, Object.keys(other.body)], [422, ['message']]);
});
