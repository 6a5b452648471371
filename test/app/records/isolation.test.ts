/** No account sees, changes or guesses what is another's; partners act on users' accounts and keys, never on records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { listAudit } from '../../../src/app/accounts/audit.ts';
import { getCredits, listLedger } from '../../../src/app/accounts/credits.ts';
import {
  createKey,
  listKeys,
  replaceKey,
  revealKey,
  revokeKey,
  rotateWebhookSecret,
  webhookSecretOf,
} from '../../../src/app/accounts/keys.ts';
import { createPasswordLink } from '../../../src/app/accounts/passwords.ts';
import { createPlan, updatePlan } from '../../../src/app/accounts/plans.ts';
import { listSessions, signOutEverywhere } from '../../../src/app/accounts/sessions.ts';
import { acceptTerms } from '../../../src/app/accounts/terms.ts';
import { listUsers } from '../../../src/app/accounts/user-list.ts';
import {
  createUser,
  deleteUser,
  getUser,
  grantCredits,
  sendCreationEmail,
  updateUser,
} from '../../../src/app/accounts/users.ts';
import type { App } from '../../../src/app/appliance/app.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import {
  cancelClassification,
  deleteClassification,
  getClassification,
  getClassifications,
  getHeatmap,
  listClassifications,
  retryClassification,
} from '../../../src/app/records/classifications.ts';
import {
  overrideClassification,
  overrideHistory,
  removeOverride,
} from '../../../src/app/records/overrides.ts';
import { watchClassification } from '../../../src/app/records/watch.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { addRecord, addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';

const NEVER = new AbortController().signal;
/** Every account has submitted the same file; findings on it must stay each account's own. */
const HASH = 'c'.repeat(64);

interface Member {
  id: number;
  /** Words that appear only in the account's own things, one for each kind. */
  marks: { name: string; detail: string; key: string; record: string };
  identifier: string;
  keyId: number;
}

/** Two partners with a user each, and a user that no one looks after. */
interface World extends OpenApp {
  members: Member[];
  partnerOf: ReadonlyMap<number, number>;
}

async function openWorld(): Promise<World> {
  const open = await openApp();
  const { app, admin } = open;
  const [first, second] = [
    await addUser(app, admin, { role: 'partner', ...marked('p1') }),
    await addUser(app, admin, { role: 'partner', ...marked('p2') }),
  ];
  const users = [
    await addUser(app, principalOf(app, first.id), marked('u1')),
    await addUser(app, principalOf(app, second.id), marked('u2')),
    await addUser(app, admin, marked('u3')),
  ];
  const members: Member[] = [];
  for (const [index, { id }] of [first, second, ...users].entries()) {
    members.push(await furnish(open, id, ['p1', 'p2', 'u1', 'u2', 'u3'][index] ?? ''));
  }
  const partnerOf = new Map([
    [users[0]?.id ?? 0, first.id],
    [users[1]?.id ?? 0, second.id],
  ]);
  return { ...open, members, partnerOf };
}

const marked = (word: string) => ({
  name: `name-${word}`,
  email: `name-${word}@example.org`,
  phone: `detail-${word}`,
});

async function furnish({ app, admin }: OpenApp, id: number, word: string): Promise<Member> {
  const principal = principalOf(app, id);
  const { key } = await createKey(app, { principal, name: `key-${word}` });
  const identifier = await addRecord(app, id, { hash: HASH });
  const own = app.store.read.records.get(identifier);
  assert.ok(own !== undefined);
  await app.store.transact((tx) =>
    tx.putClassification({ ...own, name: `record-${word}`, refId: `record-${word}` }),
  );
  await overrideClassification(app, {
    ...{ principal, kind: 'image', hash: HASH, classification: 'human', reason: `record-${word}` },
  });
  await grantCredits(app, { principal: admin, id, amount: 10 + id, note: `record-${word}` });
  await webhookSecretOf(app, { principal });
  const marks = {
    name: `name-${word}`,
    detail: `detail-${word}`,
    key: `key-${word}`,
    record: `record-${word}`,
  };
  return { id, marks, identifier, keyId: key.id };
}

type Operation = (app: App, principal: Principal, target: Member) => unknown;

