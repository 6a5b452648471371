import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/app/accounts/keys.ts';
import { addUser, openServedApp, principalOf, type ServedApp } from '../app/open-app.ts';

const USER_FIELDS = [
  ...[
    'id',
    'name',
    'email',
    'email_verified_at',
    'address',
    'zip',
    'city',
    'country',
    'phone',
    'contact',
    'vat',
  ],
  ...['created_at', 'updated_at', 'balance', 'heuristic', 'readonly', 'pricing', 'partner'],
];
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

let open: ServedApp;
let partnerId: number;
let partnerKey: string;
let userKey: string;
before(async () => {
  open = await openServedApp();
  const { app, admin } = open;
  partnerId = (await addUser(app, admin, { role: 'partner', name: 'Desk' })).id;
  partnerKey = (await createKey(app, { principal: principalOf(app, partnerId), name: 'k' })).secret;
  const user = await addUser(app, admin);
  userKey = (await createKey(app, { principal: principalOf(app, user.id), name: 'k' })).secret;
});
after(async () => {
  await open[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts what came.
  body: any;
}

async function call(method: string, path: string, init: RequestInit = {}, key = partnerKey): Promise<Answer> {
  const headers = { 'x-api-key': key, ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(open.url + path, { ...init, method, headers });
  return { status: response.status, body: await response.json() };
}

const json = (body: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function form(fields: Record<string, string>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { body };
}

function assertUser(user: Record<string, unknown>): void {
  assert.deepEqual(Object.keys(user), USER_FIELDS);
  assert.match(String(user.created_at), MOMENT);
  assert.match(String(user.updated_at), MOMENT);
  assert.equal(typeof user.balance, 'number');
  assert.deepEqual(Object.keys(user.pricing as object), ['id', 'name', 'sku']);
}

const BODIES: [how: string, init: (fields: Record<string, string>) => RequestInit][] = [
  ['a multipart form', form],
  ['JSON', json],
  ['a URL-encoded form', (fields) => ({ body: new URLSearchParams(fields) })],
];
for (const [how, init] of BODIES) {
  test(`POST /api/user by ${how}: 201 with the user, whose partner is the caller`, async () => {
    const email = `rest-${how.replace(/\W/g, '')}@example.org`;
    const { status, body } = await call('POST', '/api/user', init({ name: 'Ada', email, city: 'Torino' }));
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(Object.keys(body), ['data']);
    assertUser(body.data);
    assert.equal(body.data.city, 'Torino');
    assert.equal(body.data.email_verified_at, null);
    assertUser(body.data.partner);
    assert.equal(body.data.partner.id, partnerId);
    assert.equal(body.data.partner.partner, null);
  });
}

const PLACES: [place: string, request: (id: number) => [path: string, init: RequestInit]][] = [
  ['the form', (id) => ['/api/user', form({ id: String(id) })]],
  ['the JSON body', (id) => ['/api/user', json({ id })]],
  ['the query', (id) => [`/api/user?id=${id}`, {}]],
];
for (const [place, request] of PLACES) {
  test(`DELETE /api/user with the id in ${place}: the user, gone from the list`, async () => {
    const { id } = await addUser(open.app, principalOf(open.app, partnerId));
    const { status, body } = await call('DELETE', ...request(id));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.id, id);
    const again = await call('DELETE', ...request(id));
    assert.deepEqual([again.status, again.body], [404, { error: 'no such user' }]);
  });
}

test('GET /api/partner/users: exactly the documented page', async () => {
  const { app } = open;
  for (const name of ['Paged A', 'Paged B', 'Paged C'])
    await addUser(app, principalOf(app, partnerId), { name });
  const all = await call('GET', '/api/partner/users?filter=paged');
  assert.equal(all.status, 200);
  const { data, ...rest } = all.body;
  assert.deepEqual(rest, {
    ...{ current_page: 1, from: 1, last_page: 1, per_page: 3, to: 3, total: 3, next_page_url: null },
  });
  for (const user of data) assertUser(user);
  const names: string[] = [];
  let next: string | null = '/api/partner/users?filter=paged&sort=name&direction=desc&per_page=1';
  while (next !== null) {
    const { body }: Answer = await call('GET', next.replace(open.app.config.publicUrl, ''));
    names.push(...body.data.map(({ name }: { name: string }) => name));
    next = body.next_page_url;
  }
  assert.deepEqual(names, ['Paged C', 'Paged B', 'Paged A']);
});

test('POST /api/partner/send_creation_email: the user, and a mail', async () => {
  const { app } = open;
  const { id } = await addUser(app, principalOf(app, partnerId));
  for (const init of [form({ id: String(id) }), json({ id })]) {
    const { status, body } = await call('POST', '/api/partner/send_creation_email', init);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.id, id);
  }
});

const REFUSED: [title: string, request: () => Promise<Answer>, status: number, body: unknown][] = [
  ['no key', () => call('GET', '/api/partner/users', {}, ''), 401, { error: /API key missing/ }],
  ['a plain user lists', () => call('GET', '/api/partner/users', {}, userKey), 403, { error: /partner/ }],
  [
    'a plain user creates',
    () => call('POST', '/api/user', json({ name: 'N', email: 'n@x.org' }), userKey),
    403,
    { error: /partner/ },
  ],
  ['a plain user deletes', () => call('DELETE', '/api/user?id=1', {}, userKey), 403, { error: /partner/ }],
  ['a foreign user', () => call('DELETE', '/api/user?id=1'), 404, { error: /no such user/ }],
  [
    'a foreign recipient',
    () => call('POST', '/api/partner/send_creation_email', json({ id: 1 })),
    404,
    { error: /no such user/ },
  ],
  [
    'an unknown recipient',
    () => call('POST', '/api/partner/send_creation_email', json({ id: 9999 })),
    404,
    { error: /no such user/ },
  ],
  [
    'no recipient',
    () => call('POST', '/api/partner/send_creation_email', json({})),
    400,
    { error: { id: /found nothing/ } },
  ],
  ['an id that is none', () => call('DELETE', '/api/user?id=abc'), 400, { error: { id: /whole number/ } }],
  ['no body', () => call('POST', '/api/user'), 400, { error: { name: /nothing/, email: /nothing/ } }],
  [
    'a taken address',
    () => call('POST', '/api/user', json({ name: 'N', email: 'admin@localhost' })),
    400,
    { error: { email: /no other account/ } },
  ],
  [
    'a role for a partner',
    () => call('POST', '/api/user', json({ name: 'N', email: 'r@x.org', role: 'admin' })),
    403,
    { error: /role/ },
  ],
  ['a list as body', () => call('POST', '/api/user', json([1])), 400, { error: { email: /JSON object/ } }],
  [
    'an unknown sort',
    () => call('GET', '/api/partner/users?sort=secret'),
    400,
    { error: { sort: /expected one of/ } },
  ],
];
for (const [title, request, status, expected] of REFUSED) {
  test(`refuses ${title} with ${status}`, async () => {
    const answer = await request();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assertShape(answer.body, expected);
  });
}

function assertShape(found: unknown, expected: unknown): void {
  if (expected instanceof RegExp) {
    const text = Array.isArray(found) ? found.join('\n') : found;
    assert.match(String(text), expected);
    return;
  }
  assert.deepEqual(Object.keys(found as object).sort(), Object.keys(expected as object).sort());
  for (const [name, value] of Object.entries(expected as object)) {
    assertShape((found as Record<string, unknown>)[name], value);
  }
}

test('the terms stop every endpoint with 403 until they are accepted', async () => {
  await using other = await openServedApp({ ASSAY_TERMS_REQUIRED: 'true' });
  const { app, admin } = other;
  const user = await addUser(app, admin);
  const { secret } = await createKey(app, { principal: principalOf(app, user.id), name: 'k' });
  for (const path of ['/api/user/credits', '/api/classifications', '/api/partner/users']) {
    const response = await fetch(other.url + path, { headers: { 'x-api-key': secret } });
    assert.equal(response.status, 403, path);
    assert.deepEqual(await response.json(), { error: 'the terms of service have not been accepted' });
  }
});
