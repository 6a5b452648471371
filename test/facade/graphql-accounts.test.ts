/** Accounts, partners and the appliance over GraphQL, against a running daemon. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { GraphqlCaller } from './graphql-caller.ts';

const PASSWORD = 'correct horse battery';
const MISTAKES = 'userErrors { code reason field }';

let daemon: TestDaemon;
let admin: GraphqlCaller;

before(async () => {
  const env = { ASSAY_TERMS_REQUIRED: 'true', ASSAY_ADMIN_PASSWORD: PASSWORD };
  daemon = await TestDaemon.start({ models: 'tiny', awaitReady: false, env });
  admin = new GraphqlCaller(daemon.http, TEST_KEY);
});

after(() => daemon[Symbol.asyncDispose]());

const CREATE_USER = `mutation ($input: UserInput!) { createUser(input: $input) { user { id email role } ${MISTAKES} } }`;
const CREATE_KEY = `mutation ($name: String!, $userId: ID) {
  createKey(name: $name, userId: $userId) { key { id name } secret ${MISTAKES} } }`;

let made = 0;

/** A new account with a key of its own, which has accepted the terms. */
async function newAccount(
  by: GraphqlCaller,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; email: string; caller: GraphqlCaller }> {
  made += 1;
  const input = { name: `User ${made}`, email: `user${made}@example.org`, ...fields };
  const { user, userErrors } = (await by.read(CREATE_USER, { input })).createUser;
  assert.deepEqual(userErrors, []);
  const { secret } = (await by.read(CREATE_KEY, { name: 'own', userId: user.id })).createKey;
  const caller = new GraphqlCaller(daemon.http, secret);
  const { acceptTerms } = await caller.read(
    `mutation { acceptTerms { user { termsAcceptedAt } ${MISTAKES} } }`,
  );
  assert.notEqual(acceptTerms.user.termsAcceptedAt, null);
  return { id: user.id, email: user.email, caller };
}

test('viewer shows the account, its plan, credits, keys and webhook secret', async () => {
  const { viewer } = await admin.read(`{ viewer { email role
    user { hasPassword pricing { sku } partner { id } c2paPolicy } plan { sku models optionCredits { option } }
    credits { availableCredits totalSpent } keys { name lastUsedAt } webhookSecret
    deliveries { nodes { id } pageInfo { hasNextPage endCursor } } } }`);
  assert.equal(viewer.email, 'admin@localhost');
  assert.deepEqual(viewer.user, {
    hasPassword: true,
    pricing: { sku: 'appliance' },
    partner: null,
    c2paPolicy: null,
  });
  assert.equal(viewer.credits.availableCredits, 1_000_000);
  assert.deepEqual(
    viewer.keys.map(({ name }: { name: string }) => name),
    ['first'],
  );
  assert.match(viewer.webhookSecret, /^whsec_/);
  assert.deepEqual(viewer.deliveries, { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } });
});

test('before the terms are accepted only accepting them works', async () => {
  const input = { name: 'New', email: 'new@example.org' };
  const { user } = (await admin.read(CREATE_USER, { input })).createUser;
  const { secret } = (await admin.read(CREATE_KEY, { name: 'n', userId: user.id })).createKey;
  const caller = new GraphqlCaller(daemon.http, secret);
  const { errors } = await caller.ask('{ viewer { id } }');
  assert.equal(errors?.[0]?.extensions?.reason, 'terms');
  await caller.read('mutation { acceptTerms { user { id } } }');
  assert.equal((await caller.read('{ viewer { id } }')).viewer.id, user.id);
});

test('an account changes its own fields; null clears', async () => {
  const { caller } = await newAccount(admin);
  const change = `mutation ($input: UpdateAccountInput!) {
    updateAccount(input: $input) { user { city vat heuristic } ${MISTAKES} } }`;
  const input = { city: 'Torino', vat: 'IT1', heuristic: 'CAUTIOUS' };
  assert.deepEqual((await caller.read(change, { input })).updateAccount.user, {
    city: 'Torino',
    vat: 'IT1',
    heuristic: 'CAUTIOUS',
  });
  const cleared = (await caller.read(change, { input: { vat: null } })).updateAccount.user;
  assert.deepEqual([cleared.city, cleared.vat], ['Torino', null]);
});

