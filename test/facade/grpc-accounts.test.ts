/** Accounts, partners and the appliance over gRPC, against a running daemon. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { C2paPolicy, LedgerReason, Role } from '../../src/grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../src/grpc/gen/assay/v1/account_service_pb.ts';
import { ApplianceService } from '../../src/grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { PartnerService, SortDirection } from '../../src/grpc/gen/assay/v1/partner_service_pb.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { refusalOf } from './grpc-caller.ts';

const account = AccountService.method;
const partner = PartnerService.method;
const appliance = ApplianceService.method;
const PASSWORD = 'correct horse battery';

let daemon: TestDaemon;
let admin: AssayClient;
const clients: AssayClient[] = [];

before(async () => {
  const env = { ASSAY_TERMS_REQUIRED: 'true', ASSAY_ADMIN_PASSWORD: PASSWORD };
  daemon = await TestDaemon.start({ models: 'tiny', awaitReady: false, env });
  admin = clientWith(TEST_KEY);
});

after(async () => {
  for (const client of clients) client[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

function clientWith(key: string): AssayClient {
  const client = new AssayClient({ address: daemon.grpc, credentials: credentials.createInsecure() }, key);
  clients.push(client);
  return client;
}

let made = 0;

/** A new account with a key of its own, which has accepted the terms. */
async function newAccount(
  by: AssayClient,
  fields: { role?: Role; pricingId?: bigint } = {},
): Promise<{ id: bigint; email: string; client: AssayClient }> {
  made += 1;
  const email = `user${made}@example.org`;
  const { user } = await by.call(partner.createUser, { user: { name: `User ${made}`, email, ...fields } });
  assert(user !== undefined);
  const { secret } = await by.call(account.createKey, { name: 'own', userId: user.id });
  const client = clientWith(secret);
  await client.call(account.acceptTerms, {});
  return { id: user.id, email, client };
}

test('an account shows itself with its plan and changes its own fields only', async () => {
  const { client } = await newAccount(admin);
  const { user, plan } = await client.call(account.getAccount, {});
  assert.equal(user?.role, Role.USER);
  assert.equal(plan?.sku, 'appliance');
  assert.deepEqual(
    plan?.kinds.map(({ kind }) => kind),
    [MediaKind.IMAGE, MediaKind.VIDEO, MediaKind.AUDIO],
  );
  const changed = await client.call(account.updateAccount, { city: 'Torino', heuristic: 'cautious' });
  assert.equal(changed.user?.city, 'Torino');
  assert.equal(changed.user?.heuristic, 'cautious');
  const cleared = await client.call(account.updateAccount, { city: '' });
  assert.equal(cleared.user?.city, undefined);
  assert.equal(cleared.user?.heuristic, 'cautious');
  const refusal = await refusalOf(client, account.updateAccount, { heuristic: 'harsh' });
  assert.deepEqual(refusal, { code: 'INVALID_ARGUMENT', reason: 'BAD_FIELD', fields: ['heuristic'] });
});

test('before the terms are accepted only accepting them works', async () => {
  const input = { name: 'New', email: 'new@example.org' };
  const { user } = await admin.call(partner.createUser, { user: input });
  const { secret } = await admin.call(account.createKey, { name: 'new', userId: user?.id ?? 0n });
  const client = clientWith(secret);
  assert.equal((await refusalOf(client, account.getCredits, {})).reason, 'TERMS');
  const accepted = await client.call(account.acceptTerms, {});
  assert.notEqual(accepted.user?.termsAcceptedAt, undefined);
  assert.equal((await client.call(account.getCredits, {})).availableCredits, 0n);
});

test('keys are made, listed, replaced, revealed for the password and revoked', async () => {
  const { key, secret } = await admin.call(account.createKey, { name: 'ingest' });
  assert(key !== undefined);
  const own = clientWith(secret);
  await own.call(account.getCredits, {});
  const wrong = await refusalOf(admin, account.revealKey, { id: key.id, password: 'wrong' });
  assert.deepEqual(wrong, { code: 'INVALID_ARGUMENT', reason: 'BAD_FIELD', fields: ['password'] });
  const revealed = await admin.call(account.revealKey, { id: key.id, password: PASSWORD });
  assert.equal(revealed.secret, secret);
  const replaced = await admin.call(account.replaceKey, { id: key.id });
  assert.equal(replaced.key?.id, key.id);
  assert.equal((await refusalOf(own, account.getCredits, {})).code, 'UNAUTHENTICATED');
  const second = clientWith(replaced.secret);
  await second.call(account.getCredits, {});
  await admin.call(account.revokeKey, { id: key.id });
  assert.equal((await refusalOf(second, account.getCredits, {})).code, 'UNAUTHENTICATED');
  const { keys } = await admin.call(account.listKeys, {});
  assert(!keys.some(({ id }) => id === key.id));
  const gone = await refusalOf(admin, account.revokeKey, { id: key.id });
  assert.deepEqual([gone.code, gone.reason], ['NOT_FOUND', 'API_KEY']);
});

