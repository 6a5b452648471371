/** Rows of every table with a flipped byte, and what must work on meanwhile. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { join } from 'node:path';
import { type Key, open } from 'lmdb';
import { listAudit } from '../../../src/app/accounts/audit.ts';
import { createKey, listKeys, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createPlan, listPlans } from '../../../src/app/accounts/plans.ts';
import { listSessions, signIn, signOutEverywhere } from '../../../src/app/accounts/sessions.ts';
import { listUsers } from '../../../src/app/accounts/user-list.ts';
import { grantCredits } from '../../../src/app/accounts/users.ts';
import { getQueue } from '../../../src/app/appliance/queue.ts';
import { sweepDeliveries, sweepRequests } from '../../../src/app/appliance/sweeper.ts';
import { authenticate } from '../../../src/app/callers/authenticate.ts';
import { identifySession } from '../../../src/app/callers/session.ts';
import { hashSecret, issueToken } from '../../../src/app/callers/tokens.ts';
import { deleteClassification, listClassifications } from '../../../src/app/records/classifications.ts';
import { overrideClassification } from '../../../src/app/records/overrides.ts';
import { Retention } from '../../../src/app/records/retention.ts';
import { askSignOff } from '../../../src/app/records/sign-offs.ts';
import { shownOf } from '../../../src/domain/answers/refused-record.ts';
import { NO_FILES } from '../../../src/domain/automation/watch-folder.ts';
import { emptyKeypoints, packKeypoints } from '../../../src/domain/media/keypoints.ts';
import { openTables, TABLES_MAX, type Tables } from '../../../src/store/tables/schema.ts';
import { Table } from '../../../src/store/tables/table.ts';
import type { StoreTransaction } from '../../../src/store/transaction.ts';
import {
  ADMIN_PASSWORD,
  addRecord,
  addUser,
  FROM,
  openServedApp,
  principalOf,
  type ServedApp,
} from '../../app/open-app.ts';
import { examineStore } from './store-doctor.ts';

const ADMIN_EMAIL = 'admin@example.org';
const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);
const NARROWED = { name: 'Night', search: 'a', text: '', since: null, until: null };
const RECEIVER = 'https://receiver.example.org/hook';

export interface Stage {
  data: string;
  adminKey: string;
  /** Whose rows are flipped, with a plan of its own. */
  victim: { id: number; planId: number; key: string; cookie: string; link: string; record: string };
  other: { id: number; email: string; record: string };
}

export function openStage(data: string): Promise<ServedApp> {
  const env = { ASSAY_ADMIN_EMAIL: ADMIN_EMAIL, ASSAY_ADMIN_PASSWORD: ADMIN_PASSWORD };
  return openServedApp({ ...env, ASSAY_DATA_DIR: data });
}

/** Two accounts; one of them has a row in every table. */
export async function setUp(data: string): Promise<Stage> {
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
    tx.accounts.putSession({ ...session, hash: hashSecret(cookie) });
    tx.accounts.putSavedFilters(id, [
      { ...NARROWED, ...{ kind: 'image', outcome: null, deskId: null, waitsForMe: false } },
    ]);
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
    putTimestamp(tx, { record, accountId: id, now });
    return issueToken(tx, { accountId: id, purpose: 'reset_password', now }).token;
  });
  return {
    ...{ data, adminKey },
    victim: { id, planId: plan.id, key, cookie, link, record },
    other: { id: other.id, email: other.email, record: otherRecord },
  };
}

/** A package whose timestamp is still to come. */
function putTimestamp(
  tx: StoreTransaction,
  { record, accountId, now }: { record: string; accountId: number; now: number },
): void {
  const asked = {
    authority: 'https://time.example',
    state: 'waiting',
    time: null,
    error: '',
    reply: null,
  } as const;
  tx.putTimestamps({
    packageSha256: 'a',
    signature: new Uint8Array(64),
    accountId,
    identifiers: [record],
    createdAt: now,
    attempts: 0,
    nextAttemptAt: 8e15,
    requests: [asked],
  });
}

