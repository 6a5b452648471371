import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { deleteClassification } from '../../../src/app/records/classifications.ts';
import { overrideClassification, removeOverride } from '../../../src/app/records/overrides.ts';
import { TEST_KEY } from '../../daemon.ts';
import { addRecord, openServedApp, type ServedApp } from '../open-app.ts';

const HASH = 'a'.repeat(64);
let open: ServedApp;
let identifier: string;

before(async () => {
  open = await openServedApp({ ASSAY_ADMIN_API_KEY: TEST_KEY });
  identifier = await addRecord(open.app, open.admin.account.id, { hash: HASH, state: 'done' });
});
after(() => open[Symbol.asyncDispose]());

async function get(key = TEST_KEY): Promise<{ status: number; body: Record<string, unknown> }> {
  const address = `${open.url}/api/classification/${identifier}`;
  const answer = await fetch(address, { headers: { 'x-api-key': key } });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('an override shows at once, and its removal', async () => {
  const { app, admin: principal } = open;
  const before = await get();
  assert.deepEqual(await get(), before);
  await overrideClassification(app, { principal, kind: 'image', hash: HASH, classification: 'human' });
  assert.deepEqual((await get()).body, { ...before.body, force_classification: 'human' });
  await removeOverride(app, { principal, kind: 'image', hash: HASH });
  assert.deepEqual(await get(), before);
});

test('writes of other things and undone writes change nothing', async () => {
  const { app, admin: principal } = open;
  const before = await get();
  await addRecord(app, principal.account.id, { hash: 'b'.repeat(64) });
  assert.deepEqual(await get(), before);
  const renamed = app.store.transact((tx) => {
    const record = tx.records.get(identifier);
    assert.ok(record);
    tx.putClassification({ ...record, name: 'never.png' });
    throw new Error('undone');
  });
  await assert.rejects(renamed, /undone/);
  assert.deepEqual(await get(), before);
});

test('a revoked key is refused at its next call, however often it asked', async () => {
  const { app, admin: principal } = open;
  const { key, secret } = await createKey(app, { principal, name: 'passing' });
  for (let call = 0; call < 3; call++) assert.equal((await get(secret)).status, 200);
  await revokeKey(app, { principal, id: key.id });
  assert.equal((await get(secret)).status, 401);
  assert.equal((await get()).status, 200);
});

test('a record is gone with its deletion', async () => {
  const { app, admin: principal } = open;
  await get();
  await deleteClassification(app, { principal, identifier });
  assert.equal((await get()).status, 404);
});
