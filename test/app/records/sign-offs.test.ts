import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { auditLine } from '../../../src/app/accounts/audit.ts';
import { createKey, replaceKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createPasswordLink } from '../../../src/app/accounts/passwords.ts';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import { updateUser } from '../../../src/app/accounts/users.ts';
import type { App } from '../../../src/app/appliance/app.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { listCustody } from '../../../src/app/custody/custody.ts';
import {
  deleteClassification,
  getClassification,
  listClassifications,
} from '../../../src/app/records/classifications.ts';
import { ACCESS_ENTRIES_MAX } from '../../../src/app/records/four-eyes.ts';
import {
  overrideClassification,
  overrideHistory,
  removeOverride,
} from '../../../src/app/records/overrides.ts';
import { answerSignOff, askSignOff } from '../../../src/app/records/sign-offs.ts';

import { watchClassifications } from '../../../src/app/records/watch.ts';
import { shownOf } from '../../../src/domain/answers/refused-record.ts';
import type { Label } from '../../../src/domain/media/media.ts';
import { addRecord, addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

const HASH = 'd'.repeat(64);
const FILE = { kind: 'image', hash: HASH } as const;

interface Desk extends OpenApp {
  editor: Principal;
  partner: Principal;
  /** A partner of others, and a user of the same partner. */
  strangers: Principal[];
  identifier: string;
}

async function openDesk(): Promise<Desk> {
  const open = await openApp();
  const { app, admin } = open;
  const partner = await addUser(app, admin, { role: 'partner' });
  const other = await addUser(app, admin, { role: 'partner' });
  const editor = await addUser(app, principalOf(app, partner.id));
  const colleague = await addUser(app, principalOf(app, partner.id));
  return {
    ...open,
    editor: principalOf(app, editor.id),
    partner: principalOf(app, partner.id),
    strangers: [principalOf(app, other.id), principalOf(app, colleague.id)],
    identifier: await addRecord(app, editor.id, { hash: HASH }),
  };
}

function state(app: App, principal: Principal, classification: Label, reason = 'seen being made') {
  return overrideClassification(app, { principal, ...FILE, classification, reason });
}

function waiting(app: App, principal: Principal): string[] {
  const page = listClassifications(app, { principal, limit: 10, filter: { waits_for_me: true } });
  return shownOf(page.entries).map(({ identifier }) => identifier);
}

/** The answer of a person who has just read the record. */
function answer(
  { app, identifier }: Pick<Desk, 'app' | 'identifier'>,
  principal: Principal,
  agrees: boolean,
  reason = '',
) {
  const findingAt = getClassification(app, { principal, identifier }).signOff?.findingAt ?? 0;
  return answerSignOff(app, { principal, identifier, findingAt, agrees, reason });
}

function kindsOf({ app, admin, identifier }: Desk): string[] {
  const entries = listCustody(app, { principal: admin, identifier, limit: 100 });
  return entries.map(({ kind }) => kind).filter((kind) => /sign_off|overrid/.test(kind));
}

test('the ask opens the record to those who may judge it, and to no one else, while the finding stands', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, partner, strangers, identifier } = desk;
  const read = (principal: Principal) => getClassification(app, { principal, identifier });
  await rejects(askSignOff(app, { principal: editor, identifier }), { reason: 'sign_off' });
  await state(app, editor, 'human');
  equal(read(editor).signOff, null, 'no one demanded one');
  for (const principal of [partner, admin]) {
    throws(() => read(principal), { reason: 'classification' });
    await rejects(askSignOff(app, { principal, identifier }), { reason: 'classification' });
  }
  const asked = await askSignOff(app, { principal: editor, identifier });
  deepEqual([asked.signOff?.state, asked.signOff?.reason], ['open', 'seen being made']);
  await rejects(askSignOff(app, { principal: editor, identifier }), { reason: 'sign_off' });
  for (const principal of [partner, admin]) {
    equal(read(principal).forceClassification, 'human');
    deepEqual(waiting(app, principal), [identifier]);
    deepEqual(listClassifications(app, { principal, limit: 10 }).entries, [], 'it is not theirs');
    await rejects(deleteClassification(app, { principal, identifier }), { reason: 'classification' });
  }
  for (const principal of strangers) {
    throws(() => read(principal), { reason: 'classification' });
    deepEqual(waiting(app, principal), []);
    const blind = { principal, identifier, findingAt: asked.signOff?.findingAt ?? 0, agrees: true };
    await rejects(answerSignOff(app, blind), { reason: 'classification' });
  }
  deepEqual(waiting(app, editor), []);
  await rejects(answer(desk, editor, true), { reason: 'role' });
  await removeOverride(app, { principal: editor, ...FILE });
  throws(() => read(partner), { reason: 'classification' });
  deepEqual(waiting(app, admin), []);
  const [taken] = overrideHistory(app, { principal: editor, ...FILE });
  equal(taken?.signOff?.state, 'withdrawn');
});

