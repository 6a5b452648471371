/**
 * One flipped byte in a row of each table in turn: nothing but the damaged thing itself stops working.
 *
 * Invariant: a flipped byte in any table stops nothing but what it is in, and opens no door.
 */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Key, open } from 'lmdb';
import { listAudit } from '../../src/app/accounts/audit.ts';
import { createKey, listKeys, revokeKey } from '../../src/app/accounts/keys.ts';
import { createPlan, listPlans } from '../../src/app/accounts/plans.ts';
import { listSessions, signIn, signOutEverywhere } from '../../src/app/accounts/sessions.ts';
import { listUsers } from '../../src/app/accounts/user-list.ts';
import { grantCredits } from '../../src/app/accounts/users.ts';
import { examine } from '../../src/app/appliance/doctor/doctor.ts';
import { getQueue } from '../../src/app/appliance/queue.ts';
import { sweepDeliveries, sweepRequests } from '../../src/app/appliance/sweeper.ts';
import { authenticate } from '../../src/app/callers/authenticate.ts';
import { identifySession } from '../../src/app/callers/session.ts';
import { accountOfToken, hashSecret, issueToken, revokeAccess } from '../../src/app/callers/tokens.ts';
import { deleteClassification, listClassifications } from '../../src/app/records/classifications.ts';
import { overrideClassification } from '../../src/app/records/overrides.ts';
import { Retention } from '../../src/app/records/retention.ts';
import { askSignOff } from '../../src/app/records/sign-offs.ts';
import { shownOf } from '../../src/domain/answers/refused-record.ts';
import { NO_FILES } from '../../src/domain/automation/watch-folder.ts';
import { emptyKeypoints, packKeypoints } from '../../src/domain/media/keypoints.ts';
import { openTables, TABLES_MAX, type Tables } from '../../src/store/tables/schema.ts';
import { Table } from '../../src/store/tables/table.ts';
import type { StoreTransaction } from '../../src/store/transaction.ts';
import {
  ADMIN_PASSWORD,
  addRecord,
  addUser,
  FROM,
  type OpenApp,
  openApp,
  principalOf,
} from '../app/open-app.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const ADMIN_EMAIL = 'admin@example.org';
const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);
const RECEIVER = 'https://receiver.example.org/hook';

interface Stage {
  data: string;
  adminKey: string;
  /** Whose rows are flipped, with a plan of its own. */
  victim: { id: number; planId: number; key: string; cookie: string; link: string; record: string };
  other: { id: number; email: string; record: string };
}

function openStage(data: string): Promise<OpenApp> {
  const env = { ASSAY_ADMIN_EMAIL: ADMIN_EMAIL, ASSAY_ADMIN_PASSWORD: ADMIN_PASSWORD };
  return openApp({ ...env, ASSAY_DATA_DIR: data });
}

/** Two accounts; one of them has a row in every table. */
async function setUp(data: string): Promise<Stage> {
  await using stage = await openStage(data);
  const { app, admin } = stage;
  const adminKey = (await createKey(app, { principal: admin, name: 'admin' })).secret;
  const other = await addUser(app, admin);
  const plan = await createPlan(app, { principal: admin, fields: { name: 'Victim' } });
  const { id } = await addUser(app, admin, { pricing_id: plan.id });
  const { secret: key } = await createKey(app, { principal: principalOf(app, id), name: 'key' });
  const record = await addRecord(app, id, { hash: HASH });
  const otherRecord = await addRecord(app, other.id, { hash: OTHER_HASH });
  await grantCredits(app, { principal: admin, id, amount: 7 });
  await overrideClassification(app, {
    principal: principalOf(app, id),
    kind: 'image',
    hash: HASH,
    classification: 'human',
  });
  await askSignOff(app, { principal: principalOf(app, id), identifier: record });
  await app.checkpoints.sign();
  const cookie = 'a cookie that nobody guesses';
  const now = app.clock.now();
  const link = await app.store.transact((tx) => {
    const session = { accountId: id, csrfToken: 'c', userAgent: '', createdAt: 2, expiresAt: 1e17 };
    tx.putSession({ ...session, hash: hashSecret(cookie) });
    tx.putPart('ef'.repeat(32), { analysisId: `analysis-${record}`, kind: 'image', index: 0 });
    tx.disableReceiver(id, RECEIVER, 1);
    tx.putRequest(id, 'request', { identifier: record, fingerprint: 'f', at: now });
    const delivery = {
      accountId: id,
      identifier: record,
      url: RECEIVER,
      state: 'pending' as const,
      noticeId: null,
      attempts: [],
    };
    tx.putDelivery({ ...delivery, id: 'msg_1', createdAt: now, seriesAt: now, nextAttemptAt: 8e15 });
    putStanding(tx, id, now);
    putProvenance(tx, { record, accountId: id, now });
    const seen = {
      hash: 'a5'.repeat(32),
      timeSeconds: null,
      keypoints: packKeypoints(emptyKeypoints(9, 9, 1)),
    };
    tx.putLikenesses({ id: `analysis-${record}`, accountId: id }, [seen], [], now);
    const reading = { rulesVersion: 1, classification: 'human', state: 'human', probability: 0.1 };
    const signed = { at: now, byAccountId: id, fingerprint: 'SHA256:f', packageSha256: 'a' };
    tx.putExports(record, { exports: [{ ...reading, ...signed }] });
    const asked = {
      authority: 'https://time.example',
      state: 'waiting',
      time: null,
      error: '',
      reply: null,
    } as const;
    const stamped = {
      packageSha256: 'a',
      signature: new Uint8Array(64),
      accountId: id,
      identifiers: [record],
    };
    tx.putTimestamps({ ...stamped, createdAt: now, attempts: 0, nextAttemptAt: 8e15, requests: [asked] });
    return issueToken(tx, { accountId: id, purpose: 'reset_password', now }).token;
  });
  return {
    ...{ data, adminKey },
    victim: { id, planId: plan.id, key, cookie, link, record },
    other: { id: other.id, email: other.email, record: otherRecord },
  };
}

