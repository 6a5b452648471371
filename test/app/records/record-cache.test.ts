import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addDesk, removeDeskMember, setDeskMember } from '../../../src/app/accounts/desks.ts';
import { updateUser } from '../../../src/app/accounts/users.ts';
import { deleteClassification, getClassification } from '../../../src/app/records/classifications.ts';
import { overrideClassification, removeOverride } from '../../../src/app/records/overrides.ts';
import { watchClassifications } from '../../../src/app/records/watch.ts';
import { addRecord, addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

const HASH = 'd'.repeat(64);
let open: OpenApp;

before(async () => {
  open = await openApp();
});
after(() => open[Symbol.asyncDispose]());

test('an ended record is the same object until something that it depends on changes', async () => {
  const { app, admin: principal } = open;
  const identifier = await addRecord(app, principal.account.id, { hash: HASH });
  const read = () => getClassification(app, { principal, identifier });
  const first = read();
  assert.equal(read(), first);

  await overrideClassification(app, { principal, kind: 'image', hash: HASH, classification: 'human' });
  const overridden = read();
  assert.equal(overridden.forceClassification, 'human');
  assert.equal(read(), overridden);
  await removeOverride(app, { principal, kind: 'image', hash: HASH });
  assert.equal(read().forceClassification, null);

  const before = read();
  await updateUser(app, { principal, id: principal.account.id, fields: { heuristic: 'cautious' } });
  assert.notEqual(read(), before, 'the account reads its records otherwise now');
});

test('a record at work is the same object until its analysis reports', async (t) => {
  const { app, admin: principal } = open;
  const identifier = await addRecord(app, principal.account.id, { hash: '9'.repeat(64) });
  const analysis = app.store.read.analyses.get(`analysis-${identifier}`);
  assert.ok(analysis !== undefined);
  await app.store.transact((tx) => tx.putAnalysis({ ...analysis, state: 'running', endedAt: null }));
  let progress = { step: 'pixels', done: 1, total: 4 };
  t.mock.method(app.running, 'progressOf', () => progress);
  const read = () => getClassification(app, { principal, identifier });
  const first = read();
  assert.equal(read(), first);
  progress = { step: 'models', done: 2, total: 4 };
  assert.equal(read().progress?.step, 'models');
  await app.store.transact((tx) => tx.putAnalysis(analysis));
  assert.equal(read().status, 'errored');
});

test('a kept record is shown only to those who may read it now', async () => {
  const { app, admin } = open;
  const { id } = await addDesk(app, { principal: admin, name: 'Night desk' });
  const account = await addUser(app, admin);
  await setDeskMember(app, { principal: admin, id, email: account.email, role: 'looks' });
  const identifier = await addRecord(app, admin.account.id, { hash: 'a'.repeat(64), deskId: id });
  const principal = principalOf(app, account.id);
  const read = () => getClassification(app, { principal, identifier });
  assert.equal(read(), read());
  await removeDeskMember(app, { principal: admin, id, email: account.email });
  assert.throws(read, { reason: 'classification' });
});

test('a record that is deleted is gone, however often it was read', async () => {
  const { app, admin: principal } = open;
  const identifier = await addRecord(app, principal.account.id, { hash: 'e'.repeat(64) });
  getClassification(app, { principal, identifier });
  await deleteClassification(app, { principal, identifier });
  assert.throws(() => getClassification(app, { principal, identifier }), { reason: 'classification' });
});

test('all who watch an account are given one record of a change', async () => {
  const { app, admin: principal } = open;
  const hash = 'f'.repeat(64);
  const identifier = await addRecord(app, principal.account.id, { hash });
  const left = new AbortController();
  const watches = [1, 2].map(() => watchClassifications(app, { principal }, left.signal));
  const changes = watches.map((watch) => watch.next());
  await overrideClassification(app, { principal, kind: 'image', hash, classification: 'human' });
  const [one, other] = await Promise.all(changes);
  assert.equal(one?.value?.forceClassification, 'human');
  assert.equal(one?.value, other?.value);
  assert.equal(one?.value, getClassification(app, { principal, identifier }));
  left.abort();
});
