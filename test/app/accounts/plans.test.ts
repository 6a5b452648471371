import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listLedger } from '../../../src/app/accounts/credits.ts';
import { createPlan, listPlans, updatePlan } from '../../../src/app/accounts/plans.ts';
import { grantCredits } from '../../../src/app/accounts/users.ts';
import { enabledOptions, priceOf } from '../../../src/domain/accounts/price.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

let open: OpenApp;
before(async () => {
  open = await openApp();
});
after(async () => {
  await open[Symbol.asyncDispose]();
});

test('a plan is made from text as from typed values, and changed field by field', async () => {
  const { app, admin } = open;
  const plan = await createPlan(app, {
    principal: admin,
    fields: {
      ...{
        name: 'News Room',
        kinds: 'image,audio',
        options: ['heatmap'],
        image_credits: '2',
        video_credits: 5,
      },
      ...{ option_credits: 'heatmap=3, nsfw=1', models: 'assay-transformer', rate_limit_per_minute: 60 },
      ...{ image_bytes_max: 1000, zero_retention: true, c2pa_policy: 'never' },
    },
  });
  assert.equal(plan.sku, 'news-room');
  assert.deepEqual(plan.kinds, ['image', 'audio']);
  assert.deepEqual(plan.credits, { image: 2, video: 5, audio: 0 });
  assert.deepEqual(plan.optionCredits, { heatmap: 3, nsfw: 1 });
  assert.deepEqual(plan.models, ['assay-transformer']);
  assert.equal(plan.fileBytesMax.image, 1000);
  assert.equal(plan.fileBytesMax.audio, 15_728_640);
  const changed = await updatePlan(app, {
    principal: admin,
    id: plan.id,
    fields: { audio_credits: 4, models: 'all' },
  });
  assert.deepEqual(changed, { ...plan, credits: { image: 2, video: 5, audio: 4 }, models: 'all' });
});

const BAD_FIELDS: Record<string, unknown>[] = [
  { name: '' },
  { sku: 'a b' },
  { sku: 'appliance' },
  { kinds: 'image,text' },
  { options: 7 },
  { image_credits: -1 },
  { video_credits: 1.5 },
  { option_credits: 'heatmap' },
  { option_credits: { foreign_types: 1 } },
  { option_credits: { heatmap: 'much' } },
  { models: ['../x'] },
  { rate_limit_per_minute: 'fast' },
  { image_bytes_max: 15_728_641 },
  { record_days: 40_000 },
  { zero_retention: 'maybe' },
  { c2pa_policy: 'sometimes' },
];
for (const fields of BAD_FIELDS) {
  test(`refuses ${JSON.stringify(fields)}`, async () => {
    const given = { name: 'A plan', ...fields };
    await assert.rejects(createPlan(open.app, { principal: open.admin, fields: given }), (error) => {
      assert.ok(error instanceof Error && 'fields' in error && Array.isArray(error.fields), String(error));
      assert.equal(error.fields[0]?.field, Object.keys(fields)[0]);
      return true;
    });
  });
}

test('a user reads its own plan, a partner all, and only the administrator writes', async () => {
  const { app, admin } = open;
  const user = principalOf(app, (await addUser(app, admin)).id);
  const partner = principalOf(app, (await addUser(app, admin, { role: 'partner' })).id);
  const other = await createPlan(app, { principal: admin, fields: { name: 'Other' } });
  assert.deepEqual(
    listPlans(app, { principal: user }).map(({ id }) => id),
    [1],
  );
  assert.ok(listPlans(app, { principal: partner }).some(({ id }) => id === other.id));
  for (const principal of [user, partner]) {
    await assert.rejects(createPlan(app, { principal, fields: { name: 'X' } }), { reason: 'role' });
    await assert.rejects(updatePlan(app, { principal, id: 1, fields: { name: 'X' } }), { reason: 'role' });
  }
  await assert.rejects(updatePlan(app, { principal: admin, id: 99, fields: {} }), { reason: 'plan' });
});

test('a submission costs its kind and each option that the plan enables', async () => {
  const plan = await createPlan(open.app, {
    principal: open.admin,
    fields: {
      ...{ name: 'Priced', image_credits: 2, video_credits: 10, options: 'heatmap,tampering,webhook' },
      option_credits: { heatmap: 3, tampering: 5, nsfw: 7, webhook: 1 },
    },
  });
  const asked = { ...DEFAULT_OPTIONS, withHeatmap: true, withNsfw: true };
  const options = enabledOptions(plan, asked);
  assert.equal(options.withNsfw, false);
  const tampered = { ...DEFAULT_OPTIONS, withTampering: true };
  assert.equal(enabledOptions(plan, tampered).withTampering, true);
  assert.equal(enabledOptions({ ...plan, options: ['heatmap'] }, tampered).withTampering, false);
  assert.equal(priceOf(plan, { kind: 'image', options: tampered, webhookUrl: null }), 7);
  assert.equal(priceOf(plan, { kind: 'image', options, webhookUrl: null }), 5);
  assert.equal(priceOf(plan, { kind: 'video', options: DEFAULT_OPTIONS, webhookUrl: 'https://x.org' }), 11);
  assert.equal(priceOf(plan, { kind: 'audio', options: DEFAULT_OPTIONS, webhookUrl: null }), 0);
});

test('the ledger is listed newest first, page by page, by whom it concerns', async () => {
  const { app, admin } = open;
  const { id } = await addUser(app, admin);
  for (const amount of [1, 2, 3, 4, 5]) await grantCredits(app, { principal: admin, id, amount, note: '' });
  const principal = principalOf(app, id);
  const first = listLedger(app, { principal, limit: 2 });
  assert.deepEqual(
    first.map(({ amount }) => amount),
    [5, 4],
  );
  const second = listLedger(app, {
    principal: admin,
    userId: id,
    limit: 100,
    before: first.at(-1)?.sequence,
  });
  assert.deepEqual(
    second.map(({ amount }) => amount),
    [3, 2, 1],
  );
  assert.deepEqual(listLedger(app, { principal, limit: 5, before: 1 }), []);
  const stranger = principalOf(app, (await addUser(app, admin)).id);
  assert.throws(() => listLedger(app, { principal: stranger, userId: id, limit: 1 }), { reason: 'role' });
  assert.throws(() => listLedger(app, { principal, limit: 0 }), { reason: 'bad_field' });
});