/** What goes on by itself: a desk, a rule of notices, a folder with a file, and a trust list that was switched off. */
function putStanding(tx: StoreTransaction, accountId: number, now: number): void {
  const target = {
    channel: 'slack',
    sealedTarget: new Uint8Array(4),
    target: 'https://hooks.example/…',
  } as const;
  const narrowed = { outcomes: [], kinds: [], ofEveryAccount: false, isPaused: true, reason: '' };
  tx.automation.putNoticeRule({ ...target, ...narrowed, id: 1, accountId, name: 'a rule', createdAt: now });
  const folder = { path: '/srv/in', options: {}, done: 'leave', isPaused: true, isRemoved: false } as const;
  tx.automation.putWatchFolder({
    ...folder,
    id: 1,
    accountId,
    createdAt: now,
    counts: { ...NO_FILES, done: 1 },
  });
  const file = { path: 'a.jpg', sizeBytes: 1, modifiedNs: '1', state: 'done', identifier: '' } as const;
  tx.automation.drainWorker('gpu-1', now);
  const notes = {
    name: 'Interim',
    source: 'https://lists.example',
    date: '2025-08-28',
    terms: 'none',
    frozen: null,
  };
  tx.automation.putTrustList({ ...notes, id: 'interim', kind: 'signers', isOn: false, files: null });
  tx.desks.put({ id: 1, name: 'Night', partnerId: null, createdAt: now });
  tx.desks.putMember({ deskId: 1, accountId, role: 'heads', at: now });
  const tried = { reason: '', attempts: 0, retryAt: null, at: now, missingSince: null };
  tx.automation.putWatchedFile({ ...file, ...tried, folderId: 1 });
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
  tx.automation.putTrustRecheck({ ...run, ...counts, state: 'done' });
  const changes = [{ answer: 'state', before: 'intact', after: 'trusted' } as const];
  const found = { identifier: record, accountId, name: 'a.jpg', outcome: 'changed', reason: '' } as const;
  tx.automation.addRecheckedRecord({ ...found, changes, listsBefore: [], listsAfter: [], at: now });
}

/** Which row of a table: a last one is what the next is counted from. */
const PLACES = ['first', 'last'] as const;
type Place = (typeof PLACES)[number];

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

export interface Flip {
  table: string;
  key: Key;
  damaged: Buffer;
}

interface FlippedRow extends Flip {
  name: keyof Tables;
}

/** Flips a byte of the first row of a table and of the last, where it has such rows. */
async function flipRows(stage: Stage, name: keyof Tables, places: readonly Place[]): Promise<FlippedRow[]> {
  await using records = openRecords(stage.data);
  const table = records.tables[name];
  if (!(table instanceof Table)) return [];
  const keys = [...table.keys()].filter((key) => !isNeeded(stage, name, key));
  const chosen = places.map((place) => (place === 'first' ? keys[0] : keys.slice(1).at(-1)));
  return chosen
    .filter((key) => key !== undefined)
    .map((key) => ({ name, table: table.name, key, damaged: records.flip(table.name, key) }));
}

/** As it was, where the daemon left it. */
export async function flipBack({ data }: Stage, { table, key, damaged }: Flip): Promise<void> {
  await using records = openRecords(data);
  if (records.bytesOf(table, key)?.equals(damaged) === true) records.flip(table, key);
}

