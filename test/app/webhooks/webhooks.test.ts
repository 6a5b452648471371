/** Webhooks from a whole appliance to a real receiver. */
import { deepEqual, equal, match, notEqual, ok, rejects, throws } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webhookSecretOf } from '../../../src/app/accounts/keys.ts';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import type { App } from '../../../src/app/appliance/app.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { hashSecret } from '../../../src/app/callers/tokens.ts';
import { deleteClassification } from '../../../src/app/records/classifications.ts';
import { listDeliveries, replayDelivery } from '../../../src/app/webhooks/deliveries.ts';
import { postWebhook } from '../../../src/app/webhooks/post.ts';
import type { WebhookDelivery } from '../../../src/domain/answers/webhook.ts';
import { Store } from '../../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { distinctPicture, KEY_HEADERS, until } from '../../faults/rounds/submissions.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { principalOf } from '../open-app.ts';
import { type OpenBox, openBox } from '../open-box.ts';
import { openReceiver, verifyHook } from './webhook-receiver.ts';

const LOOPBACK = '127.0.0.0/8';
let box: OpenBox;
let app: App;
let seed = 0;

before(async () => {
  const env = { ASSAY_WEBHOOK_ALLOW_NETWORKS: LOOPBACK, ASSAY_FETCH_ALLOW_NETWORKS: LOOPBACK };
  box = await openBox({ models: 'tiny', env });
  ({ app } = box.open);
});

after(async () => {
  await box?.[Symbol.asyncDispose]();
});

const principal = (): Principal => principalOf(app, 1);

type Answer = { status: number; text: string };

async function submit(http: string, bytes: Buffer, fields: Record<string, string>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  const init = { method: 'POST', headers: KEY_HEADERS, body: form };
  const response = await fetch(`${http}/api/classification`, init);
  return { status: response.status, text: await response.text() };
}

async function submitFresh(url: string, fields: Record<string, string> = {}): Promise<string> {
  seed += 1;
  const bytes = await distinctPicture(seed);
  const { status, text } = await submit(box.http, bytes, { ...fields, webhook_url: url });
  equal(status, 200, text);
  return text;
}

async function readJson(identifier: string): Promise<unknown> {
  const path = `${box.http}/api/classification/${identifier}`;
  return await (await fetch(path, { headers: KEY_HEADERS })).json();
}

function deliveryOf(identifier: string): WebhookDelivery | undefined {
  const { deliveries } = listDeliveries(app, { principal: principal(), limit: 100 });
  return deliveries.find((delivery) => delivery.identifier === identifier);
}

async function settledDelivery(identifier: string): Promise<WebhookDelivery> {
  await until(() => deliveryOf(identifier)?.nextAttemptAt === null, 'an end');
  const delivery = deliveryOf(identifier);
  ok(delivery !== undefined);
  return delivery;
}

