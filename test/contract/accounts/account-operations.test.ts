import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN_PASSWORD, openServedApp, readMails, type ServedApp } from '../../app/open-app.ts';
import {
  GraphqlOperations,
  GrpcOperations,
  type OperationCaller,
  type Values,
} from '../ways/operation-callers.ts';

const KEY = `assay_${'7'.repeat(64)}`;
const WAYS = ['gRPC', 'GraphQL'] as const;
const DENIED = { code: 'permission_denied', reason: 'role', fields: [] };
const NO_USER = { code: 'not_found', reason: 'user', fields: [] };

let open: ServedApp;
const callers = new DisposableStack();

before(async () => {
  const env = {
    ASSAY_ADMIN_API_KEY: KEY,
    ASSAY_ADMIN_PASSWORD: ADMIN_PASSWORD,
    ASSAY_TERMS_REQUIRED: 'true',
  };
  open = await openServedApp(env);
});

after(async () => {
  callers.dispose();
  await open[Symbol.asyncDispose]();
});

type Open = (key: string) => OperationCaller;

function inEachWay(name: string, act: (admin: OperationCaller, openWith: Open) => Promise<void>): void {
  test(name, async (t) => {
    for (const way of WAYS) {
      const openWith: Open = (key) =>
        callers.use(
          way === 'gRPC'
            ? new GrpcOperations(open.daemon.grpc.address, key)
            : new GraphqlOperations(open.url, key),
        );
      await t.test(`by ${way}`, () => act(openWith(KEY), openWith));
    }
  });
}

let made = 0;

interface NewAccount {
  id: string;
  email: string;
  own: OperationCaller;
}

/** A new account with a key of its own, which has accepted the terms. */
async function newAccount(by: OperationCaller, openWith: Open, fields: Values = {}): Promise<NewAccount> {
  made += 1;
  const email = `managed${made}@example.org`;
  const { user } = await by.call('createUser', { user: { name: `User ${made}`, email, ...fields } });
  const { secret } = await by.call('createKey', { name: 'own', userId: user.id });
  const own = openWith(secret);
  assert.ok((await own.call('acceptTerms')).user.termsAcceptedAt);
  return { id: user.id, email, own };
}

inEachWay('an account shows itself with its plan, credits, keys, deliveries and secret', async (admin) => {
  const { user, plan } = await admin.call('getAccount');
  assert.deepEqual(
    [user.email, user.role, user.hasPassword, user.pricing.sku, user.partner, user.c2paPolicy],
    ['admin@localhost', 'admin', true, 'appliance', undefined, undefined],
  );
  assert.equal(plan.sku, 'appliance');
  assert.deepEqual(
    plan.kinds.map(({ kind }: { kind: string }) => kind),
    ['image', 'video', 'audio'],
  );
  assert.equal((await admin.call('getCredits')).availableCredits, 1_000_000);
  const { keys } = await admin.call('listKeys');
  assert.equal(keys[0].name, 'first');
  assert.match((await admin.call('getWebhookSecret')).secret, /^whsec_/);
  assert.deepEqual(await admin.call('listDeliveries'), { deliveries: [] });
});

inEachWay('an account changes its own fields only, and clears them', async (admin, openWith) => {
  const { own } = await newAccount(admin, openWith);
  assert.equal((await own.call('getAccount')).user.role, 'user');
  const changed = await own.call('updateAccount', { city: 'Torino', vat: 'IT1', heuristic: 'cautious' });
  assert.deepEqual(
    [changed.user.city, changed.user.vat, changed.user.heuristic],
    ['Torino', 'IT1', 'cautious'],
  );
  const cleared = (await own.call('updateAccount', { vat: null })).user;
  assert.deepEqual([cleared.city, cleared.vat, cleared.heuristic], ['Torino', undefined, 'cautious']);
});

inEachWay('before the terms are accepted only accepting them works', async (admin, openWith) => {
  made += 1;
  const { user } = await admin.call('createUser', { user: { name: 'New', email: `new${made}@example.org` } });
  const { secret } = await admin.call('createKey', { name: 'new', userId: user.id });
  const own = openWith(secret);
  assert.equal((await own.refused('getCredits')).reason, 'terms');
  assert.ok((await own.call('acceptTerms')).user.termsAcceptedAt);
  assert.equal((await own.call('getCredits')).availableCredits, 0);
});

