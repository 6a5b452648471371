import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import {
  addDesk,
  getDesk,
  listDesks,
  removeDesk,
  removeDeskMember,
  renameDesk,
  setDeskMember,
} from '../../../src/app/accounts/desks.ts';
import { createPasswordLink } from '../../../src/app/accounts/passwords.ts';
import { deleteUser } from '../../../src/app/accounts/users.ts';
import type { App } from '../../../src/app/appliance/app.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { mayOn } from '../../../src/app/callers/rights.ts';
import { listCustody } from '../../../src/app/custody/custody.ts';
import { gatherRecords } from '../../../src/app/evidence/evidence-records.ts';
import {
  cancelClassification,
  deleteClassification,
  getClassification,
  getClassifications,
  listClassifications,
} from '../../../src/app/records/classifications.ts';
import { exportRecords } from '../../../src/app/records/export-records.ts';
import {
  overrideClassification,
  overrideHistory,
  removeOverride,
} from '../../../src/app/records/overrides.ts';
import { peersOf, SeenBeforeIndex, seenBefore } from '../../../src/app/records/seen-before.ts';
import {
  answerSignOff,
  askSignOff,
  countSignOffs,
  listSignOffJudges,
} from '../../../src/app/records/sign-offs.ts';
import { watchClassifications } from '../../../src/app/records/watch.ts';
import { findDesk } from '../../../src/app/submissions/submit.ts';
import { shownOf } from '../../../src/domain/answers/refused-record.ts';
import { DESK_RIGHTS, DESK_ROLES, type DeskRole, type RecordOperation } from '../../../src/domain/desk.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { addRecord, addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

const HASH = 'd'.repeat(64);
const FILE = { kind: 'image', hash: HASH } as const;
const FOR_DESK = { field: 'email', description: 'expected the address of an account that this desk is for' };
const NEVER = new AbortController().signal;

interface World extends OpenApp {
  deskId: number;
  members: Record<DeskRole, Principal>;
  /** The head of another desk. */
  stranger: Principal;
  /** A person of no desk. */
  alone: Principal;
}

async function join(app: App, admin: Principal, id: number, role: DeskRole): Promise<Principal> {
  const account = await addUser(app, admin);
  await setDeskMember(app, { principal: admin, id, email: account.email, role });
  return principalOf(app, account.id);
}

async function openWorld(): Promise<World> {
  const open = await openApp();
  const { app, admin } = open;
  const { id: deskId } = await addDesk(app, { principal: admin, name: 'Night desk' });
  const { id: otherId } = await addDesk(app, { principal: admin, name: 'Sports' });
  const members = {} as Record<DeskRole, Principal>;
  for (const role of DESK_ROLES) members[role] = await join(app, admin, deskId, role);
  const stranger = await join(app, admin, otherId, 'heads');
  const alone = principalOf(app, (await addUser(app, admin)).id);
  return { ...open, deskId, members, stranger, alone };
}

function identifiers(app: App, principal: Principal, filter = {}, isOwnOnly = false): string[] {
  const page = listClassifications(app, { principal, limit: 20, filter, isOwnOnly });
  return shownOf(page.entries).map(({ identifier }) => identifier);
}

/** `yes`, or the reason by which it was refused for want of a right. */
async function outcomeOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === 'role' || error.reason === 'classification') return error.reason;
  }
  return 'yes';
}

const ACTS: Record<RecordOperation, (app: App, principal: Principal, identifier: string) => unknown> = {
  look: (app, principal, identifier) => getClassification(app, { principal, identifier }),
  change: (app, principal, identifier) => cancelClassification(app, { principal, identifier }),
  export: (app, principal, identifier) =>
    gatherRecords(app, { principal, identifiers: [identifier] } as Parameters<typeof gatherRecords>[1]),
  find: (app, principal) => overrideClassification(app, { principal, ...FILE, classification: 'human' }),
  sign_off: (app, principal, identifier) =>
    answerSignOff(app, { principal, identifier, findingAt: 1, agrees: true }),
  delete: (app, principal, identifier) => deleteClassification(app, { principal, identifier }),
};

