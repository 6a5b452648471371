import { equal, rejects, throws } from 'node:assert/strict';
import { mock, test } from 'node:test';
import { signIn } from '../../../src/app/accounts/sessions.ts';
import { identifySession } from '../../../src/app/callers/session.ts';
import { ADMIN_PASSWORD, FROM, openApp } from '../open-app.ts';

const YEAR_MINUTES = 365 * 24 * 60;
const DAY_MINUTES = 24 * 60;

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