inEachWay(
  'keys are made, listed, replaced, revealed for the password and revoked',
  async (admin, openWith) => {
    const { key, secret } = await admin.call('createKey', { name: 'ingest' });
    const own = openWith(secret);
    await own.call('getCredits');
    assert.deepEqual(await admin.refused('revealKey', { id: key.id, password: 'wrong' }), {
      code: 'invalid_argument',
      reason: 'bad_field',
      fields: ['password'],
    });
    assert.equal((await admin.call('revealKey', { id: key.id, password: ADMIN_PASSWORD })).secret, secret);
    const replaced = await admin.call('replaceKey', { id: key.id });
    assert.equal(replaced.key.id, key.id);
    assert.notEqual(replaced.secret, secret);
    assert.equal((await own.refused('getCredits')).code, 'unauthenticated');
    const second = openWith(replaced.secret);
    await second.call('getCredits');
    await admin.call('revokeKey', { id: key.id });
    assert.equal((await second.refused('getCredits')).code, 'unauthenticated');
    const { keys } = await admin.call('listKeys');
    assert(!keys.some(({ id }: { id: string }) => id === key.id));
    assert.deepEqual(await admin.refused('revokeKey', { id: key.id }), {
      code: 'not_found',
      reason: 'api_key',
      fields: [],
    });
  },
);

inEachWay(
  'credits: the present state first, then each change; the ledger adds up to them',
  async (admin, openWith) => {
    const { id, own } = await newAccount(admin, openWith);
    const changes = own.watchCredits();
    const next = async () => (await changes.next()).value;
    assert.equal(await next(), 0);
    assert.equal((await admin.call('grantCredits', { id, amount: 50, note: 'trial' })).user.balance, 50);
    assert.equal(await next(), 50);
    assert.equal((await admin.call('grantCredits', { id, amount: -20 })).user.balance, 30);
    assert.equal(await next(), 30);
    await changes.return(undefined);
    const first = await own.call('listLedger', { pageSize: 1 });
    assert.deepEqual(
      first.entries.map(({ amount, reason }: Values) => [amount, reason]),
      [[-20, 'grant']],
    );
    const second = await own.call('listLedger', { pageSize: 1, pageToken: first.nextPageToken });
    assert.deepEqual([second.entries[0].amount, second.nextPageToken], [50, undefined]);
    assert.deepEqual((await admin.refused('grantCredits', { id, amount: -31 })).fields, ['amount']);
  },
);

inEachWay('a partner sees and manages its own users, and no others', async (admin, openWith) => {
  const one = await newAccount(admin, openWith, { role: 'partner' });
  const other = await newAccount(admin, openWith, { role: 'partner' });
  const own = await newAccount(one.own, openWith);
  await newAccount(one.own, openWith);
  const page = { sort: 'id', direction: 'desc', pageSize: 1 };
  const first = await one.own.call('listUsers', page);
  assert.equal(first.users.length, 1);
  assert.equal(first.users[0].partner.id, one.id);
  // Pages of GraphQL are not counted.
  if (one.own.way === 'gRPC') assert.equal(first.totalSize, 2);
  const second = await one.own.call('listUsers', { ...page, pageToken: first.nextPageToken });
  assert.deepEqual([second.users[0].id, second.nextPageToken], [own.id, undefined]);
  for (const operation of ['getUser', 'deleteUser', 'sendCreationEmail'] as const)
    assert.deepEqual(await other.own.refused(operation, { id: own.id }), NO_USER, operation);
  const raised = { id: own.id, user: { role: 'admin' } };
  assert.equal((await one.own.refused('updateUser', raised)).reason, 'role');
  assert.equal((await own.own.refused('listUsers')).reason, 'role');
  assert.equal((await other.own.refused('createKey', { name: 'x', userId: own.id })).code, 'not_found');
});

inEachWay('every field at fault is named', async (admin) => {
  assert.deepEqual(await admin.refused('createUser', { user: { name: '', email: 'none' } }), {
    code: 'invalid_argument',
    reason: 'bad_field',
    fields: ['name', 'email'],
  });
  assert.deepEqual(await admin.refused('createUser', { user: { name: 'Twin', email: 'admin@localhost' } }), {
    code: 'already_exists',
    reason: 'email',
    fields: ['email'],
  });
  const isGrpc = admin.way === 'gRPC';
  const page = await admin.refused('listUsers', { pageSize: 101 });
  assert.deepEqual(page.fields, [isGrpc ? 'pageSize' : 'first']);
  for (const operation of ['listLedger', 'listDeliveries'] as const) {
    const token = await admin.refused(operation, { pageToken: 'x' });
    assert.deepEqual(token.fields, [isGrpc ? 'pageToken' : 'after'], operation);
  }
});

