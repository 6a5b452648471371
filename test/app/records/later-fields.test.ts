import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listPlans, updatePlan } from '../../../src/app/accounts/plans.ts';
import { getClassification } from '../../../src/app/records/classifications.ts';
import type { Plan } from '../../../src/domain/accounts/plan.ts';
import { type AnalysisOptions, DEFAULT_OPTIONS, optionsKey } from '../../../src/domain/records/options.ts';
import { identifierOf, seedRecords } from '../../seeded-records.ts';
import { type OpenApp, openApp } from '../open-app.ts';

let open: OpenApp;

before(async () => {
  open = await openApp();
  await seedRecords(open.app.store, 1, () => ({ name: 'old.png', probability: 0.5 }));
});

after(() => open?.[Symbol.asyncDispose]());

test('an option that came later was not asked for', async () => {
  const { store } = open.app;
  const identifier = identifierOf(0);
  const { ensureFacePerFrame: _, ...known } = DEFAULT_OPTIONS;
  const stored = store.read.records.get(identifier);
  assert.ok(stored);
  await store.transact((tx) => tx.putClassification({ ...stored, options: known as AnalysisOptions }));
  assert.deepEqual(
    getClassification(open.app, { principal: open.admin, identifier }).options,
    DEFAULT_OPTIONS,
  );
  assert.equal(optionsKey('video', known as AnalysisOptions), optionsKey('video', DEFAULT_OPTIONS));
});

test('a field of a plan that came later is as in the first plan', async () => {
  const { store } = open.app;
  const [plan] = [...store.read.accounts.plans.values()];
  assert.ok(plan);
  const { zeroRetention: _, ...known } = plan;
  await store.transact((tx) => tx.accounts.putPlan(known as Plan));
  assert.deepEqual(listPlans(open.app, { principal: open.admin }), [{ ...plan, zeroRetention: false }]);
  const change = { principal: open.admin, id: plan.id, fields: { media_days: 3 } };
  assert.deepEqual(await updatePlan(open.app, change), { ...plan, zeroRetention: false, mediaDays: 3 });
});
