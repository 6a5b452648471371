/** docs/interface.md, Credits, User, Paginated user list, the partner endpoints and User management. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readMails } from '../app/open-app.ts';
import { makePicture } from './media.ts';
import { addCustomer, type Customer, type Service, shareService } from './service.ts';

const USER_FIELDS = [
  ...['id', 'name', 'email', 'email_verified_at', 'address', 'zip', 'city', 'country', 'phone', 'contact'],
  ...['vat', 'created_at', 'updated_at', 'balance', 'heuristic', 'readonly', 'pricing', 'partner'],
];
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

let service: Service;
let partner: Customer;
let user: Customer;
before(async () => {
  service = await shareService();
  partner = await addCustomer(service, { user: { role: 'partner', name: 'Desk' } });
  user = await addCustomer(service, { user: { name: 'Anna Bianchi' } });
});
after(async () => await service[Symbol.asyncDispose]());

let made = 0;
const newAddress = (): string => `made${++made}@example.org`;

test('GET /api/user/credits: "available_credits (integer), total_spent (integer)"', async () => {
  const buyer = await addCustomer(service, { plan: { image_credits: 3 }, credits: 10 });
  assert.deepEqual(await buyer.credits(), { available_credits: 10, total_spent: 0 });
  await buyer.classify('image', { image: await makePicture() });
  assert.deepEqual(await buyer.credits(), { available_credits: 7, total_spent: 3 });
});

test('a submission that the credits do not pay is 402 {error}, and nothing is stored', async () => {
  const poor = await addCustomer(service, { plan: { image_credits: 3 }, credits: 2 });
  const { status, body } = await poor.post('/api/classification', { image: await makePicture() });
  assert.deepEqual([status, Object.keys(body)], [402, ['error']]);
  assert.deepEqual((await poor.get('/api/classifications')).body, []);
  assert.deepEqual(await poor.credits(), { available_credits: 2, total_spent: 0 });
});

test('an errored analysis gives its credits back', async () => {
  const buyer = await addCustomer(service, { plan: { image_credits: 3 }, credits: 10 });
  const identifier = await buyer.submit('/api/image_fromurl', { file_url: 'http://127.0.0.1:9/a.png' });
  await buyer.ended('image', identifier);
  assert.deepEqual(await buyer.credits(), { available_credits: 10, total_spent: 0 });
});

test('POST /api/user: 201 {data: User} with every documented field and no other', async () => {
  const email = newAddress();
  const { status, body } = await partner.postJson('/api/user', { name: 'Ada Rossi', email, city: 'Torino' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(Object.keys(body), ['data']);
  const { data } = body;
  assert.deepEqual(Object.keys(data), USER_FIELDS);
  assert.deepEqual([data.name, data.email, data.city, data.zip], ['Ada Rossi', email, 'Torino', null]);
  assert.equal(data.email_verified_at, null);
  for (const moment of [data.created_at, data.updated_at])
    assert.match(moment, MOMENT, '"ISO 8601 UTC with microseconds"');
  assert.deepEqual(Object.keys(data.pricing), ['id', 'name', 'sku']);
  assert.deepEqual([data.balance, data.heuristic, data.readonly], [0, 'balanced', false]);
  assert.deepEqual(Object.keys(data.partner), USER_FIELDS);
  assert.equal(data.partner.id, partner.id);
  assert.equal(data.partner.partner, null, '"null for a top-level account"');
});

test('POST /api/user takes a form as well', async () => {
  const { status, body } = await partner.post('/api/user', { name: 'Form', email: newAddress() });
  assert.equal(status, 201, JSON.stringify(body));
});

test('POST /api/user: name and email are required, each named; a taken address is 400 on email', async () => {
  const missing = await partner.postJson('/api/user', {});
  assert.deepEqual([missing.status, Object.keys(missing.body.error)], [400, ['name', 'email']]);
  const email = newAddress();
  assert.equal((await partner.postJson('/api/user', { name: 'A', email })).status, 201);
  const taken = await partner.postJson('/api/user', { name: 'B', email });
  assert.deepEqual([taken.status, Object.keys(taken.body.error)], [400, ['email']]);
});

test('a body that is no JSON is 400 in the documented shape', async () => {
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await partner.call('POST', '/api/user', { body: '{', headers });
  assert.deepEqual([status, Object.keys(body.error)], [400, ['email']]);
});

test('DELETE /api/user: {data: User}; "a deleted user\'s key stops at once"', async () => {
  const doomed = await addCustomer(service, { by: partner.id });
  const { status, body } = await partner.call('DELETE', `/api/user?id=${doomed.id}`);
  assert.deepEqual([status, body.data.id], [200, doomed.id]);
  assert.equal((await doomed.get('/api/user/credits')).status, 401);
  assert.equal((await partner.call('DELETE', `/api/user?id=${doomed.id}`)).status, 404);
});

test('POST /api/partner/send_creation_email: {data: User}, and a mail with a link', async () => {
  const own = await addCustomer(service, { by: partner.id });
  const earlier = (await readMails(service.open)).length;
  const answer = await partner.post('/api/partner/send_creation_email', { id: String(own.id) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body.data), USER_FIELDS);
  assert.equal(answer.body.data.id, own.id);
  const mails = await readMails(service.open);
  assert.equal(mails.length, earlier + 1);
  assert.match(mails.at(-1) ?? '', /set-password/);
});

test('GET /api/partner/users: the documented page, all results where per_page is omitted', async () => {
  for (const name of ['Zoe', 'Yann']) {
    await addCustomer(service, { by: partner.id, user: { name } });
  }
  const { status, body } = await partner.get('/api/partner/users');
  assert.equal(status, 200);
  const names = ['current_page', 'from', 'last_page', 'per_page', 'to', 'total', 'next_page_url', 'data'];
  assert.deepEqual(Object.keys(body), names);
  assert.equal(body.data.length, body.total);
  assert.equal(body.next_page_url, null);
  for (const each of body.data) {
    assert.deepEqual(Object.keys(each), USER_FIELDS);
    assert.equal(each.partner.id, partner.id, 'a partner sees its own users only');
  }
});

test('GET /api/partner/users: filter "partial match", pricing tier, sort, direction, page size', async () => {
  const other = await addCustomer(service, { by: partner.id, user: { name: 'Tiered Tom' }, plan: {} });
  const { body: byName } = await partner.get('/api/partner/users?filter=iered');
  assert.deepEqual(
    byName.data.map(({ id }: { id: number }) => id),
    [other.id],
  );
  const tier = byName.data[0].pricing.id;
  const { body: byTier } = await partner.get(`/api/partner/users?pricing_id=${tier}`);
  assert.deepEqual([byTier.total, byTier.data[0].id], [1, other.id]);
  const pages: string[] = [];
  let next: string | null = '/api/partner/users?sort=name&direction=desc&per_page=1';
  while (next !== null) {
    const { body }: { body: { data: { name: string }[]; next_page_url: string | null } } =
      await partner.get(next);
    pages.push(...body.data.map(({ name }) => name));
    next = body.next_page_url?.replace(service.url, '') ?? null;
  }
  assert.deepEqual(pages, [...pages].sort().reverse());
  assert.ok(pages.length >= 3);
  for (const query of ['sort=secret', 'direction=up', 'per_page=0', 'page=0']) {
    const { status, body } = await partner.get(`/api/partner/users?${query}`);
    assert.deepEqual([status, Object.keys(body.error)], [400, [query.split('=', 1)[0]]]);
  }
});

test('the partner endpoints are for partners: a user gets 403, a foreign user is 404', async () => {
  const answers = [
    await user.get('/api/partner/users'),
    await user.post('/api/partner/send_creation_email', { id: String(user.id) }),
    await user.postJson('/api/user', { name: 'N', email: newAddress() }),
    await user.call('DELETE', `/api/user?id=${user.id}`),
  ];
  for (const { status, body } of answers) assert.deepEqual([status, Object.keys(body)], [403, ['error']]);
  const foreign = [
    await partner.post('/api/partner/send_creation_email', { id: String(user.id) }),
    await partner.call('DELETE', `/api/user?id=${user.id}`),
  ];
  for (const { status } of foreign) assert.equal(status, 404);
});
