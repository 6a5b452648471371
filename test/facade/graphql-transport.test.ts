import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { addRecord, type GraphqlFixture, IDENTIFIER, openGraphqlFixture } from './graphql-fixture.ts';

const SUBSCRIPTION = `subscription { classification(identifier: "${IDENTIFIER}") { status progress { step } } }`;

function post(
  { url, key }: GraphqlFixture,
  query: string,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    body: JSON.stringify({ query }),
    ...init,
  });
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 100 && !(await condition()); round++) await delay(20);
  assert.ok(await condition());
}

async function watchersOf({ app }: GraphqlFixture): Promise<number> {
  return (await app.metrics.watchers.get()).values[0]?.value ?? 0;
}

test('answers the viewer, a record and a page', async () => {
  await using fixture = await openGraphqlFixture();
  await addRecord(fixture);
  const query = `{ viewer { email role plan { name kinds { kind fileBytesMax } } credits { availableCredits } }
    classification(identifier: "${IDENTIFIER}") { __typename status filesize mimetype sizeBytes mime createdAt options { frames } }
    classifications(first: 1, kind: IMAGE) { edges { cursor node { identifier } } pageInfo { hasNextPage endCursor } } }`;
  const response = await post(fixture, query);
  assert.equal(response.status, 200);
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  assert.equal(data.viewer.role, 'ADMIN');
  assert.equal(data.classification.__typename, 'ImageClassification');
  const { filesize, mimetype, sizeBytes, mime } = data.classification;
  assert.deepEqual([filesize, mimetype], [6_000_000_000, 'image/png']);
  assert.deepEqual([sizeBytes, mime], [filesize, mimetype], 'the names of before');
  assert.match(data.classification.createdAt, /^2026-01-01T00:00:00\.\d{6}Z$/);
  const { edges, pageInfo } = data.classifications;
  assert.equal(edges[0].node.identifier, IDENTIFIER);
  assert.equal(pageInfo.endCursor, edges[0].cursor);
  const next = await post(fixture, `{ classifications(after: "${edges[0].cursor}") { edges { cursor } } }`);
  assert.deepEqual((await next.json()).data.classifications.edges, []);
});

test('refuses a wrong key, a forged post and a mutation by GET', async () => {
  await using fixture = await openGraphqlFixture();
  const wrong = await post(fixture, '{ viewer { id } }', { 'x-api-key': 'wrong' });
  assert.equal(wrong.status, 401);
  const { errors } = await wrong.json();
  assert.deepEqual(errors[0].extensions, { code: 'UNAUTHENTICATED', reason: 'key' });
  const forged = await fetch(fixture.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  });
  assert.equal(forged.status, 400);
  const mutation = encodeURIComponent(
    'mutation { removeOverride(input: { kind: IMAGE, hash: "x" }) { userErrors { code } } }',
  );
  const byGet = await fetch(`${fixture.url}?query=${mutation}`, { headers: { 'x-api-key': fixture.key } });
  assert.equal(byGet.status, 405);
  const page = await fetch(fixture.url, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /GraphiQL|graphiql/);
});

test('a mistake of the caller is data, a missing record an error', async () => {
  await using fixture = await openGraphqlFixture();
  const response = await post(
    fixture,
    'mutation { submitMedia(input: {}) { classification { name } userErrors { code reason field message } } }',
  );
  const { data } = await response.json();
  assert.equal(data.submitMedia.classification, null);
  assert.equal(data.submitMedia.userErrors[0].code, 'INVALID_ARGUMENT');
  assert.equal(data.submitMedia.userErrors[0].field, 'file');
  const missing = await (
    await post(fixture, `{ classification(identifier: "${IDENTIFIER}") { name } }`)
  ).json();
  assert.equal(missing.errors[0].extensions.code, 'NOT_FOUND');
  assert.equal(missing.data.classification, null);
});

test('the sentence of a mistake names the field as the schema does', async () => {
  await using fixture = await openGraphqlFixture();
  const page = await post(fixture, '{ classifications(after: "nonsense") { edges { cursor } } }');
  const { errors } = await page.json();
  assert.equal(errors[0].message, 'after: expected a cursor from an earlier page');
  assert.equal(errors[0].extensions.fields[0].field, 'after');
  const submitted = await post(
    fixture,
    'mutation { submitMedia(input: { kind: IMAGE, fileUrl: "file:///etc/passwd" }) { userErrors { field message } } }',
  );
  const [mistake] = (await submitted.json()).data.submitMedia.userErrors;
  assert.equal(mistake.field, 'fileUrl');
  assert.match(mistake.message, /^fileUrl: /);
});

