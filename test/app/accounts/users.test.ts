import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listAudit } from '../../../src/app/accounts/audit.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { listUsers } from '../../../src/app/accounts/user-list.ts';
import {
  createUser,
  deleteUser,
  getUser,
  grantCredits,
  updateUser,
} from '../../../src/app/accounts/users.ts';
import { identify } from '../../../src/app/callers/authenticate.ts';
import { followStanding } from '../../../src/app/callers/standing.ts';
import { watchClassifications } from '../../../src/app/records/watch.ts';
import { addRecord, addUser, FROM, type OpenApp, openApp, principalOf, readMails } from '../open-app.ts';

let open: OpenApp;
before(async () => {
  open = await openApp();
});
after(async () => {
  await open[Symbol.asyncDispose]();
});

const refusal = (reason: string, field?: string) => (error: unknown) => {
  assert.ok(error instanceof Error && 'reason' in error && 'fields' in error, String(error));
  assert.equal(error.reason, reason, error.message);
  if (field !== undefined) {
    const fields = error.fields as { field: string }[];
    assert.ok(
      fields.some((it) => it.field === field),
      `${field} in ${JSON.stringify(fields)}`,
    );
  }
  return true;
};

test('an account is made with its documented fields', async () => {
  const { app, admin } = open;
  const account = await createUser(app, {
    principal: admin,
    fields: { name: ' Ada Rossi ', email: 'ada@Example.org', city: 'Torino', vat: '', readonly: 'true' },
  });
  const view = getUser(app, { principal: admin, id: account.id });
  assert.equal(view.name, 'Ada Rossi');
  assert.equal(view.email, 'ada@Example.org');
  assert.equal(view.city, 'Torino');
  assert.equal(view.vat, null);
  assert.equal(view.readonly, true);
  assert.equal(view.balance, 0);
  assert.equal(view.emailVerifiedAt, null);
  assert.deepEqual(view.pricing, { id: 1, name: 'Appliance', sku: 'appliance' });
  assert.equal(view.partner, null);
});

const BAD_FIELDS: [title: string, fields: Record<string, unknown>, reason: string, field: string][] = [
  ['no name', { name: undefined }, 'bad_field', 'name'],
  ['an empty name', { name: '  ' }, 'bad_field', 'name'],
  ['a name with a line break', { name: 'a\nb' }, 'bad_field', 'name'],
  ['a name too long', { name: 'a'.repeat(201) }, 'bad_field', 'name'],
  ['no e-mail', { email: undefined }, 'bad_field', 'email'],
  ['an e-mail without a sign', { email: 'ada' }, 'bad_field', 'email'],
  ['an e-mail that is two', { email: 'a@b.org,c@d.org' }, 'bad_field', 'email'],
  ['an e-mail with a header', { email: 'a@b.org\r\nBcc: c@d.org' }, 'bad_field', 'email'],
  ['an e-mail that is taken', { email: 'ADMIN@localhost' }, 'email', 'email'],
  ['an unknown plan', { pricing_id: 99 }, 'bad_field', 'pricing_id'],
  ['a plan that is no number', { pricing_id: 'two' }, 'bad_field', 'pricing_id'],
  ['an unknown heuristic', { heuristic: 'wild' }, 'bad_field', 'heuristic'],
  ['an unknown role', { role: 'king' }, 'bad_field', 'role'],
  ['readonly maybe', { readonly: 'maybe' }, 'bad_field', 'readonly'],
  ['a partner that is none', { partner_id: 1 }, 'bad_field', 'partner_id'],
  ['an object as city', { city: {} }, 'bad_field', 'city'],
];
for (const [title, fields, reason, field] of BAD_FIELDS) {
  test(`refuses ${title}`, async () => {
    const given = { name: 'N', email: 'new@example.org', ...fields };
    await assert.rejects(
      createUser(open.app, { principal: open.admin, fields: given }),
      refusal(reason, field),
    );
  });
}

test('all faults are reported at once', async () => {
  await assert.rejects(
    createUser(open.app, { principal: open.admin, fields: { name: '', email: 'x', heuristic: 'wild' } }),
    (error: { fields: { field: string }[] }) => {
      assert.deepEqual(error.fields.map(({ field }) => field).sort(), ['email', 'heuristic', 'name']);
      return true;
    },
  );
});