test('credits: the present state first, then each change; the ledger adds up to them', async () => {
  const { id, client } = await newAccount(admin);
  const departure = new AbortController();
  const watch = client.receive(account.watchCredits, {}, departure.signal);
  const next = async () => (await watch.next()).value?.availableCredits;
  assert.equal(await next(), 0n);
  await admin.call(appliance.grantCredits, { id, amount: 50n, note: 'trial' });
  assert.equal(await next(), 50n);
  const back = await admin.call(appliance.grantCredits, { id, amount: -20n });
  assert.equal(back.user?.balance, 30n);
  assert.equal(await next(), 30n);
  departure.abort();
  await watch.return(undefined);
  const first = await client.call(account.listLedger, { pageSize: 1 });
  assert.deepEqual(
    first.entries.map(({ amount, reason }) => [amount, reason]),
    [[-20n, LedgerReason.GRANT]],
  );
  const second = await client.call(account.listLedger, { pageSize: 1, pageToken: first.nextPageToken });
  assert.deepEqual([second.entries[0]?.amount, second.nextPageToken], [50n, '']);
  const seen = await admin.call(account.listLedger, { userId: id });
  assert.equal(seen.entries.length, 2);
  const overdrawn = await refusalOf(admin, appliance.grantCredits, { id, amount: -31n });
  assert.deepEqual(overdrawn.fields, ['amount']);
});

test('a partner sees and manages its own users, and no others', async () => {
  const one = await newAccount(admin, { role: Role.PARTNER });
  const other = await newAccount(admin, { role: Role.PARTNER });
  const own = await newAccount(one.client);
  await newAccount(one.client);
  const { users, totalSize, nextPageToken } = await one.client.call(partner.listUsers, {
    sort: 'id',
    direction: SortDirection.DESC,
    pageSize: 1,
  });
  assert.deepEqual([users.length, totalSize, nextPageToken], [1, 2n, '2']);
  assert.equal(users[0]?.partner?.id, one.id);
  const last = await one.client.call(partner.listUsers, { sort: 'id', pageSize: 1, pageToken: '1' });
  assert.equal(last.users[0]?.id, own.id);
  for (const refusal of [
    await refusalOf(other.client, partner.getUser, { id: own.id }),
    await refusalOf(other.client, partner.deleteUser, { id: own.id }),
    await refusalOf(other.client, partner.sendCreationEmail, { id: own.id }),
  ]) {
    assert.deepEqual([refusal.code, refusal.reason], ['NOT_FOUND', 'USER']);
  }
  const update = { id: own.id, user: { role: Role.ADMIN } };
  assert.equal((await refusalOf(one.client, partner.updateUser, update)).reason, 'ROLE');
  assert.equal((await refusalOf(own.client, partner.listUsers, {})).reason, 'ROLE');
  const keys = await refusalOf(other.client, account.listKeys, { userId: own.id });
  assert.equal(keys.code, 'NOT_FOUND');
});

test('every field at fault is told, by its path', async () => {
  const bad = await refusalOf(admin, partner.createUser, { user: { name: '', email: 'none' } });
  assert.deepEqual(bad, {
    code: 'INVALID_ARGUMENT',
    reason: 'BAD_FIELD',
    fields: ['user.name', 'user.email'],
  });
  const taken = { name: 'Twin', email: 'admin@localhost' };
  assert.deepEqual(await refusalOf(admin, partner.createUser, { user: taken }), {
    code: 'ALREADY_EXISTS',
    reason: 'EMAIL',
    fields: ['user.email'],
  });
  const page = await refusalOf(admin, partner.listUsers, { pageSize: 101 });
  assert.deepEqual(page.fields, ['page_size']);
  const token = await refusalOf(admin, account.listLedger, { pageToken: 'x' });
  assert.deepEqual(token.fields, ['page_token']);
});

test('users are changed and deleted; a deleted one is let in no more', async () => {
  const { id, client, email } = await newAccount(admin);
  const changed = await admin.call(partner.updateUser, {
    id,
    user: { readonly: true, c2paPolicy: C2paPolicy.NEVER, vat: 'IT123' },
  });
  assert.equal(changed.user?.readonly, true);
  assert.equal(changed.user?.c2paPolicy, C2paPolicy.NEVER);
  const reset = await admin.call(partner.updateUser, {
    id,
    user: { c2paPolicy: C2paPolicy.UNSPECIFIED },
  });
  assert.equal(reset.user?.c2paPolicy, C2paPolicy.UNSPECIFIED);
  assert.equal(reset.user?.vat, 'IT123');
  const deleted = await admin.call(partner.deleteUser, { id });
  assert.equal(deleted.user?.email, email);
  assert.equal((await refusalOf(client, account.getCredits, {})).code, 'UNAUTHENTICATED');
  assert.equal((await refusalOf(admin, partner.getUser, { id })).reason, 'USER');
});