test('the record is sent as REST answers it, signed by Standard Webhooks', async () => {
  await using receiver = await openReceiver();
  const identifier = await submitFresh(`${receiver.origin}/hooks/desk?room=7`, { ref_id: 'desk-7' });
  await receiver.waitFor(1);
  const [hook] = receiver.hooks;
  ok(hook !== undefined);
  equal(hook.path, '/hooks/desk?room=7');
  match(String(hook.headers['content-type']), /^application\/json/);
  match(String(hook.headers['user-agent']), /^Assay\//);
  const secret = await webhookSecretOf(app, { principal: principal() });
  match(secret, /^whsec_/);
  const sent = verifyHook(secret, hook);
  deepEqual(sent, await readJson(identifier));
  throws(() => verifyHook(secret, { ...hook, body: hook.body.replace('desk-7', 'desk-8') }));
  const { state, attempts, id } = await settledDelivery(identifier);
  equal(state, 'delivered');
  equal(id, hook.headers['webhook-id']);
  deepEqual(
    attempts.map(({ status, error }) => [status, error]),
    [[200, '']],
  );
});

test('an errored record is sent as well', async () => {
  await using receiver = await openReceiver();
  const form = new FormData();
  form.set('file_url', `${receiver.origin}/missing.jpg`);
  form.set('webhook_url', `${receiver.origin}/hook`);
  receiver.answers[0] = { status: 404 };
  const response = await fetch(`${box.http}/api/image_fromurl`, {
    method: 'POST',
    headers: KEY_HEADERS,
    body: form,
  });
  equal(response.status, 200);
  const identifier = await response.text();
  await receiver.waitFor(2);
  const hook = receiver.hooks.find(({ path }) => path === '/hook');
  const { status, errors } = JSON.parse(hook?.body ?? '{}');
  deepEqual([status, errors], ['errored', 'the address answered with status 404']);
  equal(JSON.parse(hook?.body ?? '{}').identifier, identifier);
});

test('the cache answers without a webhook', async () => {
  await using receiver = await openReceiver();
  seed += 1;
  const bytes = await distinctPicture(seed);
  const webhook_url = `${receiver.origin}/hook`;
  const first = await submit(box.http, bytes, { webhook_url });
  await settledDelivery(first.text);
  const again = await submit(box.http, bytes, { webhook_url });
  notEqual(again.text, first.text);
  equal(((await readJson(again.text)) as { status: string }).status, 'done');
  equal(deliveryOf(again.text), undefined);
  equal(receiver.hooks.length, 1);
});

test('two submissions of one file at once share the work, and both webhooks are sent', async () => {
  await using receiver = await openReceiver();
  seed += 1;
  const bytes = await distinctPicture(seed);
  const answers = await Promise.all(
    ['/a', '/b'].map((path) => submit(box.http, bytes, { webhook_url: `${receiver.origin}${path}` })),
  );
  const analysed = answers.filter(({ text }) => app.store.read.records.get(text)?.origin !== 'cached');
  await receiver.waitFor(analysed.length);
  const ids = receiver.hooks.map(({ headers }) => headers['webhook-id']);
  equal(new Set(ids).size, analysed.length);
});

test('a refused message comes again under the same id, later than Retry-After asks', async () => {
  await using receiver = await openReceiver(
    { status: 503, headers: { 'retry-after': '6' } },
    { status: 200 },
  );
  const identifier = await submitFresh(`${receiver.origin}/hook`);
  await receiver.waitFor(2);
  const [first, second] = receiver.hooks;
  ok(first !== undefined && second !== undefined);
  equal(first.headers['webhook-id'], second.headers['webhook-id']);
  ok(second.at - first.at >= 5900, `${second.at - first.at} ms`);
  const secret = await webhookSecretOf(app, { principal: principal() });
  verifyHook(secret, second);
  const { state, attempts } = await settledDelivery(identifier);
  deepEqual([state, attempts.map(({ status }) => status)], ['delivered', [503, 200]]);
});

test('a receiver that never answers keeps no other one waiting', async () => {
  await using silent = await openReceiver({ status: 200, isSilent: true });
  await using other = await openReceiver({ status: 200 });
  const unanswered = await submitFresh(`${silent.origin}/hook`);
  await silent.waitFor(1);
  const answered = await submitFresh(`${other.origin}/hook`);
  await other.waitFor(1);
  equal((await settledDelivery(answered)).state, 'delivered');
  equal(deliveryOf(unanswered)?.attempts.length, 0, 'its first attempt is still under way');
});

test('an attempt at a receiver that never answers ends after its time, in words', async () => {
  await using silent = await openReceiver({ status: 200, isSilent: true });
  const started = performance.now();
  const input = {
    rule: { field: 'webhook_url', allowNetworks: [LOOPBACK] },
    url: `${silent.origin}/hook`,
    secret: await webhookSecretOf(app, { principal: principal() }),
    message: { id: 'msg_1', timestamp: 1, body: '{}' },
    timeoutMs: 300,
  } as const;
  const { status, error } = await postWebhook(input, new AbortController().signal);
  ok(performance.now() - started < 10_000);
  deepEqual([status, error], [null, 'no answer within 0.3 seconds']);
});

test('410 turns the receiver off until a delivery is replayed', async () => {
  await using receiver = await openReceiver({ status: 410 }, { status: 200 });
  const url = `${receiver.origin}/hook`;
  const first = await submitFresh(url);
  equal((await settledDelivery(first)).state, 'gone');
  const second = await submitFresh(url);
  const kept = await settledDelivery(second);
  equal(kept.state, 'gone');
  match(kept.attempts.at(-1)?.error ?? '', /410 earlier/);
  equal(receiver.hooks.length, 1, 'nothing more was sent');
  await replayDelivery(app, { principal: principal(), id: kept.id });
  await receiver.waitFor(2);
  equal(receiver.hooks[1]?.headers['webhook-id'], kept.id);
  equal((await settledDelivery(second)).state, 'delivered');
  const third = await submitFresh(url);
  equal((await settledDelivery(third)).state, 'delivered', 'the receiver is back');
});

test('a delivered message can be replayed, by its account only', async () => {
  await using receiver = await openReceiver();
  const identifier = await submitFresh(`${receiver.origin}/hook`);
  const { id } = await settledDelivery(identifier);
  const foreign = { ...principal(), account: { ...principal().account, id: 2 } };
  await rejects(replayDelivery(app, { principal: foreign, id }), { reason: 'delivery' });
  deepEqual(listDeliveries(app, { principal: foreign, limit: 10 }).deliveries, []);
  const readonly = { ...principal(), account: { ...principal().account, readonly: true } };
  await rejects(replayDelivery(app, { principal: readonly, id }), { reason: 'read_only' });
  await replayDelivery(app, { principal: principal(), id });
  await receiver.waitFor(2);
  equal((await settledDelivery(identifier)).attempts.length, 2);
  equal(app.store.read.audit({ limit: 1 })[0]?.action, 'webhook.replay');
});

test('nothing is sent of a record that was deleted, or once the plan has no webhooks', async () => {
  await using receiver = await openReceiver();
  const identifier = await submitFresh(`${receiver.origin}/hook`);
  const { id } = await settledDelivery(identifier);
  const { plan } = principal();
  const replayed = async () => {
    await replayDelivery(app, { principal: principal(), id });
    const { state, attempts } = await settledDelivery(identifier);
    return [state, attempts.at(-1)?.error];
  };
  const allow = (options: readonly string[]) =>
    updatePlan(app, { principal: principal(), id: plan.id, fields: { options: options.join(',') } });
  await allow(plan.options.filter((option) => option !== 'webhook'));
  deepEqual(await replayed(), ['failed', 'the pricing plan no longer has webhooks']);
  await allow(plan.options);
  await deleteClassification(app, { principal: principal(), identifier });
  deepEqual(await replayed(), ['failed', 'the record was deleted']);
  equal(receiver.hooks.length, 1, 'only the first was sent');
});

test('a redirect is not followed', async () => {
  await using target = await openReceiver();
  await using receiver = await openReceiver({ status: 307, headers: { location: `${target.origin}/hook` } });
  const identifier = await submitFresh(`${receiver.origin}/hook`);
  await receiver.waitFor(1);
  await until(() => deliveryOf(identifier)?.attempts.length === 1, 'the log');
  match(deliveryOf(identifier)?.attempts[0]?.error ?? '', /status 307; redirects are not followed/);
  equal(target.hooks.length, 0);
});

test('the log is read page by page', async () => {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = listDeliveries(app, { principal: principal(), limit: 3, cursor });
    pages.push(page.deliveries.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const all = listDeliveries(app, { principal: principal(), limit: 100 }).deliveries.map(({ id }) => id);
  deepEqual(pages.flat(), all);
  ok(pages.length > 1);
  throws(() => listDeliveries(app, { principal: principal(), limit: 3, cursor: 'x' }), {
    reason: 'bad_field',
  });
  throws(() => listDeliveries(app, { principal: principal(), limit: 0 }), { reason: 'bad_field' });
});

const REFUSED_URLS = [
  'http://10.0.0.1/hook',
  'http://169.254.169.254/',
  'ftp://127.0.0.1/',
  'hook',
  'http://[::1]/',
];

test('an address that may not be delivered to is refused with the submission', async () => {
  const bytes = await distinctPicture(0);
  for (const webhook_url of REFUSED_URLS) {
    const { status, text } = await submit(box.http, bytes, { webhook_url });
    equal(status, 400, webhook_url);
    deepEqual(Object.keys(JSON.parse(text).error), ['webhook_url'], text);
  }
});

test('without the enablement the address is ignored, good or bad', async () => {
  const { plan } = principal();
  const options = plan.options.filter((option) => option !== 'webhook');
  await app.store.transact((tx) => tx.accounts.putPlan({ ...plan, options }));
  try {
    for (const url of REFUSED_URLS) {
      const identifier = await submitFresh(url);
      equal(app.store.read.records.get(identifier)?.webhookUrl, null);
    }
  } finally {
    await app.store.transact((tx) => tx.accounts.putPlan(plan));
  }
});

test('a kill in the middle of an attempt sends it again, under the same id', async () => {
  await using killed = await makeTemporaryFolder();
  await using receiver = await openReceiver({ status: 200, isSilent: true }, { status: 200 });
  const env = { ASSAY_WEBHOOK_ALLOW_NETWORKS: LOOPBACK };
  await using first = await TestDaemon.start({ models: 'tiny', folder: killed.path, env });
  const bytes = await distinctPicture(99);
  const { text } = await submit(first.http, bytes, { webhook_url: `${receiver.origin}/hook` });
  await receiver.waitFor(1);
  await first.kill('SIGKILL');
  const second = await TestDaemon.start({ models: 'tiny', folder: killed.path, env, awaitReady: false });
  await receiver.waitFor(2);
  equal(await second.kill('SIGTERM'), 0);
  const ids = receiver.hooks.map(({ headers }) => headers['webhook-id']);
  equal(ids[0], ids[1]);
  equal(ids.length, 2);
  await using store = await Store.open({ folder: killed.path });
  const [delivery] = store.read.deliveries(1, { limit: 10 });
  deepEqual([delivery?.state, delivery?.identifier], ['delivered', text]);
  ok(store.read.accounts.apiKey(hashSecret(TEST_KEY)) !== undefined);
});