/** What each may do with a record that an account of the role `submits` has sent for the desk. */
const ALLOWED: Record<DeskRole | 'stranger' | 'alone' | 'admin', readonly RecordOperation[]> = {
  looks: ['look'],
  submits: ['look', 'change', 'export', 'delete'],
  finds: ['look', 'change', 'export', 'find'],
  signs_off: ['look', 'change', 'export', 'find', 'sign_off'],
  heads: ['look', 'change', 'export', 'find', 'sign_off', 'delete'],
  ...{ stranger: [], alone: [], admin: [] },
};

test('each operation on a record, for each role and desk', async () => {
  await using world = await openWorld();
  const { app, admin, deskId, members, stranger, alone } = world;
  const people = { ...members, stranger, alone, admin };
  const senderId = members.submits.account.id;
  for (const [who, principal] of Object.entries(people)) {
    const isMember = who in members;
    for (const operation of Object.keys(DESK_RIGHTS) as RecordOperation[]) {
      const identifier = await addRecord(app, senderId, { hash: HASH, deskId });
      const record = app.store.read.records.get(identifier);
      if (record === undefined) throw new Error('the record is not there');
      if (operation === 'sign_off') {
        await overrideClassification(app, { principal: members.finds, ...FILE, classification: 'human' });
      }
      const isAllowed = ALLOWED[who as keyof typeof ALLOWED].includes(operation);
      equal(mayOn(app.store.read, operation, record, principal), isAllowed, `${who}: ${operation}`);
      const refused = isMember ? 'role' : 'classification';
      const outcome = await outcomeOf(() => ACTS[operation](app, principal, identifier));
      equal(outcome, isAllowed ? 'yes' : refused, `${who}: ${operation}, as it is done`);
    }
    const own = await addRecord(app, principal.account.id, { hash: HASH });
    const ownRecord = app.store.read.records.get(own);
    if (ownRecord === undefined) throw new Error('the record is not there');
    for (const operation of Object.keys(DESK_RIGHTS) as RecordOperation[]) {
      for (const [other, caller] of Object.entries(people)) {
        const isAllowed = other === who && operation !== 'sign_off';
        equal(
          mayOn(app.store.read, operation, ownRecord, caller),
          isAllowed,
          `${who}'s own, ${other}: ${operation}`,
        );
      }
    }
  }
});

test('lists hold what the account sent and what its desks have, each once; its own list only the former', async () => {
  await using world = await openWorld();
  const { app, deskId, members, stranger } = world;
  const { looks, submits, heads } = members;
  const own = await addRecord(app, looks.account.id, { hash: 'a'.repeat(64) });
  const sent = await addRecord(app, submits.account.id, { hash: HASH, deskId });
  const headed = await addRecord(app, heads.account.id, { hash: HASH, deskId });
  const hidden = await addRecord(app, submits.account.id, { hash: HASH });
  deepEqual(identifiers(app, looks), [headed, sent, own]);
  deepEqual(identifiers(app, submits), [hidden, headed, sent]);
  deepEqual(identifiers(app, submits, {}, true), [hidden, sent]);
  deepEqual(identifiers(app, looks, {}, true), [own]);
  deepEqual(identifiers(app, looks, { desk_id: deskId }), [headed, sent]);
  deepEqual(identifiers(app, looks, { desk_id: 0 }), [own]);
  deepEqual(identifiers(app, looks, { hash: HASH.slice(0, 10) }), [headed, sent]);
  deepEqual(identifiers(app, looks, { search: sent }), [sent]);
  deepEqual(identifiers(app, looks, { search: HASH }), [headed, sent]);
  deepEqual(identifiers(app, looks, { search: 'a.png' }), [headed, sent, own]);
  deepEqual(identifiers(app, looks, { status: 'errored' }), [headed, sent, own]);
  deepEqual(identifiers(app, looks, { status: 'done' }), []);
  deepEqual(identifiers(app, stranger), []);
  throws(() => identifiers(app, stranger, { desk_id: deskId }), { reason: 'desk' });
  deepEqual(getClassifications(app, { principal: stranger, identifiers: [sent, headed] }), []);
  const first = listClassifications(app, { principal: looks, limit: 1 });
  const second = listClassifications(app, { principal: looks, limit: 1, cursor: first.nextCursor ?? '' });
  deepEqual(
    [first, second].flatMap(({ entries }) => shownOf(entries).map(({ identifier }) => identifier)),
    [headed, sent],
  );
  const pieces = await Array.fromAsync(
    exportRecords(app, { principal: looks, filter: {}, format: 'jsonl' }, NEVER),
  );
  deepEqual(
    [own, sent, headed, hidden].map((identifier) => pieces.join('').includes(identifier)),
    [true, true, true, false],
  );
});