export function openRecords(data: string) {
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
async function assertOthersWork({ app, daemon }: ServedApp, stage: Stage): Promise<void> {
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

export function linkUse(now: number) {
  return { purposes: ['reset_password'] as const, now };
}

/** What must not open a door while it is damaged. */
function assertNothingGranted({ app }: ServedApp, { victim }: Stage, { table, key }: Flip): void {
  const isOwn = key === victim.id || key === victim.planId || key === hashSecret(victim.key);
  if (['accounts', 'plans', 'api-keys'].includes(table) && isOwn)
    throws(() => authenticate(app, victim.key, FROM), /damaged record/);
  if (table === 'sessions' && key === hashSecret(victim.cookie))
    throws(() => identifySession(app, victim.cookie, FROM));
}

/** Rows that others hang on: damaged with more, they would hide what the damage of those does. */
const ALONE: readonly (keyof Tables)[] = [
  ...(['plans', 'accounts', 'accountsByEmail', 'apiKeys', 'sessions'] as const),
  ...(['custodyEntries', 'custodyDetails', 'custodyNodes', 'custodyHead'] as const),
  ...(['classifications', 'analyses'] as const),
];
/** Groups of the other tables. Neighbours of the list have to do with each other, and are never in one group. */
const GROUPS = 5;

type Damage = readonly { name: keyof Tables; places: readonly Place[] }[];

/** The rows that are damaged at the same time: both of most tables. The two of `meta` are copies of each other. */
export function damagesAtOnce(names: readonly (keyof Tables)[]): Damage[] {
  const others = names.filter((name) => name !== 'meta' && !ALONE.includes(name));
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    others.filter((_, index) => index % GROUPS === at),
  );
  const alone = ALONE.map((name) => [name]);
  const whole = [...alone, ...groups].map((group) => group.map((name) => ({ name, places: PLACES })));
  return [...damagesOneByOne(['meta']), ...whole];
}

/** Each row alone. */
export function damagesOneByOne(names: readonly (keyof Tables)[]): Damage[] {
  return names.flatMap((name) => PLACES.map((place) => [{ name, places: [place] }]));
}

export interface FlippedRows {
  flipped: Set<string>;
  /** Tables of which the daemon's metric said that a row is damaged. */
  noted: Set<string>;
}

/** Throws where something else than a damaged row stops working, or more is granted than before. */
export async function damageInTurn(stage: Stage, damages: readonly Damage[]): Promise<FlippedRows> {
  const found: FlippedRows = { flipped: new Set(), noted: new Set() };
  for (const damage of damages) {
    const rows: FlippedRow[] = [];
    for (const { name, places } of damage) rows.push(...(await flipRows(stage, name, places)));
    if (rows.length === 0) continue;
    for (const { name } of rows) found.flipped.add(name);
    try {
      for (const table of await assertOnlyTheirs(stage, rows)) found.noted.add(table);
    } catch (error) {
      const names = rows.map(({ name, key }) => `${name} ${String(key)}`).join(', ');
      throw new Error(`with damaged rows: ${names}`, { cause: error });
    }
    for (const row of rows) await flipBack(stage, row);
  }
  return found;
}

/** Answers with the tables that the metric names. */
async function assertOnlyTheirs(stage: Stage, rows: readonly Flip[]): Promise<string[]> {
  await using opened = await openStage(stage.data);
  for (const row of rows) assertNothingGranted(opened, stage, row);
  await assertOthersWork(opened, stage);
  // It reads rows in the background, and would meet one between the two counts.
  await opened.app.earlierPictures.settled();
  // Each table is counted from zero.
  const { values: counts } = await opened.app.metrics.damagedRecords.get();
  const noted = counts.filter(({ value }) => value > 0).map(({ labels }) => String(labels.table));
  const findings = await examineStore(opened.app);
  const isFound = findings.some(({ name, state }) => name === 'records' && state === 'bad');
  equal(isFound, noted.length > 0, 'the doctor says what the metric counts');
  return noted;
}

export async function tableNames({ data }: Stage): Promise<(keyof Tables)[]> {
  await using records = openRecords(data);
  const names = Object.keys(records.tables) as (keyof Tables)[];
  // Lines of before the custody log, which a box that began with it has none of.
  return names.filter((name) => name !== 'audit' && records.tables[name] instanceof Table);
}