/** What goes on by itself: a rule of notices, a folder with a file, and a trust list that was switched off. */
function putStanding(tx: StoreTransaction, accountId: number, now: number): void {
  const target = {
    channel: 'slack',
    sealedTarget: new Uint8Array(4),
    target: 'https://hooks.example/…',
  } as const;
  const narrowed = { outcomes: [], kinds: [], ofEveryAccount: false, isPaused: true, reason: '' };
  tx.putNoticeRule({ ...target, ...narrowed, id: 1, accountId, name: 'a rule', createdAt: now });
  const folder = { path: '/srv/in', options: {}, done: 'leave', isPaused: true, isRemoved: false } as const;
  tx.putWatchFolder({ ...folder, id: 1, accountId, createdAt: now, counts: { ...NO_FILES, done: 1 } });
  const file = { path: 'a.jpg', sizeBytes: 1, modifiedNs: '1', state: 'done', identifier: '' } as const;
  tx.drainWorker('gpu-1', now);
  const notes = {
    name: 'Interim',
    source: 'https://lists.example',
    date: '2025-08-28',
    terms: 'none',
    frozen: null,
  };
  tx.putTrustList({ ...notes, id: 'interim', kind: 'signers', isOn: false, files: null });
  const tried = { reason: '', attempts: 0, retryAt: null, at: now, missingSince: null };
  tx.putWatchedFile({ ...file, ...tried, folderId: 1 });
}

/** A manifest beside a file, and a run that has read it anew. */
function putProvenance(
  tx: StoreTransaction,
  { record, accountId, now }: { record: string; accountId: number; now: number },
): void {
  const bytes = new Uint8Array(8);
  tx.outerManifests.put(`analysis-${record}`, {
    source: 'sidecar',
    bytes,
    hash: 'c2'.repeat(32),
    address: '',
  });
  const counts = { looked: 1, total: 1, unchanged: 0, changed: 1, mediaGone: 0, unreadable: 0 };
  const run = { startedAt: now, endedAt: now, startedBy: 1, lists: [], cursor: '' };
  tx.putTrustRecheck({ ...run, ...counts, state: 'done' });
  const changes = [{ answer: 'state', before: 'intact', after: 'trusted' } as const];
  const found = { identifier: record, accountId, name: 'a.jpg', outcome: 'changed', reason: '' } as const;
  tx.addRecheckedRecord({ ...found, changes, listsBefore: [], listsAfter: [], at: now });
}

/** Which row of a table: a last one is what the next is counted from. */
const PLACES = ['first', 'last'] as const;

/** Rows without which the administrator or the other account could rightly do nothing. */
function isNeeded({ adminKey, other }: Stage, name: keyof Tables, key: Key): boolean {
  const needed: Partial<Record<keyof Tables, readonly Key[]>> = {
    accounts: [1, other.id],
    plans: [1],
    apiKeys: [hashSecret(adminKey)],
    accountsByEmail: [ADMIN_EMAIL, other.email],
    classifications: [other.record],
    analyses: [`analysis-${other.record}`],
  };
  const isOthers = Array.isArray(key) && key[0] === other.id;
  return isOthers || needed[name]?.includes(key) === true;
}