test('keys: replaced, revealed for the password, revoked', async () => {
  const { key, secret } = (await admin.read(CREATE_KEY, { name: 'ingest' })).createKey;
  const reveal = `mutation ($id: ID!, $password: String!) {
    revealKey(id: $id, password: $password) { secret ${MISTAKES} } }`;
  const wrong = (await admin.read(reveal, { id: key.id, password: 'wrong' })).revealKey;
  assert.deepEqual(wrong, {
    secret: null,
    userErrors: [{ code: 'INVALID_ARGUMENT', reason: 'bad_field', field: 'password' }],
  });
  assert.equal((await admin.read(reveal, { id: key.id, password: PASSWORD })).revealKey.secret, secret);
  const replaced = await admin.read(`mutation { replaceKey(id: "${key.id}") { secret key { id } } }`);
  assert.notEqual(replaced.replaceKey.secret, secret);
  const old = await new GraphqlCaller(daemon.http, secret).ask('{ viewer { id } }');
  assert.equal(old.errors?.[0]?.extensions?.code, 'UNAUTHENTICATED');
  const revoke = `mutation { revokeKey(id: "${key.id}") { key { name } ${MISTAKES} } }`;
  assert.equal((await admin.read(revoke)).revokeKey.key.name, 'ingest');
  assert.equal((await admin.read(revoke)).revokeKey.userErrors[0].reason, 'api_key');
});

test('credits: the present state first, then each change; the ledger is a connection', async () => {
  const { id, caller } = await newAccount(admin);
  const changes = caller.subscribe('subscription { credits { availableCredits } }');
  const next = async () => (await changes.next()).value.credits.availableCredits;
  assert.equal(await next(), 0);
  const grant = `mutation ($id: ID!, $amount: Int!) {
    grantCredits(id: $id, amount: $amount, note: "trial") { user { balance } ${MISTAKES} } }`;
  assert.equal((await admin.read(grant, { id, amount: 50 })).grantCredits.user.balance, 50);
  assert.equal(await next(), 50);
  await admin.read(grant, { id, amount: -20 });
  assert.equal(await next(), 30);
  await changes.return(undefined);
  const page = `query ($after: String) { viewer { ledger(first: 1, after: $after) {
    nodes { amount reason } pageInfo { hasNextPage endCursor } } } }`;
  const first = (await caller.read(page)).viewer.ledger;
  assert.deepEqual(first.nodes, [{ amount: -20, reason: 'GRANT' }]);
  assert.equal(first.pageInfo.hasNextPage, true);
  const second = (await caller.read(page, { after: first.pageInfo.endCursor })).viewer.ledger;
  assert.deepEqual([second.nodes[0].amount, second.pageInfo.hasNextPage], [50, false]);
  const refused = (await admin.read(grant, { id, amount: -31 })).grantCredits.userErrors;
  assert.deepEqual(refused, [{ code: 'INVALID_ARGUMENT', reason: 'bad_field', field: 'amount' }]);
});

test('a partner sees and manages its own users, and no others', async () => {
  const one = await newAccount(admin, { role: 'PARTNER' });
  const other = await newAccount(admin, { role: 'PARTNER' });
  const own = await newAccount(one.caller);
  await newAccount(one.caller);
  const list = `query ($after: String) { users(sort: ID, direction: DESC, first: 1, after: $after) {
    edges { cursor node { id partner { id } } } pageInfo { hasNextPage } } }`;
  const first = (await one.caller.read(list)).users;
  assert.equal(first.edges[0].node.partner.id, one.id);
  assert.equal(first.pageInfo.hasNextPage, true);
  const second = (await one.caller.read(list, { after: first.edges[0].cursor })).users;
  assert.deepEqual([second.edges[0].node.id, second.pageInfo.hasNextPage], [own.id, false]);
  const foreign = await other.caller.ask(`{ user(id: "${own.id}") { name } }`);
  assert.equal(foreign.errors?.[0]?.extensions?.reason, 'user');
  for (const mutation of ['deleteUser', 'sendCreationEmail']) {
    const query = `mutation { ${mutation}(id: "${own.id}") { user { id } ${MISTAKES} } }`;
    const { userErrors } = (await other.caller.read(query))[mutation];
    assert.deepEqual(userErrors, [{ code: 'NOT_FOUND', reason: 'user', field: null }], mutation);
  }
  const plain = await own.caller.ask('{ users { nodes { id } } }');
  assert.equal(plain.errors?.[0]?.extensions?.reason, 'role');
});

test('users: every mistake is told; deleted ones are let in no more', async () => {
  const bad = (await admin.read(CREATE_USER, { input: { name: '', email: 'none' } })).createUser;
  assert.deepEqual(
    bad.userErrors.map(({ field }: { field: string }) => field),
    ['name', 'email'],
  );
  const { id, caller, email } = await newAccount(admin);
  const update = `mutation ($id: ID!, $input: UserInput!) {
    updateUser(id: $id, input: $input) { user { readonly c2paPolicy } ${MISTAKES} } }`;
  const input = { readonly: true, c2paPolicy: 'NEVER' };
  assert.deepEqual((await admin.read(update, { id, input })).updateUser.user, input);
  const none = (await admin.read(update, { id, input: { pricingId: '99' } })).updateUser.userErrors;
  assert.equal(none[0].field, 'pricingId');
  const link = await admin.read(
    `mutation { resetPassword(email: "${email}") { link expiresAt ${MISTAKES} } }`,
  );
  assert.match(link.resetPassword.link, /\/set-password\?token=/);
  const deleted = await admin.read(`mutation { deleteUser(id: "${id}") { user { email } ${MISTAKES} } }`);
  assert.equal(deleted.deleteUser.user.email, email);
  const { errors } = await caller.ask('{ viewer { id } }');
  assert.equal(errors?.[0]?.extensions?.code, 'UNAUTHENTICATED');
});