test('an answer is of the finding that was read, ends the waiting, and never outlives its finding', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, partner, identifier } = desk;
  await state(app, editor, 'human');
  const before = await askSignOff(app, { principal: editor, identifier });
  await state(app, editor, 'artificial');
  await askSignOff(app, { principal: editor, identifier });
  const stale = { principal: partner, identifier, findingAt: before.signOff?.findingAt ?? 0, agrees: true };
  await rejects(answerSignOff(app, stale), { reason: 'sign_off', message: /changed since it was read/ });
  const agreed = await answer(desk, partner, true, 'so do I');
  equal(agreed.signOff?.state, 'agreed');
  deepEqual(
    agreed.signOff?.answers.map(({ at: _, ...said }) => said),
    [{ agrees: true, reason: 'so do I', byAccountId: partner.account.id, byName: partner.account.name }],
  );
  deepEqual([agreed.forceClassification, agreed.status], ['artificial', before.status]);
  deepEqual(waiting(app, admin), []);
  await rejects(answer(desk, admin, true), { reason: 'sign_off' });
  await rejects(askSignOff(app, { principal: editor, identifier }), { reason: 'sign_off' });
  await state(app, editor, 'artificial', 'for another reason');
  equal(getClassification(app, { principal: editor, identifier }).signOff, null);
  deepEqual(
    overrideHistory(app, { principal: editor, ...FILE }).map(({ signOff }) => signOff?.state),
    ['superseded', 'superseded', undefined],
  );
  deepEqual(kindsOf(desk).reverse(), [
    ...['overridden', 'sign_off_asked', 'sign_off_ended', 'overridden'],
    ...['sign_off_asked', 'sign_off_agreed', 'sign_off_ended', 'overridden'],
  ]);
});

test('a disagreement needs a reason and can be asked about once; a second one leaves the finding disputed', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, partner, identifier } = desk;
  await state(app, editor, 'human');
  await askSignOff(app, { principal: editor, identifier });
  await rejects(answer(desk, partner, false, ' '), { reason: 'bad_field', message: /^reason: expected why/ });
  await rejects(answer(desk, partner, false, 'x'.repeat(1001)), { reason: 'bad_field' });
  await updateUser(app, { principal: admin, id: partner.account.id, fields: { readonly: true } });
  const viewer = principalOf(app, partner.account.id);
  await rejects(answer(desk, viewer, true), { reason: 'read_only' });
  equal((await answer(desk, admin, false, 'the shadows')).signOff?.state, 'disagreed');
  equal((await askSignOff(app, { principal: editor, identifier })).signOff?.state, 'open');
  const disputed = await answer(desk, admin, false, 'the hands');
  deepEqual(
    disputed.signOff?.answers.map(({ reason }) => reason),
    ['the shadows', 'the hands'],
  );
  equal(disputed.forceClassification, 'human', 'a sign-off changes nothing of what the record says');
  const again = askSignOff(app, { principal: editor, identifier });
  await rejects(again, { reason: 'sign_off', message: /twice: change it or take it back/ });
});

