import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'lmdb';
import { blankAccount } from '../../src/app/accounts/account-rules.ts';
import { Store } from '../../src/store/store.ts';
import { TABLES_MAX } from '../../src/store/tables/schema.ts';
import { addUser, openApp } from '../app/open-app.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { flipped, spoilRows } from './spoiled-records.ts';

const NEW_INDEXES = [
  ...['accounts-by-role', 'sessions-by-account', 'sessions-by-end'],
  ...['mail-tokens-by-account', 'mail-tokens-by-end'],
];
const SESSION = { csrfToken: 'c', userAgent: '', createdAt: 1 };

test('sessions, links and administrators are found in a store older than their indexes', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = temporary.path;
  const given = { name: 'n', planId: 1 };
  const admin = { ...blankAccount(1, { ...given, email: 'a@example.org' }, 1), role: 'admin' } as const;
  const user = blankAccount(2, { ...given, email: 'u@example.org' }, 1);
  const mine = { ...SESSION, hash: 'mine', accountId: user.id, expiresAt: 100 };
  const other = { ...SESSION, hash: 'other', accountId: admin.id, expiresAt: 50 };
  const token = {
    hash: 'token',
    accountId: user.id,
    purpose: 'verify_email',
    createdAt: 1,
    expiresAt: 9,
  } as const;
  {
    await using before = await Store.open({ folder });
    await before.transact((tx) => {
      for (const account of [admin, user]) tx.accounts.put(account);
      for (const session of [mine, other]) tx.accounts.putSession(session);
      tx.accounts.putMailToken(token);
    });
  }
  const root = open({ path: join(folder, 'records'), pageSize: 8192, maxDbs: TABLES_MAX });
  for (const name of NEW_INDEXES) root.openDB(name, { encoding: 'binary' }).clearSync();
  await root.close();

  await using store = await Store.open({ folder });
  deepEqual(store.read.accounts.sessionsOfAccount(user.id), [mine]);
  deepEqual(
    store.read.accounts.endedSessionKeys(60, 10).map(({ hash }) => hash),
    ['other'],
  );
  deepEqual(store.read.accounts.mailTokenKeysOfAccount(user.id), [
    { hash: token.hash, accountId: user.id, expiresAt: 9 },
  ]);
  deepEqual(
    store.read.accounts.ofRole('admin').map(({ id }) => id),
    [admin.id],
  );
  await store.transact((tx) => {
    tx.accounts.put({ ...user, role: 'admin' });
    tx.accounts.removeSession(mine);
  });
  equal(store.read.accounts.ofRole('admin').length, 2);
  deepEqual(store.read.accounts.sessionsOfAccount(user.id), []);
  equal(store.read.accounts.sessions.get('mine'), undefined);
});

test('an address is not free because its account cannot be read', async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = temporary.path;
  const account = blankAccount(2, { name: 'n', planId: 1, email: 'u@example.org' }, 1);
  {
    await using before = await Store.open({ folder });
    await before.transact((tx) => tx.accounts.put(account));
  }
  const find = async () => {
    await using store = await Store.open({ folder });
    return store.read.accounts.byEmail('U@example.org');
  };
  await spoilRows(folder, [{ table: 'accounts-by-email', key: account.email, spoil: flipped }]);
  deepEqual(await find(), account, 'found without its index');
  await spoilRows(folder, [{ table: 'accounts', key: account.id, spoil: flipped }]);
  await rejects(find(), /damaged record in accounts-by-email/);
});

test('a refused change forgets what it wrote, and nothing else', async () => {
  await using box = await openApp();
  const { app, admin } = box;
  const user = await addUser(app, admin);
  const { read } = app.store;
  const known = read.accounts.get(admin.account.id);
  await rejects(
    app.store.transact((tx) => {
      tx.accounts.put({ ...user, name: 'never' });
      equal(tx.accounts.get(user.id)?.name, 'never');
      throw new Error('refused');
    }),
    /refused/,
  );
  notEqual(read.accounts.get(user.id)?.name, 'never');
  // The very same object: it was not read and decoded anew.
  equal(read.accounts.get(admin.account.id), known);
});