const OPERATIONS: Record<string, Operation> = {
  getClassification: (app, principal, { identifier }) => getClassification(app, { principal, identifier }),
  getClassifications: (app, principal, { identifier }) =>
    getClassifications(app, { principal, identifiers: [identifier] }),
  listClassifications: (app, principal) => listClassifications(app, { principal, limit: 100 }),
  getHeatmap: (app, principal, { identifier }) => getHeatmap(app, { principal, identifier }),
  cancelClassification: (app, principal, { identifier }) =>
    cancelClassification(app, { principal, identifier }),
  retryClassification: (app, principal, { identifier }) =>
    retryClassification(app, { principal, identifier }),
  deleteClassification: (app, principal, { identifier }) =>
    deleteClassification(app, { principal, identifier }),
  watchClassification: (app, principal, { identifier }) =>
    watchClassification(app, { principal, identifier }, NEVER).next(),
  overrideClassification: (app, principal) =>
    overrideClassification(app, { principal, kind: 'image', hash: HASH, classification: 'artificial' }),
  removeOverride: (app, principal) => removeOverride(app, { principal, kind: 'image', hash: HASH }),
  overrideHistory: (app, principal) => overrideHistory(app, { principal, kind: 'image', hash: HASH }),
  getUser: (app, principal, { id }) => getUser(app, { principal, id }),
  listUsers: (app, principal) => listUsers(app, { principal, fields: {} }),
  findUsers: (app, principal, { marks }) => listUsers(app, { principal, fields: { filter: marks.name } }),
  updateUser: (app, principal, { id }) => updateUser(app, { principal, id, fields: { city: 'Elsewhere' } }),
  moveUser: (app, principal, { id }) =>
    updateUser(app, { principal, id, fields: { email: `moved${id}@example.org` } }),
  promoteUser: (app, principal, { id }) => updateUser(app, { principal, id, fields: { role: 'admin' } }),
  adoptUser: (app, principal, { id }) =>
    updateUser(app, { principal, id, fields: { partner_id: principal.account.id } }),
  takeEmail: (app, principal, { id }) =>
    createUser(app, {
      principal,
      fields: { name: 'Mallory', email: app.store.read.accounts.get(id)?.email },
    }),
  deleteUser: (app, principal, { id }) => deleteUser(app, { principal, id }),
  sendCreationEmail: (app, principal, { id }) => sendCreationEmail(app, { principal, id }),
  grantCredits: (app, principal, { id }) => grantCredits(app, { principal, id, amount: 1, note: '' }),
  getCredits: (app, principal) => getCredits(app, { principal }),
  listLedger: (app, principal, { id }) => listLedger(app, { principal, userId: id, limit: 100 }),
  listKeys: (app, principal, { id }) => listKeys(app, { principal, userId: id }),
  createKey: (app, principal, { id }) => createKey(app, { principal, userId: id, name: 'k' }),
  replaceKey: (app, principal, { id, keyId }) => replaceKey(app, { principal, userId: id, id: keyId }),
  revokeKey: (app, principal, { id, keyId }) => revokeKey(app, { principal, userId: id, id: keyId }),
  revealKey: (app, principal, { keyId }) => revealKey(app, { principal, id: keyId, password: '' }),
  webhookSecretOf: (app, principal) => webhookSecretOf(app, { principal }),
  rotateWebhookSecret: (app, principal) => rotateWebhookSecret(app, { principal }),
  listSessions: (app, principal) => listSessions(app, { principal }),
  signOutEverywhere: (app, principal) => signOutEverywhere(app, { principal }),
  acceptTerms: (app, principal) => acceptTerms(app, { principal }),
  listAudit: (app, principal) => listAudit(app, { principal, limit: 100 }),
  createPlan: (app, principal) => createPlan(app, { principal, fields: { name: 'Free' } }),
  updatePlan: (app, principal) => updatePlan(app, { principal, id: 1, fields: { image_credits: 0 } }),
  createPasswordLink: (app, principal, { marks }) =>
    createPasswordLink(app, { principal, email: `${marks.name}@example.org` }),
};