test('a plan demands it of each finding, and of earlier ones says that no one was asked', async () => {
  await using desk = await openDesk();
  const { app, admin, partner, identifier } = desk;
  await state(app, desk.editor, 'human');
  await updatePlan(app, { principal: admin, id: 1, fields: { four_eyes: true } });
  const editor = principalOf(app, desk.editor.account.id);
  const before = getClassification(app, { principal: editor, identifier }).signOff;
  deepEqual([before?.state, before?.askedAt, before?.answers], ['open', null, []]);
  throws(() => getClassification(app, { principal: partner, identifier }), { reason: 'classification' });
  await state(app, editor, 'artificial');
  const demanded = getClassification(app, { principal: partner, identifier }).signOff;
  ok(demanded?.state === 'open' && demanded.askedAt !== null);
  deepEqual(waiting(app, partner), [identifier]);
  const copy = await addRecord(app, editor.account.id, { hash: HASH });
  deepEqual(waiting(app, partner), [copy], 'one record a file, the newest');
});

test('watchers of what waits learn of the ask and of the answer', async () => {
  await using desk = await openDesk();
  const { app, editor, partner, identifier } = desk;
  const stop = new AbortController();
  const watch = watchClassifications(app, { principal: partner, waitsForMe: true }, stop.signal);
  const next = async () => (await watch.next()).value?.signOff?.state;
  const first = next();
  await state(app, editor, 'human');
  await askSignOff(app, { principal: editor, identifier });
  equal(await first, 'open');
  const second = next();
  await answer(desk, partner, true);
  equal(await second, 'agreed');
  const third = watch.next();
  await removeOverride(app, { principal: editor, ...FILE });
  stop.abort();
  equal((await third).done, true, 'a record that may no longer be read is not sent');
});

test('reasons go with the last record of the file, the fact stays in custody', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, partner, identifier } = desk;
  const copy = await addRecord(app, editor.account.id, { hash: HASH });
  await state(app, editor, 'human');
  await askSignOff(app, { principal: editor, identifier });
  await answer(desk, partner, false, 'a secret of the desk');
  await deleteClassification(app, { principal: editor, identifier });
  equal(getClassification(app, { principal: editor, identifier: copy }).signOff?.state, 'disagreed');
  const log = () => listCustody(app, { principal: admin, limit: 100 });
  match(JSON.stringify(log()), /a secret of the desk/);
  await deleteClassification(app, { principal: editor, identifier: copy });
  ok(!JSON.stringify(log()).includes('a secret of the desk'));
  equal(log().filter(({ kind }) => kind === 'sign_off_disagreed').length, 1);
  const back = await addRecord(app, editor.account.id, { hash: HASH });
  equal(getClassification(app, { principal: editor, identifier: back }).signOff, null);
  throws(() => getClassification(app, { principal: partner, identifier: back }), {
    reason: 'classification',
  });
});

test('a person who had access to the account of a finding may disagree, but never agree', async () => {
  const give: Record<string, (desk: Desk, giver: Principal, owner: Principal) => Promise<unknown>> = {
    'made key \\d+ of [\\w ]+ \\(account': ({ app }, principal, { account }) =>
      createKey(app, { principal, userId: account.id, name: 'a script' }),
    'replaced key \\d+ of [\\w ]+ \\(account': async ({ app }, principal, owner) => {
      const { key } = await createKey(app, { principal: owner, name: 'own' });
      await replaceKey(app, { principal, userId: owner.account.id, id: key.id });
    },
    'changed the e-mail address of [\\w ]+ \\(account': ({ app }, principal, { account }) =>
      updateUser(app, { principal, id: account.id, fields: { email: `moved${account.id}@example.org` } }),
  };
  for (const [said, open] of Object.entries(give)) {
    for (const isOfAsker of [true, false]) {
      await using desk = await openDesk();
      const { app, admin, editor, partner, identifier } = desk;
      // Administrators may act on each other, so the finding's author could have used the answering account.
      const giver = isOfAsker ? partner : principalOf(app, (await addUser(app, admin, { role: 'admin' })).id);
      const asker = isOfAsker ? editor : giver;
      const own = isOfAsker ? identifier : await addRecord(app, asker.account.id, { hash: HASH });
      await open(desk, giver, isOfAsker ? editor : admin);
      await state(app, asker, 'human');
      await askSignOff(app, { principal: asker, identifier: own });
      const judge = isOfAsker ? partner : admin;
      const refused = {
        reason: 'role',
        message: new RegExp(`one person could be both: [\\w ]+ \\(account \\d+\\) ${said}`),
      };
      await rejects(answer({ app, identifier: own }, judge, true), refused);
      const answered = await answer({ app, identifier: own }, judge, false, 'the hands');
      equal(answered.signOff?.state, 'disagreed', said);
    }
  }
});

