import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { deleteUser } from '../../../src/app/accounts/users.ts';
import { createNoticeRule, removeNoticeRule } from '../../../src/app/notices/notice-rules.ts';
import { replayDelivery } from '../../../src/app/webhooks/deliveries.ts';
import type { WebhookDelivery } from '../../../src/domain/answers/webhook.ts';
import { until } from '../../faults/rounds/submissions.ts';
import { addRecord, addUser, openApp, principalOf } from '../open-app.ts';
import { openReceiver } from '../webhooks/webhook-receiver.ts';

const { signal } = new AbortController();

test('a notice of a rule that was removed is not sent by the rule that has its number now', async () => {
  await using room = await openApp({ ASSAY_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' });
  await using receiver = await openReceiver({ status: 200 });
  const { app, admin } = room;
  const desks = [];
  for (const name of ['first', 'other']) {
    const { id } = await addUser(app, admin);
    desks.push({ id, fields: { channel: 'slack', target: `${receiver.origin}/${name}` } });
  }
  const [first, other] = desks;
  if (first === undefined || other === undefined) throw new Error('no accounts');
  const create = ({ id, fields }: typeof first) =>
    createNoticeRule(app, { principal: principalOf(app, id), fields }, signal);
  const rule = await create(first);
  const identifier = await addRecord(app, first.id, { hash: 'ab'.repeat(32) });
  const at = app.clock.now();
  const notice: WebhookDelivery = {
    ...{ id: `msg_${'0'.repeat(32)}`, accountId: first.id, identifier, url: rule.target, noticeId: rule.id },
    ...{ state: 'failed', attempts: [], createdAt: at, seriesAt: at, nextAttemptAt: null },
  };
  await app.store.transact((tx) => tx.putDelivery(notice));
  const principal = principalOf(app, first.id);
  await removeNoticeRule(app, { principal, id: rule.id });
  equal((await create(other)).id, rule.id);
  await replayDelivery(app, { principal, id: notice.id });
  await until(() => app.store.read.delivery(notice.id)?.nextAttemptAt === null, 'an end');
  deepEqual(
    receiver.hooks.map(({ path }) => path),
    [],
  );
  deepEqual(
    app.store.read.delivery(notice.id)?.attempts.map(({ error }) => error),
    ['the rule was removed'],
  );
});

test('an account that is deleted takes its rules with it; those of others stay', async () => {
  await using room = await openApp();
  const { app, admin } = room;
  const { id, email: target } = await addUser(app, admin, { role: 'admin' });
  const fields = { channel: 'email', target, of_every_account: true };
  await createNoticeRule(app, { principal: principalOf(app, id), fields }, signal);
  const kept = await createNoticeRule(app, { principal: admin, fields }, signal);
  await deleteUser(app, { principal: admin, id });
  deepEqual(
    app.store.read.automation.noticeRules().map((rule) => rule.id),
    [kept.id],
  );
});