test('a partner sees and manages only its own users', async () => {
  const { app, admin } = open;
  const [first, second] = [
    await addUser(app, admin, { role: 'partner' }),
    await addUser(app, admin, { role: 'partner' }),
  ];
  const [one, two] = [principalOf(app, first.id), principalOf(app, second.id)];
  const mine = await addUser(app, one);
  assert.equal(mine.partnerId, first.id);
  const ids = (principal: typeof one) => listUsers(app, { principal, fields: {} }).data.map(({ id }) => id);
  assert.deepEqual(ids(one), [mine.id]);
  assert.deepEqual(ids(two), []);
  assert.equal(getUser(app, { principal: one, id: mine.id }).partner?.id, first.id);
  assert.throws(() => getUser(app, { principal: two, id: mine.id }), refusal('user'));
  await assert.rejects(
    updateUser(app, { principal: two, id: mine.id, fields: { name: 'X' } }),
    refusal('user'),
  );
  await assert.rejects(deleteUser(app, { principal: two, id: mine.id }), refusal('user'));
  await assert.rejects(deleteUser(app, { principal: one, id: first.id }), refusal('user'));
  await assert.rejects(addUser(app, one, { role: 'admin' }), refusal('role'));
  await assert.rejects(addUser(app, one, { partner_id: second.id }), refusal('role'));
  await assert.rejects(
    grantCredits(app, { principal: one, id: mine.id, amount: 5, note: '' }),
    refusal('role'),
  );
  const changed = await updateUser(app, {
    principal: one,
    id: mine.id,
    fields: { readonly: true, city: 'Roma' },
  });
  assert.equal(changed.readonly, true);
  await deleteUser(app, { principal: admin, id: first.id });
  assert.equal(app.store.read.accounts.get(mine.id)?.partnerId, null);
});

test('a plain user manages no other user, and of itself only its own data', async () => {
  const { app, admin } = open;
  const user = await addUser(app, admin);
  const principal = principalOf(app, user.id);
  await assert.rejects(addUser(app, principal), refusal('role'));
  assert.throws(() => listUsers(app, { principal, fields: {} }), refusal('role'));
  await assert.rejects(deleteUser(app, { principal, id: user.id }), refusal('role'));
  const changed = await updateUser(app, {
    principal,
    id: user.id,
    fields: { heuristic: 'cautious', phone: '1' },
  });
  assert.equal(changed.heuristic, 'cautious');
  for (const fields of [{ pricing_id: 1 }, { readonly: false }, { role: 'admin' }, { email: 'x@y.org' }]) {
    await assert.rejects(updateUser(app, { principal, id: user.id, fields }), refusal('role'));
  }
});

test('a read-only account only looks', async () => {
  const { app, admin } = open;
  const user = await addUser(app, admin, { role: 'partner', readonly: true });
  const principal = principalOf(app, user.id);
  assert.deepEqual(listUsers(app, { principal, fields: {} }).data, []);
  await assert.rejects(addUser(app, principal), refusal('read_only'));
  await assert.rejects(
    updateUser(app, { principal, id: user.id, fields: { name: 'X' } }),
    refusal('read_only'),
  );
});

test('the last administrator stays', async () => {
  const { app, admin } = open;
  await assert.rejects(deleteUser(app, { principal: admin, id: 1 }), refusal('last_admin'));
  await assert.rejects(
    updateUser(app, { principal: admin, id: 1, fields: { role: 'user' } }),
    refusal('last_admin'),
  );
  await assert.rejects(
    updateUser(app, { principal: admin, id: 1, fields: { readonly: true } }),
    refusal('last_admin'),
  );
});

test('a deleted account is gone at once: key, name in lists, address free again', async () => {
  const { app, admin } = open;
  const user = await addUser(app, admin, { email: 'gone@example.org' });
  const { secret } = await createKey(app, { principal: principalOf(app, user.id), name: 'k' });
  identify(app, secret, FROM);
  const principal = principalOf(app, user.id);
  using standing = followStanding(app, principal);
  const stream = watchClassifications(app, { principal }, standing.signal);
  const next = stream.next();
  const identifier = await addRecord(app, user.id, { hash: 'd'.repeat(64) });
  await deleteUser(app, { principal: admin, id: user.id });
  app.feed.publishRecord(identifier, { accountId: user.id });
  assert.deepEqual(await next, { done: true, value: undefined }, 'nothing is sent any more');
  assert.throws(() => standing.signal.throwIfAborted(), refusal('key'));
  assert.throws(() => identify(app, secret, FROM), refusal('key'));
  assert.throws(() => getUser(app, { principal: admin, id: user.id }), refusal('user'));
  await assert.rejects(deleteUser(app, { principal: admin, id: user.id }), refusal('user'));
  const again = await addUser(app, admin, { email: 'gone@example.org' });
  assert.ok(again.id > user.id);
  const deleted = app.store.read.accounts.get(user.id);
  assert.ok(deleted !== undefined);
  await app.store.transact((tx) => tx.accounts.put(deleted));
  assert.equal(app.store.read.accounts.byEmail('gone@example.org')?.id, again.id);
});