test('a password link is access, its term is of the plan, and a key that is valid has none', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, partner, identifier, passMinutes } = desk;
  await createPasswordLink(app, { principal: admin, email: editor.account.email });
  await state(app, editor, 'human');
  await askSignOff(app, { principal: editor, identifier });
  await rejects(answer(desk, admin, true), {
    reason: 'role',
    message: /made a password link for User \d+ \(account/,
  });
  const days = (count: number) => passMinutes(count * 24 * 60);
  days(89);
  await rejects(answer(desk, admin, true), { reason: 'role' });
  await updatePlan(app, { principal: admin, id: 1, fields: { four_eyes_days: 30 } });
  equal((await answer(desk, admin, true)).signOff?.state, 'agreed');

  await createKey(app, { principal: partner, userId: editor.account.id, name: 'a script' });
  await state(app, editor, 'artificial');
  await askSignOff(app, { principal: editor, identifier });
  days(400);
  await rejects(answer(desk, partner, true), { reason: 'role', message: /made key 1 of User \d+ \(account/ });
  await revokeKey(app, { principal: editor, id: 1 });
  equal((await answer(desk, partner, true)).signOff?.state, 'agreed', 'it is gone for longer than the term');
});

test('a third person who had both accounts in hand could be both, by a key as by a session', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, partner, identifier } = desk;
  const second = principalOf(app, (await addUser(app, admin, { role: 'admin' })).id);
  await createKey(app, { principal: admin, userId: editor.account.id, name: 'given' });
  await createPasswordLink(app, { principal: admin, email: second.account.email });
  const own = await createKey(app, { principal: second, name: 'own' });
  await overrideClassification(app, {
    principal: { ...editor, key: { id: 1, name: 'given' } },
    ...FILE,
    classification: 'human',
  });
  await askSignOff(app, { principal: editor, identifier });
  const both =
    /made key 1 of User \d+ \(account \d+\) on [\d-]+, and [\w ]+ \(account \d+\) made a password link for User/;
  const session = { ...second, admittedBy: { type: 'session', hash: 'f', expiresAt: 0 } } as const;
  for (const principal of [session, { ...second, key: own.key }]) {
    await rejects(answer(desk, principal, true), { reason: 'role', message: both });
  }
  equal((await answer(desk, { ...partner, key: { id: 9, name: 'own' } }, true)).signOff?.state, 'agreed');
  const entries = listCustody(app, { principal: admin, identifier, limit: 100 });
  const keyOf = (kind: string) => entries.find((entry) => entry.kind === kind)?.detailsJson ?? '';
  match(keyOf('sign_off_agreed'), /"key":"9"/);
  match(keyOf('overridden'), /"key":"1"/);
});

test('entries of one’s own do not push a link out of sight', async () => {
  await using desk = await openDesk();
  const { app, admin, editor, identifier } = desk;
  await createPasswordLink(app, { principal: admin, email: editor.account.email });
  const { key } = await createKey(app, { principal: editor, name: 'own' });
  await app.store.transact((tx) => {
    const looked = auditLine(app, editor, 'key.reveal', `${editor.account.id}/${key.id}`);
    for (let count = 0; count < ACCESS_ENTRIES_MAX; count++) tx.log.appendAudit(looked);
  });
  await state(app, editor, 'human');
  await askSignOff(app, { principal: editor, identifier });
  await rejects(answer(desk, admin, true), { reason: 'role', message: /1000 keys and links or more/ });
});
