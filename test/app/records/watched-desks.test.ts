import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { addDesk, removeDeskMember, setDeskMember } from '../../../src/app/accounts/desks.ts';
import { watchClassifications } from '../../../src/app/records/watch.ts';
import { addRecord, addUser, openApp, principalOf } from '../open-app.ts';

test('an open watch takes in a desk that the account joins, and loses one that it leaves', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const { id: deskId } = await addDesk(app, { principal: admin, name: 'Night desk' });
  const { id, email } = await addUser(app, admin);
  const principal = principalOf(app, id);
  const own = await addRecord(app, id, { hash: 'a'.repeat(64) });
  const ofDesk = await addRecord(app, 1, { hash: 'd'.repeat(64), deskId });
  const stop = new AbortController();
  const watch = watchClassifications(app, { principal }, stop.signal);
  const assertSeen = async (expected: string[]): Promise<void> => {
    const first = watch.next();
    app.feed.publishRecord(ofDesk, { accountId: 1, deskId });
    app.feed.publishRecord(own, { accountId: id });
    const seen = [(await first).value?.identifier];
    while (seen.length < expected.length) seen.push((await watch.next()).value?.identifier);
    deepEqual(seen, expected);
  };
  await assertSeen([own]);
  await setDeskMember(app, { principal: admin, id: deskId, email, role: 'looks' });
  await assertSeen([ofDesk, own]);
  await removeDeskMember(app, { principal, id: deskId, email });
  await assertSeen([own]);
  stop.abort();
});