interface Flip {
  table: string;
  key: Key;
  damaged: Buffer;
}

/** Flips a byte of one row; undefined where the table has no such row. */
async function flip(stage: Stage, name: keyof Tables, place: 'first' | 'last'): Promise<Flip | undefined> {
  await using records = openRecords(stage.data);
  const table = records.tables[name];
  if (!(table instanceof Table)) return undefined;
  const keys = [...table.keys()].filter((key) => !isNeeded(stage, name, key));
  const key = place === 'first' ? keys[0] : keys.at(-1);
  if (key === undefined || (place === 'last' && keys.length === 1)) return undefined;
  return { table: table.name, key, damaged: records.flip(table.name, key) };
}

/** As it was, where the daemon left it. */
async function flipBack({ data }: Stage, { table, key, damaged }: Flip): Promise<void> {
  await using records = openRecords(data);
  if (records.bytesOf(table, key)?.equals(damaged) === true) records.flip(table, key);
}

function openRecords(data: string) {
  const root = open({ path: join(data, 'records'), maxDbs: TABLES_MAX });
  const bytesOf = (table: string, key: Key) =>
    root.openDB<Buffer, Key>(table, { encoding: 'binary' }).get(key);
  return {
    tables: openTables(root),
    bytesOf,
    flip(table: string, key: Key): Buffer {
      const bytes = Buffer.from(bytesOf(table, key) ?? []);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 0xff;
      root.transactionSync(() => root.openDB<Buffer, Key>(table, { encoding: 'binary' }).putSync(key, bytes));
      return bytes;
    },
    async [Symbol.asyncDispose]() {
      await root.flushed;
      await root.close();
    },
  };
}

/** What the administrator and the other account do all day. */
async function assertOthersWork({ app, daemon }: OpenApp, stage: Stage): Promise<void> {
  const admin = authenticate(app, stage.adminKey, FROM);
  const { session } = await signIn(app, {
    ...{ email: ADMIN_EMAIL, password: ADMIN_PASSWORD, userAgent: '', from: FROM },
  });
  ok(listSessions(app, { principal: admin }).some(({ hash }) => hash === session.hash));
  const other = principalOf(app, stage.other.id);
  const { key } = await createKey(app, { principal: other, name: 'another' });
  ok(listKeys(app, { principal: other }).some(({ id }) => id === key.id));
  await revokeKey(app, { principal: other, id: key.id });
  const file = { kind: 'image', hash: OTHER_HASH } as const;
  await overrideClassification(app, { principal: other, ...file, classification: 'human' });
  const page = listClassifications(app, { principal: other, limit: 10 });
  deepEqual(
    shownOf(page.entries).map(({ identifier }) => identifier),
    [stage.other.record],
  );
  listClassifications(app, { principal: admin, limit: 10, filter: { waits_for_me: true } });
  const identifier = await addRecord(app, other.account.id, { hash: HASH });
  await deleteClassification(app, { principal: other, identifier });
  const plan = await createPlan(app, { principal: admin, fields: { name: `Plan ${app.newIdentifier()}` } });
  ok(listPlans(app, { principal: admin }).some(({ id }) => id === plan.id) && plan.id > stage.victim.planId);
  const email = `${app.newIdentifier()}@example.org`;
  const user = await addUser(app, admin, { email, pricing_id: plan.id });
  ok(user.id > stage.victim.id);
  equal((await grantCredits(app, { principal: admin, id: user.id, amount: 3 })).balance, 3);
  ok(listUsers(app, { principal: admin, fields: {} }).data.some(({ id }) => id === user.id));
  equal(listAudit(app, { principal: admin, before: undefined, limit: 100 })[0]?.action, 'credits.grant');
  const link = { accountId: user.id, purpose: 'reset_password', now: app.clock.now() } as const;
  await app.store.transact((tx) => issueToken(tx, link));
  getQueue(app, { principal: admin, limit: 10 });
  await signOutEverywhere(app, { principal: other });
  await using retention = new Retention(daemon.app, { intervalMs: 3_600_000 });
  await retention.sweep();
  const never = new AbortController().signal;
  const parts = { ...app, unfinishedUploadMs: 3_600_000 };
  await sweepDeliveries(parts, never);
  await sweepRequests(parts, never);
}

