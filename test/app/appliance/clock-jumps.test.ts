/**
 * A clock that jumps, forward and back: nothing goes before its time, nothing waits for a year that is not this one.
 *
 * Invariant: a clock that jumps neither ends nor holds up anything.
 */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { mock, test } from 'node:test';
import { pino } from 'pino';
import { signIn } from '../../../src/app/accounts/sessions.ts';
import { redateDeliveries, sweepRequests } from '../../../src/app/appliance/sweeper.ts';
import { identifySession } from '../../../src/app/callers/session.ts';
import type { WebhookDelivery } from '../../../src/domain/answers/webhook.ts';
import { ADMIN_PASSWORD, FROM, openApp } from '../open-app.ts';

const YEAR_MINUTES = 365 * 24 * 60;
const DAY_MINUTES = 24 * 60;
const DAY_US = DAY_MINUTES * 60 * 1_000_000;
const NEVER = new AbortController().signal;

test('a session outlives a clock that is set back, and ends by one that is right again', async () => {
  await using room = await openApp({ ASSAY_ADMIN_PASSWORD: ADMIN_PASSWORD });
  const { app, admin } = room;
  const { email } = admin.account;
  const signedIn = await signIn(app, { email, password: ADMIN_PASSWORD, userAgent: 'test', from: FROM });
  room.passMinutes(-YEAR_MINUTES);
  equal(identifySession(app, signedIn.cookieValue, FROM).principal.account.id, admin.account.id);
  room.passMinutes(YEAR_MINUTES + 8 * DAY_MINUTES);
  throws(() => identifySession(app, signedIn.cookieValue, FROM), /not signed in, or the session has ended/);
});

test('request identifiers are kept while the clock is behind, and go once it is right', async () => {
  await using room = await openApp();
  const { app } = room;
  const parts = { store: app.store, clock: app.clock, log: pino({ level: 'silent' }), unfinishedUploadMs: 1 };
  const request = { identifier: 'ab'.repeat(32), fingerprint: 'x', at: app.clock.now() };
  await app.store.transact((tx) => tx.putRequest(1, 'one', request));
  room.passMinutes(-YEAR_MINUTES);
  equal(await sweepRequests(parts, NEVER), 0);
  room.passMinutes(YEAR_MINUTES + 2 * DAY_MINUTES);
  equal(await sweepRequests(parts, NEVER), 1);
});

function delivery(id: string, nextAttemptAt: number): WebhookDelivery {
  const about = { id, accountId: 1, identifier: 'ab'.repeat(32), url: 'https://desk.example/hook' };
  const times = { createdAt: nextAttemptAt, seriesAt: nextAttemptAt, nextAttemptAt };
  return { ...about, ...times, state: 'pending', noticeId: null, attempts: [] };
}

test('a webhook that a clock years ahead has put off is due once the clock is right', async () => {
  await using room = await openApp();
  const { app } = room;
  const parts = { store: app.store, clock: app.clock, log: pino({ level: 'silent' }), unfinishedUploadMs: 1 };
  const now = app.clock.now();
  await app.store.transact((tx) => {
    tx.putDelivery(delivery('msg_ahead', now + 3650 * DAY_US));
    tx.putDelivery(delivery('msg_soon', now + DAY_US / 2));
  });
  equal(await redateDeliveries(parts, NEVER), 1);
  const { nextAttemptAt, seriesAt } = app.store.read.delivery('msg_ahead') ?? delivery('none', 0);
  ok(nextAttemptAt !== null && nextAttemptAt >= now && nextAttemptAt <= app.clock.now());
  equal(seriesAt, nextAttemptAt);
  deepEqual(app.store.read.delivery('msg_soon'), delivery('msg_soon', now + DAY_US / 2));
  equal(await redateDeliveries(parts, NEVER), 0);
});

test('all webhooks that were put off are due at once, however many', async () => {
  await using room = await openApp();
  const { app } = room;
  const parts = { store: app.store, clock: app.clock, log: pino({ level: 'silent' }), unfinishedUploadMs: 1 };
  const later = app.clock.now() + 3650 * DAY_US;
  await app.store.transact((tx) => {
    for (let n = 0; n < 450; n++) tx.putDelivery(delivery(`msg_${n}`, later + n));
  });
  equal(await redateDeliveries(parts, NEVER), 450);
  deepEqual(app.store.read.deliveriesDueAfter(later - 1, 1), []);
});

test('a rate limit never asks for more patience than its minute, whatever the wall clock says', async () => {
  await using room = await openApp();
  const { app, admin } = room;
  const caller = { account: admin.account, plan: { ...admin.plan, rateLimitPerMinute: 1 } };
  await app.callRates.count(caller);
  mock.timers.enable({ apis: ['Date'], now: Date.now() - DAY_MINUTES * 60_000 });
  try {
    await rejects(app.callRates.count(caller), { retryAfterSeconds: 60 });
  } finally {
    mock.timers.reset();
  }
});