/** State that a stranger must not change; the last use of a key does not count. */
function stateOf({ store: { read } }: App, { id }: Member): { account: string; records: string } {
  const keys = read.accounts.apiKeys(id).map((key) => ({ ...key, lastUsedAt: null }));
  const records = read.records.list({ accountId: id, limit: 100 });
  return {
    account: JSON.stringify([
      read.accounts.get(id),
      keys,
      [...read.accounts.sessions.values()].filter((it) => it.accountId === id),
    ]),
    records: JSON.stringify([
      ...[records, records.map(({ analysisId }) => read.analyses.get(analysisId))],
      ...[read.overrideHistory(id, 'image', HASH), read.override(id, 'image', HASH), read.ledger(id)],
    ]),
  };
}

function visibleMarks(world: World, actor: Member): string[] {
  return world.members.flatMap((member) => {
    const { name, detail, key, record } = member.marks;
    if (member.id === actor.id) return [name, detail, key, record];
    if (world.partnerOf.get(member.id) === actor.id) return [name, detail, key];
    return world.partnerOf.get(actor.id) === member.id ? [name] : [];
  });
}

async function act(world: World, name: string, actor: Member, target: Member): Promise<void> {
  const { app, members, partnerOf } = world;
  if (app.store.read.accounts.get(actor.id)?.deletedAt !== null) return;
  const isManaged = partnerOf.get(target.id) === actor.id;
  // A partner may delete its user, but the test would run out of users.
  if (name === 'deleteUser' && isManaged) return;
  const before = members.map((member) => stateOf(app, member));
  let answer: unknown;
  try {
    answer = await OPERATIONS[name]?.(app, principalOf(app, actor.id), target);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    answer = { message: error.message, fields: error.fields, metadata: error.metadata };
  }
  const shown = JSON.stringify(answer) ?? '';
  const visible = visibleMarks(world, actor);
  for (const { marks } of members) {
    for (const mark of Object.values(marks)) {
      if (!visible.includes(mark))
        assert.ok(!shown.includes(mark), `${name}: ${actor.marks.name} sees ${mark}`);
    }
  }
  for (const [index, member] of members.entries()) {
    if (member.id === actor.id) continue;
    const now = stateOf(app, member);
    const fault = `${name} by ${actor.marks.name} changed ${member.marks.name}`;
    assert.equal(now.records, before[index]?.records, `${fault}'s records`);
    if (partnerOf.get(member.id) !== actor.id) assert.equal(now.account, before[index]?.account, fault);
  }
}

const names = Object.keys(OPERATIONS);

test('no operation of an account reads or changes another account', async () => {
  const world = await openWorld();
  await using _app = world;
  for (const name of names) {
    for (const actor of world.members) {
      for (const target of world.members.filter(({ id }) => id !== actor.id))
        await act(world, name, actor, target);
    }
  }
});

test('no order of operations crosses accounts', async () => {
  const step = fc.record({
    name: fc.constantFrom(...names),
    actor: fc.nat({ max: 4 }),
    target: fc.nat({ max: 4 }),
  });
  const world = await openWorld();
  await using _app = world;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { name, actor: by, target: at } of steps) {
        const [actor, target] = [world.members[by], world.members[at]];
        if (actor !== undefined && target !== undefined) await act(world, name, actor, target);
      }
    }),
    { numRuns: 60 },
  );
});

test('an identifier is 256 random bits, and every wrong one gets the same answer', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  const owner = await addUser(app, admin);
  const stranger = principalOf(app, (await addUser(app, admin)).id);
  const identifier = await addRecord(app, owner.id, { hash: HASH });
  const answerTo = (guess: string): string => {
    try {
      return JSON.stringify(getClassification(app, { principal: stranger, identifier: guess }));
    } catch (error) {
      return `${(error as AppError).reason}: ${(error as AppError).message}`;
    }
  };
  const foreign = answerTo(identifier);
  fc.assert(fc.property(fc.string(), (guess) => assert.equal(answerTo(guess), foreign)));
  const made = new Set(Array.from({ length: 10_000 }, () => app.newIdentifier()));
  assert.equal(made.size, 10_000);
  assert.match(identifier, /^[0-9a-f]{64}$/);
});
