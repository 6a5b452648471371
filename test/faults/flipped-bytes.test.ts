import { deepEqual, ok, throws } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { authenticate } from '../../src/app/callers/authenticate.ts';
import { identifySession } from '../../src/app/callers/session.ts';
import { accountOfToken, hashSecret, revokeAccess } from '../../src/app/callers/tokens.ts';
import { FROM } from '../app/open-app.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import {
  damageInTurn,
  damagesAtOnce,
  type Flip,
  flipBack,
  linkUse,
  openRecords,
  openStage,
  setUp,
  tableNames,
} from './rounds/flipped-rows.ts';

/** `test/heavy/store/flipped-rows.ts` damages each row alone. */
test('whichever row is damaged, every other account works on, and none gets more rights', async () => {
  await using folder = await makeTemporaryFolder();
  const stage = await setUp(join(folder.path, 'data'));
  const names = await tableNames(stage);
  const { flipped, noted } = await damageInTurn(stage, damagesAtOnce(names));
  deepEqual([...flipped].sort(), names.toSorted());
  for (const table of ['accounts', 'custody', 'plans', 'sessions']) ok(noted.has(table), table);
});

test('a key revoked while damaged stays revoked when its bytes are right again', async () => {
  await using folder = await makeTemporaryFolder();
  const stage = await setUp(join(folder.path, 'data'));
  const { id, key, cookie, link } = stage.victim;
  const flips: Flip[] = [];
  {
    await using records = openRecords(stage.data);
    const secrets = [
      { table: 'api-keys', key: hashSecret(key) },
      { table: 'sessions', key: hashSecret(cookie) },
      { table: 'mail-tokens', key: hashSecret(link) },
    ];
    for (const row of secrets) flips.push({ ...row, damaged: records.flip(row.table, row.key) });
  }
  {
    await using opened = await openStage(stage.data);
    const { clock, store } = opened.app;
    throws(() => accountOfToken(store.read, link, linkUse(clock.now())), /damaged record in mail-tokens/);
    await store.transact((tx) => revokeAccess(tx, id));
  }
  for (const it of flips) await flipBack(stage, it);
  await using opened = await openStage(stage.data);
  throws(() => authenticate(opened.app, key, FROM), /invalid API key/);
  throws(() => identifySession(opened.app, cookie, FROM), /not signed in/);
  const { clock, store } = opened.app;
  throws(() => accountOfToken(store.read, link, linkUse(clock.now())), /neither used nor replaced/);
});

test('a damaged balance is what the ledger adds up to', async () => {
  await using folder = await makeTemporaryFolder();
  const stage = await setUp(join(folder.path, 'data'));
  const { id } = stage.victim;
  {
    await using records = openRecords(stage.data);
    records.flip('balances', id);
  }
  {
    await using opened = await openStage(stage.data);
    deepEqual(opened.app.store.read.balance(id), { available: 7, spent: 0, sequence: 1 });
  }
  {
    await using records = openRecords(stage.data);
    records.flip('ledger', [id, 1]);
  }
  await using opened = await openStage(stage.data);
  throws(() => opened.app.store.read.balance(id), /damaged record in balances/);
});
