import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { DeliveryLoop, type DeliveryLoopParts } from '../../../src/app/webhooks/delivery-loop.ts';
import type { PostWebhook } from '../../../src/app/webhooks/post.ts';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { appliancePlan } from '../../../src/domain/accounts/plan.ts';
import type { WebhookDelivery } from '../../../src/domain/answers/webhook.ts';
import type { Classification } from '../../../src/domain/records/classification.ts';
import { Store } from '../../../src/store/store.ts';
import { VirtualClock } from '../../simulator/virtual-clock.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const BACKLOG = 600;
const HANGING = 'https://hangs.example/hook';
const ANSWERING = 'https://answers.example/hook';
const NOW = 1_800_000_000_000_000;
const IDENTIFIER = 'ab'.repeat(32);

/** An account with one record, whose end so many deliveries report, each due after the one before. */
async function openOutbox(folder: string, urls: readonly string[]): Promise<Store> {
  const store = await Store.open({ folder });
  const record = {
    identifier: IDENTIFIER,
    accountId: 1,
    kind: 'image',
    hash: '',
    analysisId: 'a',
    refId: '',
  };
  await store.transact((tx) => {
    tx.accounts.putPlan({ ...appliancePlan(0), id: 1 });
    const account: Partial<Account> = { id: 1, planId: 1, email: 'a@example.org', deletedAt: null };
    tx.accounts.put(account as Account);
    tx.putClassification({
      ...record,
      name: '',
      createdAt: NOW,
      cancelled: false,
    } as unknown as Classification);
    for (const [index, url] of urls.entries()) {
      const at = NOW + index;
      const times = { createdAt: at, seriesAt: at, nextAttemptAt: at };
      const about = { id: `msg_${index}`, accountId: 1, identifier: IDENTIFIER, url };
      tx.putDelivery({
        ...about,
        ...times,
        state: 'pending',
        noticeId: null,
        attempts: [],
      } as WebhookDelivery);
    }
  });
  return store;
}

test('a receiver that hangs holds up no other, and gets its messages once it answers', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await openOutbox(folder.path, [...Array(BACKLOG).fill(HANGING), ANSWERING]);
  const clock = new VirtualClock(NOW / 1000 + 1000);
  const sent: string[] = [];
  const answer = Promise.withResolvers<void>();
  const post: PostWebhook = async ({ url }) => {
    if (url === HANGING) await answer.promise;
    sent.push(url);
    return { status: 200, error: '', retryAfterSeconds: null };
  };
  const parts = { store, clock, post, log: pino({ level: 'silent' }), random: () => 0, timeoutMs: 1000 };
  const made = { bodyOf: () => '{}', secretOf: async () => '', spreadNotices: async () => false };
  const metrics = { webhookAttempts: { inc() {} } };
  await using loop = new DeliveryLoop({ ...parts, ...made, metrics } as unknown as DeliveryLoopParts);
  loop.start();
  const letPass = async (until: () => boolean) => {
    for (let turns = 0; !until() && turns < 100_000; turns += 1) {
      await nextTurn();
      clock.step();
    }
  };
  await letPass(() => sent.length > 0);
  equal(sent.join(), ANSWERING);
  answer.resolve();
  await letPass(() => store.read.nextDeliveryAt() === undefined);
  equal(sent.length, BACKLOG + 1);
});