test('another e-mail address must be verified, and old links stop', async () => {
  const { app, admin } = open;
  const user = await addUser(app, admin);
  const earlier = (await readMails(open)).length;
  const changed = await updateUser(app, {
    principal: admin,
    id: user.id,
    fields: { email: 'moved@example.org' },
  });
  assert.equal(changed.emailVerifiedAt, null);
  const mails = await readMails(open);
  assert.equal(mails.length, earlier + 1);
  assert.match(mails.at(-1) ?? '', /moved@example\.org/);
});

test('credits are granted and taken back, never below nothing', async () => {
  const { app, admin } = open;
  const { id } = await addUser(app, admin);
  assert.equal((await grantCredits(app, { principal: admin, id, amount: 10, note: 'start' })).balance, 10);
  assert.equal((await grantCredits(app, { principal: admin, id, amount: '-4', note: '' })).balance, 6);
  for (const amount of [0, -7, 1.5, 'ten', 2e9]) {
    await assert.rejects(
      grantCredits(app, { principal: admin, id, amount, note: '' }),
      refusal('bad_field', 'amount'),
    );
  }
  const line = listAudit(app, { principal: admin, limit: 100 }).find((it) => it.target === String(id));
  assert.equal(line?.action, 'credits.grant');
  assert.equal(line?.accountId, 1);
  assert.equal(line?.remoteAddress, FROM.remoteAddress);
  assert.throws(() => listAudit(app, { principal: principalOf(app, id), limit: 1 }), refusal('role'));
});

test('a list is filtered, sorted and paged as documented', async () => {
  const { app, admin } = open;
  const partner = await addUser(app, admin, { role: 'partner' });
  const principal = principalOf(app, partner.id);
  const names = ['Carla', 'anna', 'Bruno', 'Dario', 'Elsa'];
  for (const name of names) {
    await addUser(app, principal, {
      name,
      email: `${name}.list@example.org`,
      city: name === 'Elsa' ? null : name,
    });
  }
  const page = (fields: Record<string, unknown>) => listUsers(app, { principal, fields });
  const namesOf = (fields: Record<string, unknown>) => page(fields).data.map(({ name }) => name);
  assert.deepEqual(namesOf({}), names);
  assert.deepEqual(namesOf({ sort: 'name' }), ['anna', 'Bruno', 'Carla', 'Dario', 'Elsa']);
  assert.deepEqual(namesOf({ sort: 'city', direction: 'desc' }), ['Dario', 'Carla', 'Bruno', 'anna', 'Elsa']);
  assert.deepEqual(namesOf({ filter: 'AR' }), ['Carla', 'Dario']);
  assert.deepEqual(namesOf({ filter: 'bruno.list@' }), ['Bruno']);
  assert.deepEqual(namesOf({ pricing_id: '2' }), []);
  const whole = page({});
  assert.deepEqual(
    [whole.currentPage, whole.from, whole.to, whole.lastPage, whole.perPage, whole.total, whole.nextPageUrl],
    [1, 1, 5, 1, 5, 5, null],
  );
  const second = page({ per_page: '2', page: '2', sort: 'name', filter: 'list' });
  assert.deepEqual(
    [second.currentPage, second.from, second.to, second.lastPage, second.perPage, second.total],
    [2, 3, 4, 3, 2, 5],
  );
  assert.equal(
    second.nextPageUrl,
    `${app.config.publicUrl}/api/partner/users?filter=list&sort=name&per_page=2&page=3`,
  );
  const beyond = page({ per_page: 2, page: 9 });
  assert.deepEqual([beyond.from, beyond.to, beyond.data, beyond.nextPageUrl], [0, 0, [], null]);
  for (const fields of [{ sort: 'password' }, { direction: 'up' }, { per_page: 0 }, { page: 'x' }]) {
    assert.throws(() => page(fields), refusal('bad_field', Object.keys(fields)[0]));
  }
});