test('a finding is the desk’s: each member reads it, custody names who stated it', async () => {
  await using world = await openWorld();
  const { app, deskId, members } = world;
  const { looks, submits, finds, signs_off: signs } = members;
  const sent = await addRecord(app, submits.account.id, { hash: HASH, deskId });
  const hidden = await addRecord(app, submits.account.id, { hash: HASH });
  await overrideClassification(app, { principal: finds, ...FILE, classification: 'artificial' });
  const read = (principal: Principal, identifier: string) =>
    getClassification(app, { principal, identifier }).forceClassification;
  deepEqual([read(looks, sent), read(submits, hidden)], ['artificial', null]);
  const [finding] = overrideHistory(app, { principal: looks, ...FILE });
  const finder = finds.account;
  deepEqual([finding?.byAccountId, finding?.byName, finding?.deskId], [finder.id, finder.name, deskId]);
  const custody = listCustody(app, { principal: looks, identifier: sent, limit: 10 });
  deepEqual(
    custody.flatMap(({ kind, accountId, what }) =>
      kind === 'failed' ? [] : [[kind, accountId, what?.deskId]],
    ),
    [
      ['overridden', finds.account.id, deskId],
      ['received', submits.account.id, deskId],
    ],
  );
  const watched: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    const changes = watchClassifications(app, { principal: looks }, stop.signal);
    for await (const record of changes) {
      watched.push(record.identifier);
      stop.abort();
    }
  })();
  await askSignOff(app, { principal: finds, identifier: sent });
  await watching;
  deepEqual(watched, [sent]);
  deepEqual(identifiers(app, signs, { waits_for_me: true }), [sent]);
  for (const principal of [finds, looks, submits])
    deepEqual(identifiers(app, principal, { waits_for_me: true }), []);
  const asked = getClassification(app, { principal: signs, identifier: sent }).signOff;
  const findingAt = asked?.findingAt ?? 0;
  const agreed = await answerSignOff(app, { principal: signs, identifier: sent, findingAt, agrees: true });
  equal(agreed.signOff?.state, 'agreed');
  await rejects(removeOverride(app, { principal: submits, ...FILE }), { reason: 'classification' });
  await removeOverride(app, { principal: finds, ...FILE });
  equal(read(looks, sent), null);
});

