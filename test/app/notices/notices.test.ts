/** Notices from a whole appliance to real receivers. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RawFields } from '../../../src/app/field-parsers.ts';
import {
  createNoticeRule,
  listNoticeRules,
  removeNoticeRule,
  setNoticeRulePaused,
  testNoticeRule,
} from '../../../src/app/notices/notice-rules.ts';
import { listDeliveries } from '../../../src/app/webhooks/deliveries.ts';
import type { NoticeRuleView } from '../../../src/domain/contract/notice-rule.ts';
import { runCommand } from '../../cli/run-command.ts';
import { until } from '../../faults/rounds/submissions.ts';
import { makePicture } from '../../interface/media.ts';
import { addCustomer, type Customer, openService, type Service } from '../../interface/service.ts';
import { principalOf, readMails } from '../open-app.ts';
import { openReceiver, type Receiver } from '../webhooks/webhook-receiver.ts';

let service: Service;
let receiver: Receiver;
const { signal } = new AbortController();

before(async () => {
  service = await openService();
  receiver = await openReceiver({ status: 200 });
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const appOf = () => service.open.app;

function create(accountId: number, fields: RawFields): Promise<NoticeRuleView> {
  return createNoticeRule(appOf(), { principal: principalOf(appOf(), accountId), fields }, signal);
}

async function judge(customer: Customer, name: string): Promise<{ identifier: string }> {
  const file = new File([new Uint8Array(await makePicture())], name);
  return await customer.classify('image', { image: file });
}

const sentTo = (path: string) => receiver.hooks.filter((hook) => hook.path === path).map(({ body }) => body);

test('only what a rule asks for is sent to its channel and stands in the log', async () => {
  const customer = await addCustomer(service);
  const other = await addCustomer(service);
  for (const channel of ['slack', 'teams', 'mattermost'] as const) {
    await create(customer.id, { channel, target: `${receiver.origin}/${channel}` });
  }
  await create(customer.id, { channel: 'slack', target: `${receiver.origin}/failed`, outcomes: ['failed'] });
  await create(customer.id, { channel: 'slack', target: `${receiver.origin}/video`, kinds: ['video'] });
  await create(1, { channel: 'slack', target: `${receiver.origin}/all`, of_every_account: true });
  const { identifier } = await judge(customer, 'told.jpg');
  await judge(other, 'other.jpg');
  const paths = ['/slack', '/teams', '/mattermost'];
  await until(
    () => paths.every((path) => sentTo(path).length === 1) && sentTo('/all').length === 2,
    'the notices',
  );
  for (const path of paths) {
    const [body = ''] = sentTo(path);
    match(body, /told\.jpg/);
    ok(body.includes(`/classifications/${identifier}`));
  }
  deepEqual([sentTo('/failed'), sentTo('/video')], [[], []]);
  ok(sentTo('/all').some((body) => /other\.jpg/.test(body)));
  const principal = principalOf(appOf(), customer.id);
  await until(
    () =>
      listDeliveries(appOf(), { principal, limit: 10 }).deliveries.every(
        ({ state }) => state === 'delivered',
      ),
    'the log',
  );
  const { deliveries } = listDeliveries(appOf(), { principal, limit: 10 });
  deepEqual(
    deliveries.map(({ noticeId }) => noticeId !== null),
    [true, true, true],
  );
  ok(deliveries.every(({ url }) => /^http:\/\/127\.0\.0\.1:\d+\/….{4}$/.test(url)));
  equal(appOf().store.read.automation.pendingNotices(10).length, 0);
});

test('a rule that is removed, paused or gone sends nothing', async () => {
  const customer = await addCustomer(service);
  const principal = principalOf(appOf(), customer.id);
  const gone = await openReceiver({ status: 410 });
  const [removed, paused, refused] = await Promise.all([
    create(customer.id, { channel: 'slack', target: `${receiver.origin}/removed` }),
    create(customer.id, { channel: 'slack', target: `${receiver.origin}/paused` }),
    create(customer.id, { channel: 'slack', target: `${gone.origin}/gone` }),
  ]);
  await removeNoticeRule(appOf(), { principal, id: removed.id });
  await setNoticeRulePaused(appOf(), { principal, id: paused.id, isPaused: true });
  await judge(customer, 'a.jpg');
  const own = () => listNoticeRules(appOf(), { principal }).find(({ id }) => id === refused.id);
  await until(() => own()?.isPaused === true, 'the pause');
  equal(own()?.reason, 'the receiver answered 410');
  await judge(customer, 'b.jpg');
  equal(gone.hooks.length, 1);
  deepEqual([sentTo('/removed'), sentTo('/paused')], [[], []]);
  await gone[Symbol.asyncDispose]();
});

test('addresses are under the guard, mail goes to the own address only, and rules are no one else’s', async () => {
  const customer = await addCustomer(service);
  const other = await addCustomer(service);
  await rejects(create(customer.id, { channel: 'slack', target: 'http://10.1.2.3/x' }), /target: /);
  await rejects(
    create(customer.id, { channel: 'slack', target: 'no address', kinds: ['smell'] }),
    /target: .*kinds: /,
  );
  await rejects(create(customer.id, { channel: 'email', target: 'victim@example.net' }), /of this account/);
  await rejects(
    create(customer.id, { channel: 'slack', target: `${receiver.origin}/x`, of_every_account: true }),
    /administrator/,
  );
  const rule = await create(customer.id, { channel: 'slack', target: `${receiver.origin}/own` });
  const stranger = principalOf(appOf(), other.id);
  deepEqual(listNoticeRules(appOf(), { principal: stranger }), []);
  await rejects(testNoticeRule(appOf(), { principal: stranger, id: rule.id }, signal), /no such rule/);
  await rejects(removeNoticeRule(appOf(), { principal: stranger, id: rule.id }), /no such rule/);
  deepEqual(sentTo('/own'), []);
});

test('mail is plain text; the command line makes, tries, lists and removes a rule', async () => {
  const customer = await addCustomer(service);
  const { email = '' } = appOf().store.read.accounts.get(customer.id) ?? {};
  await create(customer.id, { channel: 'email', target: email });
  await judge(customer, 'mailed.jpg');
  await until(
    async () => (await readMails(service.open)).some((mail) => /mailed\.jpg/.test(mail)),
    'the mail',
  );
  const assay = (...argv: string[]) =>
    runCommand({ address: service.grpc, key: customer.key }, ['notify', ...argv]);
  const added = await assay(
    'add',
    'slack',
    `${receiver.origin}/cli`,
    '--outcome',
    'artificial',
    'human',
    '--json',
  );
  equal(added.code, 0, added.err);
  const { id, outcomes } = JSON.parse(added.out);
  deepEqual(outcomes, ['OUTCOME_ARTIFICIAL', 'OUTCOME_HUMAN']);
  match((await assay('test', id)).out, /delivered: rule \d+ \(200\)/);
  match(sentTo('/cli')[0] ?? '', /Test: Artificial: example\.jpg/);
  match((await assay('list')).out, /slack .*127\.0\.0\.1/);
  equal((await assay('pause', id)).out, `paused: rule ${id}\n`);
  equal((await assay('remove', id)).code, 0);
  equal((await assay('test', id)).code, 1);
  const lines = appOf().store.read.audit({ limit: 5 });
  ok(lines.some(({ action, target }) => action === 'notice.remove' && target === id));
});