test('password links: mailed, or told to the administrator', async () => {
  const { id, email, client } = await newAccount(admin);
  await admin.call(partner.sendCreationEmail, { id });
  const folder = join(daemon.folder, 'mail');
  const mails = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  assert(mails.some((mail) => mail.includes(email)));
  const { link, expiresAt } = await admin.call(appliance.resetPassword, { email });
  assert.match(link, /\/set-password\?token=/);
  assert(expiresAt !== undefined && Number(expiresAt.seconds) > Date.now() / 1000);
  assert.equal((await refusalOf(client, appliance.resetPassword, { email })).reason, 'ROLE');
  const none = { current: 'x', password: 'a new long password' };
  assert.deepEqual((await refusalOf(client, account.changePassword, none)).fields, ['current']);
});

test('plans are made and changed by the administrator, and hold at once', async () => {
  const { plan } = await admin.call(appliance.createPlan, {
    plan: {
      name: 'Desk',
      kinds: { values: [MediaKind.IMAGE] },
      imageCredits: 3n,
      optionCredits: { heatmap: 1n },
      models: { values: ['some-model'] },
      rateLimitPerMinute: 1000,
    },
  });
  assert(plan !== undefined);
  assert.deepEqual([plan.sku, plan.allModels, plan.models], ['desk', false, ['some-model']]);
  assert.deepEqual(plan.optionCredits, { heatmap: 1n });
  assert.deepEqual(
    plan.kinds.map(({ kind, credits }) => [kind, credits]),
    [[MediaKind.IMAGE, 3n]],
  );
  const { client } = await newAccount(admin, { pricingId: plan.id });
  const update = { id: plan.id, plan: { models: { all: true }, zeroRetention: true } };
  await admin.call(appliance.updatePlan, update);
  const { plans } = await client.call(appliance.listPlans, {});
  assert.deepEqual(
    plans.map(({ id, allModels, zeroRetention, name }) => [id, allModels, zeroRetention, name]),
    [[plan.id, true, true, 'Desk']],
  );
  assert((await admin.call(appliance.listPlans, {})).plans.length > 1);
  const bad = { plan: { name: 'Bad', imageCredits: -1n, options: { values: ['magic'] } } };
  const refusal = await refusalOf(admin, appliance.createPlan, bad);
  assert.deepEqual(refusal.fields.sort(), ['plan.image_credits', 'plan.options']);
  assert.equal((await refusalOf(client, appliance.createPlan, bad)).reason, 'ROLE');
  assert.equal((await refusalOf(admin, appliance.updatePlan, { id: 99n })).reason, 'PLAN');
});

test('the audit log and the queue are the administrator’s', async () => {
  const { client, id } = await newAccount(admin);
  const first = await admin.call(appliance.listAuditEntries, { pageSize: 2 });
  assert.deepEqual(
    first.entries.map(({ action, target, facade }) => [action, target, facade]),
    [
      ['terms.accept', String(id), 'grpc'],
      ['key.create', `${id}/1`, 'grpc'],
    ],
  );
  const next = await admin.call(appliance.listAuditEntries, { pageSize: 1, pageToken: first.nextPageToken });
  assert.equal(next.entries[0]?.action, 'account.create');
  assert.equal(next.entries[0]?.remoteAddress, '127.0.0.1');
  const queue = await admin.call(appliance.getQueue, {});
  assert.deepEqual([queue.runningTotal, queue.waitingTotal, queue.failed], [0n, 0n, []]);
  assert.equal((await refusalOf(client, appliance.listAuditEntries, {})).reason, 'ROLE');
  assert.equal((await refusalOf(client, appliance.getQueue, {})).reason, 'ROLE');
});

test('the webhook secret stays until it is rotated; an unknown delivery is not found', async () => {
  const { client } = await newAccount(admin);
  const { secret } = await client.call(account.getWebhookSecret, {});
  assert.match(secret, /^whsec_/);
  assert.equal((await client.call(account.getWebhookSecret, {})).secret, secret);
  assert.notEqual((await client.call(account.rotateWebhookSecret, {})).secret, secret);
  assert.deepEqual((await client.call(account.listDeliveries, {})).deliveries, []);
  const unknown = await refusalOf(client, account.replayDelivery, { id: 'msg_none' });
  assert.deepEqual([unknown.code, unknown.reason], ['NOT_FOUND', 'DELIVERY']);
});