function linkUse(now: number) {
  return { purposes: ['reset_password'] as const, now };
}

/** What must not open a door while it is damaged. */
function assertNothingGranted({ app }: OpenApp, { victim }: Stage, { table, key }: Flip): void {
  const isOwn = key === victim.id || key === victim.planId || key === hashSecret(victim.key);
  if (['accounts', 'plans', 'api-keys'].includes(table) && isOwn)
    throws(() => authenticate(app, victim.key, FROM), /damaged record/);
  if (table === 'sessions' && key === hashSecret(victim.cookie))
    throws(() => identifySession(app, victim.cookie, FROM));
}

test('whichever row is damaged, everybody else works on, and no one gets more', {
  timeout: 295_000,
}, async () => {
  await using folder = await makeTemporaryFolder();
  const stage = await setUp(join(folder.path, 'data'));
  const flipped = new Set<string>();
  const told = new Set<string>();
  const names = await tableNames(stage);
  for (const name of names) {
    for (const place of PLACES) {
      const row = await flip(stage, name, place);
      if (row === undefined) continue;
      flipped.add(name);
      try {
        await using opened = await openStage(stage.data);
        assertNothingGranted(opened, stage, row);
        await assertOthersWork(opened, stage);
        // It reads rows in the background, and would meet one between the two counts.
        await opened.app.earlierPictures.settled();
        // Each table is counted from zero.
        const { values: counts } = await opened.app.metrics.damagedRecords.get();
        const values = counts.filter(({ value }) => value > 0);
        for (const { labels } of values) told.add(String(labels.table));
        const findings = await examine(opened.app, { principal: opened.admin });
        const isTold = findings.some(({ name: what, state }) => what === 'records' && state === 'bad');
        equal(isTold, values.length > 0, 'the doctor tells what the metric counts');
      } catch (error) {
        throw new Error(`with the ${place} row of ${name} damaged (${String(row.key)})`, { cause: error });
      }
      await flipBack(stage, row);
    }
  }
  // Lines of before the custody log, which a box that began with it has none of.
  deepEqual([...flipped].sort(), names.filter((name) => name !== 'audit').sort());
  for (const table of ['accounts', 'custody', 'plans', 'sessions']) ok(told.has(table), table);
});

async function tableNames({ data }: Stage): Promise<(keyof Tables)[]> {
  await using records = openRecords(data);
  const names = Object.keys(records.tables) as (keyof Tables)[];
  return names.filter((name) => records.tables[name] instanceof Table);
}

test('what is revoked while it is damaged stays revoked when its bytes are right again', async () => {
  await using folder = await makeTemporaryFolder();
  const stage = await setUp(join(folder.path, 'data'));
  const { id, key, cookie, link } = stage.victim;
  const flips: Flip[] = [];
  {
    await using records = openRecords(stage.data);
    const secrets = [
      { table: 'api-keys', key: hashSecret(key) },
      { table: 'sessions', key: hashSecret(cookie) },
      { table: 'mail-tokens', key: hashSecret(link) },
    ];
    for (const row of secrets) flips.push({ ...row, damaged: records.flip(row.table, row.key) });
  }
  {
    await using opened = await openStage(stage.data);
    const { clock, store } = opened.app;
    throws(() => accountOfToken(store.read, link, linkUse(clock.now())), /damaged record in mail-tokens/);
    await store.transact((tx) => revokeAccess(tx, id));
  }
  for (const it of flips) await flipBack(stage, it);
  await using opened = await openStage(stage.data);
  throws(() => authenticate(opened.app, key, FROM), /invalid API key/);
  throws(() => identifySession(opened.app, cookie, FROM), /not signed in/);
  const { clock, store } = opened.app;
  throws(() => accountOfToken(store.read, link, linkUse(clock.now())), /neither used nor replaced/);
});

test('a damaged balance is what the ledger adds up to', async () => {
  await using folder = await makeTemporaryFolder();
  const stage = await setUp(join(folder.path, 'data'));
  const { id } = stage.victim;
  {
    await using records = openRecords(stage.data);
    records.flip('balances', id);
  }
  {
    await using opened = await openStage(stage.data);
    deepEqual(opened.app.store.read.balance(id), { available: 7, spent: 0, sequence: 1 });
  }
  {
    await using records = openRecords(stage.data);
    records.flip('ledger', [id, 1]);
  }
  await using opened = await openStage(stage.data);
  throws(() => opened.app.store.read.balance(id), /damaged record in balances/);
});