inEachWay('users are changed and deleted; a deleted one is let in no more', async (admin, openWith) => {
  const { id, own, email } = await newAccount(admin, openWith);
  const change = { readonly: true, c2paPolicy: 'never', vat: 'IT123' };
  const changed = (await admin.call('updateUser', { id, user: change })).user;
  assert.deepEqual([changed.readonly, changed.c2paPolicy, changed.vat], [true, 'never', 'IT123']);
  const reset = (await admin.call('updateUser', { id, user: { c2paPolicy: null } })).user;
  assert.deepEqual([reset.c2paPolicy, reset.vat], [undefined, 'IT123']);
  const noPlan = await admin.refused('updateUser', { id, user: { pricingId: '99' } });
  assert.deepEqual(noPlan.fields, ['pricingId']);
  assert.equal((await admin.call('deleteUser', { id })).user.email, email);
  assert.equal((await own.refused('getCredits')).code, 'unauthenticated');
  assert.equal((await admin.refused('getUser', { id })).reason, 'user');
});

inEachWay('password links are mailed, or shown to the administrator', async (admin, openWith) => {
  const { id, email, own } = await newAccount(admin, openWith);
  await admin.call('sendCreationEmail', { id });
  assert((await readMails(open)).some((mail) => mail.includes(email)));
  const { link, expiresAt } = await admin.call('resetPassword', { email });
  assert.match(link, /\/set-password\?token=/);
  assert(Date.parse(expiresAt) > Date.now());
  assert.deepEqual(await own.refused('resetPassword', { email }), DENIED);
  const wrong = { current: 'x', password: 'a new long password' };
  assert.deepEqual((await own.refused('changePassword', wrong)).fields, ['current']);
});

inEachWay('plans are made and changed by the administrator, and hold at once', async (admin, openWith) => {
  const input = {
    ...{ name: `Wire ${admin.way}`, kinds: ['video'], videoCredits: 20, videoBytesMax: 4_000_000_000 },
    ...{ optionCredits: { nsfw: 2 }, models: ['some-model'], rateLimitPerMinute: 1000 },
  };
  const { plan } = await admin.call('createPlan', { plan: input });
  assert.deepEqual([plan.sku, plan.models], [`wire-${admin.way.toLowerCase()}`, ['some-model']]);
  assert.deepEqual(plan.optionCredits, { nsfw: 2 });
  assert.deepEqual(plan.kinds, [{ kind: 'video', credits: 20, fileBytesMax: 4_000_000_000 }]);
  const { own } = await newAccount(admin, openWith, { pricingId: plan.id });
  const update = { models: null, zeroRetention: true, mediaDays: 7 };
  await admin.call('updatePlan', { id: plan.id, plan: update });
  const { plans } = await own.call('listPlans');
  assert.deepEqual(
    plans.map(({ id, name, models, zeroRetention, mediaDays }: Values) => [
      ...[id, name, models, zeroRetention, mediaDays],
    ]),
    [[plan.id, input.name, undefined, true, 7]],
  );
  assert((await admin.call('listPlans')).plans.length > 1);
  const bad = { plan: { name: 'Bad', imageCredits: -1, options: ['magic'] } };
  const refusal = await admin.refused('createPlan', bad);
  assert.deepEqual(refusal.fields.sort(), ['imageCredits', 'options']);
  assert.deepEqual(await own.refused('createPlan', { plan: { name: 'Mine' } }), DENIED);
  assert.equal((await admin.refused('updatePlan', { id: '99', plan: {} })).reason, 'plan');
});

inEachWay('the audit log and the queue are the administrator’s', async (admin, openWith) => {
  const { own, id } = await newAccount(admin, openWith);
  const facade = admin.way.toLowerCase();
  const first = await admin.call('listAuditEntries', { pageSize: 2 });
  assert.deepEqual(
    first.entries.map((entry: Values) => [entry.action, entry.target, entry.facade]),
    [
      ['terms.accept', id, facade],
      ['key.create', `${id}/1`, facade],
    ],
  );
  const next = await admin.call('listAuditEntries', { pageSize: 1, pageToken: first.nextPageToken });
  const [{ action, remoteAddress }] = next.entries;
  assert.deepEqual([action, remoteAddress], ['account.create', '127.0.0.1']);
  const { runningTotal, waitingTotal, failed } = await admin.call('getQueue');
  assert.deepEqual([runningTotal, waitingTotal, failed], [0, 0, []]);
  for (const operation of ['listAuditEntries', 'getQueue'] as const)
    assert.deepEqual(await own.refused(operation), DENIED, operation);
});

inEachWay(
  'the webhook secret stays until it is rotated; an unknown delivery is not found',
  async (admin, openWith) => {
    const { own } = await newAccount(admin, openWith);
    const { secret } = await own.call('getWebhookSecret');
    assert.match(secret, /^whsec_/);
    assert.equal((await own.call('getWebhookSecret')).secret, secret);
    const rotated = await own.call('rotateWebhookSecret');
    assert.notEqual(rotated.secret, secret);
    assert.equal((await own.call('getWebhookSecret')).secret, rotated.secret);
    assert.deepEqual(await own.refused('replayDelivery', { id: 'msg_none' }), {
      code: 'not_found',
      reason: 'delivery',
      fields: [],
    });
  },
);