test('who may sign off is known before it is asked, by name, with the obstacle of each', async () => {
  await using world = await openWorld();
  const { app, admin, deskId, members, alone } = world;
  const { looks, submits, finds, signs_off: signs, heads } = members;
  const identifier = await addRecord(app, submits.account.id, { hash: HASH, deskId });
  const judges = () =>
    listSignOffJudges(app, { principal: finds, identifier }).map(({ accountId, name, obstacle }) => [
      accountId,
      name,
      obstacle?.replace(/ on .*/, '') ?? null,
    ]);
  const named = ({ account: { id, name } }: Principal, obstacle: string | null = null) => [
    id,
    name,
    obstacle,
  ];
  deepEqual(judges(), [named(signs), named(heads), named(admin)]);
  await createPasswordLink(app, { principal: admin, email: finds.account.email });
  await createPasswordLink(app, { principal: admin, email: signs.account.email });
  const of = ({ account: { id, name } }: Principal) => `${name} (account ${id})`;
  const said = `one person could be both: ${of(admin)} made a password link for ${of(finds)}`;
  deepEqual(judges(), [named(signs, said), named(heads), named(admin, said)]);
  const [judge] = listSignOffJudges(app, { principal: finds, identifier });
  const parts = judge?.obstacles.map(({ code, accountId, accountName, actorId, keyId }) => [
    ...[code, accountId, accountName, actorId, keyId],
  ]);
  deepEqual(parts, [
    ['password_link', finds.account.id, finds.account.name, admin.account.id, null],
    ['password_link', signs.account.id, signs.account.name, admin.account.id, null],
  ]);
  throws(() => listSignOffJudges(app, { principal: admin, identifier }), { reason: 'classification' });
  await overrideClassification(app, { principal: finds, ...FILE, classification: 'human' });
  const { signOff } = await askSignOff(app, { principal: finds, identifier });
  equal(signOff?.byName, finds.account.name);
  deepEqual(
    [signs, heads, admin, looks, submits, finds, alone].map((principal) => countSignOffs(app, { principal })),
    [1, 1, 1, 0, 0, 0, 0],
  );
  const ofAdmin = listSignOffJudges(app, { principal: admin, identifier });
  deepEqual(
    ofAdmin.map(({ accountId, obstacles }) => [accountId, obstacles.length]),
    [[admin.account.id, 1]],
    'who is only asked learns of itself alone',
  );
  const answer = (principal: Principal) =>
    answerSignOff(app, { principal, identifier, findingAt: signOff?.findingAt ?? 0, agrees: true });
  await rejects(answer(signs), { reason: 'role', message: /made a password link/ });
  const appointed = await join(app, admin, deskId, 'signs_off');
  equal((await answer(appointed)).signOff?.answers[0]?.byName, appointed.account.name);
  throws(() => listSignOffJudges(app, { principal: looks, identifier }), { reason: 'role' });
});

test('copies are found among what the account and its desks have, and nowhere else', async () => {
  await using world = await openWorld();
  const { app, deskId, members, stranger, alone } = world;
  const { looks, submits, heads } = members;
  const index = new SeenBeforeIndex(app.store);
  const likeness = { hash: 'f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22', quality: 100 };
  const add = async ({ account }: Principal, hash: string, desk?: number): Promise<string> => {
    const about = desk === undefined ? {} : { deskId: desk };
    const identifier = await addRecord(app, account.id, { hash: hash.repeat(64), ...about });
    const analysis = app.store.read.analyses.get(`analysis-${identifier}`);
    if (analysis === undefined) throw new Error('the analysis is not there');
    const seen = [{ likeness: { ...likeness, mirrored: '9'.repeat(64) }, timeSeconds: null }];
    const found = await index.look(analysis, seen);
    const kept = [{ hash: likeness.hash, timeSeconds: null }];
    await app.store.transact((tx) => tx.putLikenesses(analysis, kept, found?.earlier ?? [], app.clock.now()));
    return identifier;
  };
  const seenBy = (principal: Principal, identifier: string) =>
    seenBefore(app, { reader: principal, identifier }).map((seen) => seen.identifier);
  const hidden = await add(submits, 'a');
  const foreign = await add(alone, 'b');
  const shared = await add(submits, 'c', deskId);
  const later = await add(heads, 'e', deskId);
  const own = await add(looks, 'f');
  deepEqual(seenBy(submits, shared), [hidden]);
  for (const principal of [looks, heads, stranger]) deepEqual(seenBy(principal, shared), []);
  deepEqual(seenBy(looks, later), [shared]);
  deepEqual(seenBy(submits, later), [shared]);
  deepEqual(seenBy(looks, own).toSorted(), [shared, later].toSorted());
  deepEqual(seenBy(alone, foreign), []);
  const holders = peersOf(app.store.read, looks.account, looks.plan);
  equal((await index.near([likeness.hash], holders)).length, 3);
});