test('hides the schema without a key if introspection is closed', async () => {
  await using fixture = await openGraphqlFixture(false);
  const query = '{ __schema { queryType { name } } }';
  const open = await (await post(fixture, query)).json();
  assert.equal(open.data.__schema.queryType.name, 'Query');
  const closed = await (await post(fixture, query, { 'x-api-key': 'wrong' })).json();
  assert.match(closed.errors[0].message, /introspection/);
  const typo = await (await post(fixture, '{ viewe { id } }', { 'x-api-key': 'wrong' })).json();
  assert.doesNotMatch(typo.errors[0].message, /Did you mean/);
});

test('SSE gives the present state, then changes; leaving ends the watch', async () => {
  await using fixture = await openGraphqlFixture();
  await addRecord(fixture);
  const departure = new AbortController();
  const accept = { accept: 'text/event-stream' };
  const query = SUBSCRIPTION.replace('status', 'status refId');
  const response = await post(fixture, query, accept, { signal: departure.signal });
  assert.match(response.headers.get('content-type') ?? '', /text\/event-stream/);
  const reader = response.body?.getReader();
  let text = '';
  const readUntil = async (pattern: RegExp) => {
    while (!pattern.test(text)) text += new TextDecoder().decode((await reader?.read())?.value);
  };
  await readUntil(/"status":"NEW"/);
  const record = fixture.app.store.read.records.get(IDENTIFIER);
  assert.ok(record !== undefined);
  await fixture.app.store.transact((tx) => tx.putClassification({ ...record, refId: 'changed' }));
  fixture.app.feed.publish(IDENTIFIER, [1]);
  await readUntil(/"refId":"changed"/);
  assert.equal(await watchersOf(fixture), 1);
  departure.abort();
  await waitFor(async () => (await watchersOf(fixture)) === 0);
});

test('graphql-ws: subscribes with the key of connection_init, closes 4401 without one', async () => {
  await using fixture = await openGraphqlFixture();
  await addRecord(fixture);
  const client = createClient({
    url: fixture.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': fixture.key },
    retryAttempts: 0,
  });
  const values = client.iterate({ query: SUBSCRIPTION });
  const first = await values.next();
  assert.deepEqual(first.value?.data, { classification: { status: 'NEW', progress: { step: 'patches' } } });
  await values.return?.();
  await waitFor(async () => (await watchersOf(fixture)) === 0);
  const failing = client.iterate({ query: '{ classification(identifier: "none") { name } }' });
  const failed = await failing.next();
  assert.deepEqual(failed.value?.errors?.[0]?.extensions, { code: 'NOT_FOUND', reason: 'classification' });
  await client.dispose();
  assert.equal(await closeCodeOf(fixture, {}), 4401);
  await assert.rejects(closeCodeOf(fixture, {}, 'https://evil.example'), /403/);
});

test('stopping ends open subscriptions', async () => {
  const fixture = await openGraphqlFixture();
  await addRecord(fixture);
  const response = await post(fixture, SUBSCRIPTION, { accept: 'text/event-stream' });
  const socket = openSocket(fixture);
  await new Promise((resolve) => socket.once('open', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await fixture[Symbol.asyncDispose]();
  await response.text().catch(() => {});
  assert.equal(await closed, 1001);
});

function openSocket({ url }: GraphqlFixture, origin?: string): WebSocket {
  const options = origin === undefined ? {} : { origin };
  return new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', options);
}

function closeCodeOf(fixture: GraphqlFixture, parameters: object, origin?: string): Promise<number> {
  const socket = openSocket(fixture, origin);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: parameters })));
    socket.once('close', resolve);
  });
}

async function upload(
  { url }: GraphqlFixture,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const query = `mutation ($file: Upload!) {
    validateMedia(input: { file: $file, kind: IMAGE }) { validation { mimetype filesize } userErrors { code reason field } }
  }`;
  const form = new FormData();
  form.set('operations', JSON.stringify({ query, variables: { file: null } }));
  form.set('map', JSON.stringify({ 0: ['variables.file'] }));
  form.set('0', new Blob([bytes]), 'picture.png');
  return await fetch(url, { method: 'POST', headers: { 'x-api-key': key }, body: form });
}

test('a multipart file reaches the app; a refused caller still reads the answer', async () => {
  await using fixture = await openGraphqlFixture();
  const judged = await (await upload(fixture, fixture.key, Buffer.alloc(3_000_000, 'picture '))).json();
  assert.deepEqual(judged.data.validateMedia, {
    validation: { mimetype: 'image/png', filesize: 3_000_000 },
    userErrors: [],
  });
  const refused = await upload(fixture, 'wrong', Buffer.alloc(20_000_000));
  assert.equal(refused.status, 401);
});