test('plans are made and changed by the administrator', async () => {
  const create = `mutation ($input: PlanInput!) { createPlan(input: $input) {
    plan { id sku kinds { kind credits fileBytesMax } optionCredits { option credits } models } ${MISTAKES} } }`;
  const input = {
    ...{ name: 'Wire', kinds: ['VIDEO'], videoCredits: 20, videoBytesMax: 4_000_000_000 },
    ...{ optionCredits: [{ option: 'nsfw', credits: 2 }], models: ['some-model'] },
  };
  const { plan } = (await admin.read(create, { input })).createPlan;
  assert.deepEqual(plan, {
    ...{ id: plan.id, sku: 'wire', models: ['some-model'] },
    kinds: [{ kind: 'VIDEO', credits: 20, fileBytesMax: 4_000_000_000 }],
    optionCredits: [{ option: 'nsfw', credits: 2 }],
  });
  const update = `mutation ($input: PlanInput!) { updatePlan(id: "${plan.id}", input: $input) {
    plan { name models mediaDays } ${MISTAKES} } }`;
  const changed = (await admin.read(update, { input: { models: null, mediaDays: 7 } })).updatePlan.plan;
  assert.deepEqual(changed, { name: 'Wire', models: null, mediaDays: 7 });
  const bad = (await admin.read(create, { input: { name: 'Bad', imageCredits: -1 } })).createPlan;
  assert.deepEqual(bad.userErrors[0].field, 'imageCredits');
  const { caller } = await newAccount(admin, { pricingId: plan.id });
  assert.deepEqual((await caller.read('{ plans { id } }')).plans, [{ id: plan.id }]);
  const refused = (await caller.read(create, { input: { name: 'Mine' } })).createPlan.userErrors;
  assert.deepEqual(refused, [{ code: 'PERMISSION_DENIED', reason: 'role', field: null }]);
});

test('the audit log and the queue are the administrator’s', async () => {
  const { caller, id } = await newAccount(admin);
  const audit = `query ($after: String) { auditEntries(first: 2, after: $after) {
    nodes { action target facade remoteAddress details } pageInfo { endCursor hasNextPage } } }`;
  const first = (await admin.read(audit)).auditEntries;
  assert.deepEqual(
    first.nodes.map(({ action, target }: { action: string; target: string }) => [action, target]),
    [
      ['terms.accept', id],
      ['key.create', `${id}/1`],
    ],
  );
  const next = (await admin.read(audit, { after: first.pageInfo.endCursor })).auditEntries.nodes[0];
  assert.deepEqual(
    [next.action, next.facade, next.remoteAddress],
    ['account.create', 'graphql', '127.0.0.1'],
  );
  const { queue } = await admin.read('{ queue { runningTotal waitingTotal failed { error } } }');
  assert.deepEqual(queue, { runningTotal: 0, waitingTotal: 0, failed: [] });
  for (const query of ['{ auditEntries { nodes { action } } }', '{ queue { runningTotal } }']) {
    const { errors } = await caller.ask(query);
    assert.equal(errors?.[0]?.extensions?.reason, 'role', query);
  }
});

test('pages and secrets: bad cursors are named, the webhook secret is rotated', async () => {
  const { errors } = await admin.ask('{ viewer { deliveries(after: "x") { nodes { id } } } }');
  const [fault] = errors ?? [];
  assert.equal(fault?.extensions?.reason, 'bad_field');
  assert.match(JSON.stringify(fault?.extensions), /"field":"after"/);
  const tooMany = await admin.ask('{ viewer { ledger(first: 101) { nodes { at } } } }');
  assert.match(tooMany.errors?.[0]?.message ?? '', /first: expected 1 to 100, found 101/);
  const before = (await admin.read('{ viewer { webhookSecret } }')).viewer.webhookSecret;
  const { secret } = (await admin.read('mutation { rotateWebhookSecret { secret } }')).rotateWebhookSecret;
  assert.notEqual(secret, before);
  assert.equal((await admin.read('{ viewer { webhookSecret } }')).viewer.webhookSecret, secret);
  const replay = await admin.read(
    `mutation { replayDelivery(id: "msg_none") { delivery { id } ${MISTAKES} } }`,
  );
  assert.equal(replay.replayDelivery.userErrors[0].reason, 'delivery');
});