test('what an account sent stays with the desk when it leaves or is deleted, and it sees it no more', async () => {
  await using world = await openWorld();
  const { app, admin, deskId, members } = world;
  const { looks, submits, heads } = members;
  const sent = await addRecord(app, submits.account.id, { hash: HASH, deskId });
  const { email, name } = submits.account;
  const asked = { principal: looks, identifier: sent, limit: 10 };
  const received = () => listCustody(app, asked).find(({ kind }) => kind === 'received');
  const named = () => [getClassification(app, asked).accountName, received()?.accountName];
  await removeDeskMember(app, { principal: submits, id: deskId, email });
  throws(() => getClassification(app, { principal: submits, identifier: sent }), {
    reason: 'classification',
  });
  for (const isOwnOnly of [true, false]) deepEqual(identifiers(app, submits, {}, isOwnOnly), []);
  equal(findDesk(app.store.read, submits, null), undefined);
  deepEqual([identifiers(app, looks), ...named()], [[sent], name, name]);
  await deleteUser(app, { principal: admin, id: submits.account.id });
  deepEqual([identifiers(app, looks), ...named()], [[sent], name, name]);
  await deleteClassification(app, { principal: heads, identifier: sent });
  deepEqual(identifiers(app, looks), []);
  equal(app.store.read.desks.hasRecords(deskId), false);
});

test('administrators make desks, and heads of a desk name its members', async () => {
  await using world = await openWorld();
  const { app, admin, deskId, members, stranger, alone } = world;
  const { finds, heads } = members;
  const { email } = alone.account;
  const set = (principal: Principal, id = deskId) =>
    setDeskMember(app, { principal, id, email, role: 'submits' });
  await rejects(addDesk(app, { principal: heads, name: 'Own' }), { reason: 'role' });
  await rejects(set(finds), { reason: 'role' });
  for (const principal of [alone, stranger]) await rejects(set(principal), { reason: 'desk' });
  await set(heads);
  deepEqual(
    listDesks(app, { principal: alone }).map(({ name, ownRole, isManaged }) => [name, ownRole, isManaged]),
    [['Night desk', 'submits', false]],
  );
  await rejects(renameDesk(app, { principal: heads, id: deskId, name: 'Day desk' }), { reason: 'role' });
  equal((await renameDesk(app, { principal: admin, id: deskId, name: 'Day desk' })).name, 'Day desk');
  const partner = principalOf(app, (await addUser(app, admin, { role: 'partner' })).id);
  const theirs = await addDesk(app, { principal: partner, name: 'Agency' });
  const user = await addUser(app, partner);
  throws(() => getDesk(app, { principal: partner, id: deskId }), { reason: 'desk' });
  await rejects(set(partner, theirs.id), { fields: [FOR_DESK] });
  await rejects(setDeskMember(app, { principal: admin, id: deskId, email: user.email, role: 'looks' }), {
    fields: [FOR_DESK],
  });
  const named = { principal: partner, id: theirs.id, email: user.email };
  equal((await setDeskMember(app, { ...named, role: 'heads' })).members.length, 1);
  await rejects(removeDesk(app, { principal: principalOf(app, user.id), id: theirs.id }), { reason: 'role' });
  await addRecord(app, user.id, { hash: HASH, deskId: theirs.id });
  await rejects(removeDesk(app, { principal: partner, id: theirs.id }), { reason: 'too_many' });
});

test('media are for the desk that is named, else for the first in which the account may submit', async () => {
  await using world = await openWorld();
  const { app, admin, deskId, members, alone } = world;
  const { looks, submits } = members;
  const { read } = app.store;
  equal(findDesk(read, alone, null), undefined);
  equal(findDesk(read, looks, null), undefined);
  equal(findDesk(read, submits, null), deskId);
  equal(findDesk(read, submits, 0), undefined);
  const other = await addDesk(app, { principal: admin, name: 'Politics' });
  throws(() => findDesk(read, submits, other.id), { reason: 'bad_field' });
  throws(() => findDesk(read, looks, deskId), { reason: 'bad_field' });
  const { email } = submits.account;
  await setDeskMember(app, { principal: admin, id: other.id, email, role: 'submits' });
  equal(findDesk(read, submits, null), deskId);
  equal(findDesk(read, submits, other.id), other.id);
});
