/** What callers choose and the store looks for may be of any length: a text that is too long for a key is one that is not there. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { listCustody } from '../../src/app/custody/custody.ts';
import { getClassifications } from '../../src/app/records/classifications.ts';
import { replayDelivery } from '../../src/app/webhooks/deliveries.ts';
import { openServedApp } from '../app/open-app.ts';

const LONG = 'a'.repeat(9000);

test('a text too long for a key is not found, wherever a caller may send one', async () => {
  await using opened = await openServedApp();
  const { app, admin, url } = opened;
  deepEqual(getClassifications(app, { principal: admin, identifiers: [LONG, ''] }), []);
  deepEqual(listCustody(app, { principal: admin, identifier: LONG, limit: 1 }), []);
  await rejects(replayDelivery(app, { principal: admin, id: LONG }), { reason: 'delivery' });
  equal(app.store.read.request(1, LONG), undefined);
  const signedIn = await fetch(`${url}/session/sign-in`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${LONG}@example.org`, password: 'correct horse' }),
  });
  equal(signedIn.status, 401, await signedIn.text());
});
