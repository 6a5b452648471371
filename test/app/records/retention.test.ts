import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import type { App } from '../../../src/app/appliance/app.ts';
import { removeClassification } from '../../../src/app/records/remove-records.ts';
import { Retention } from '../../../src/app/records/retention.ts';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { appliancePlan, type Plan } from '../../../src/domain/accounts/plan.ts';
import { heldFor } from '../../../src/domain/desk.ts';
import type { Analysis, AnalysisState, Classification } from '../../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { RecordFeed } from '../../../src/engine/engine.ts';
import { systemClock } from '../../../src/machinery/system-clock.ts';
import { MACHINE_DISK, type RecordsDisk } from '../../../src/store/records-disk.ts';
import { Store } from '../../../src/store/store.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';

const DAY_US = 24 * 3600 * 1_000_000;
const NOW = 1_800_000_000_000_000;
const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

type RetentionApp = Pick<App, 'store' | 'work' | 'feed' | 'clock' | 'log'>;

async function openApp(folder: TemporaryFolder, disk?: RecordsDisk): Promise<RetentionApp & AsyncDisposable> {
  const store = await Store.open({ folder: folder.path, disk });
  // Retention uses only these functions of the queue.
  const work = { cancel() {}, abort() {} } as unknown as App['work'];
  const feed = new RecordFeed(store.read);
  const clock = { ...systemClock(), now: () => NOW };
  const log = pino({ level: 'silent' });
  return { store, work, feed, clock, log, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** Account and plan with the same number. */
async function addAccount({ store }: RetentionApp, id: number, plan: Partial<Plan>): Promise<void> {
  await store.transact((tx) => {
    tx.accounts.putPlan({ ...appliancePlan(0), ...plan, id });
    const account: Partial<Account> = { id, planId: id, email: `${id}@example.org`, deletedAt: null };
    tx.accounts.put(account as Account);
  });
}

interface NewRecord {
  name: string;
  text: string;
  days: number;
  state?: AnalysisState;
  /** Another record that has the same analysis. */
  as?: string;
  deskId?: number;
}

/** A record of so many days ago, with its medium and a heatmap. */
async function addRecord(
  { store }: RetentionApp,
  accountId: number,
  { name, text, days, state = 'done', as = name, deskId }: NewRecord,
): Promise<Classification> {
  async function* bytes() {
    yield Buffer.from(text);
  }
  const blob = await store.blobs.receive(bytes(), { bytesMax: 100 }, NEVER);
  await store.blobs.keep(blob);
  const createdAt = NOW - days * DAY_US;
  const identifier = name.padEnd(64, '0');
  const held = heldFor(accountId, deskId);
  const record = {
    identifier,
    ...held,
    kind: 'image',
    ...{ name: '', refId: '', options: DEFAULT_OPTIONS },
    hash: blob.hash,
    analysisId: `a-${as}`,
    createdAt,
  };
  const analysis = {
    id: `a-${as}`,
    key: as,
    kind: 'image',
    hash: blob.hash,
    ...held,
    state,
    models: [],
    result: null,
  };
  await store.transact((tx) => {
    tx.putAnalysis({ ...analysis, options: DEFAULT_OPTIONS, queuedAt: createdAt } as unknown as Analysis);
    tx.putClassification({ ...record, cancelled: false } as unknown as Classification);
  });
  const heatmap = store.artifacts.pathOf(`a-${as}`, 'heatmap.png');
  await mkdir(dirname(heatmap), { recursive: true });
  await writeFile(heatmap, 'h');
  return record as unknown as Classification;
}

function kept({ store }: RetentionApp, { identifier, hash, analysisId }: Classification) {
  return {
    record: store.read.records.get(identifier) !== undefined,
    medium: existsSync(store.blobs.pathOf(hash)),
    heatmap: existsSync(store.artifacts.pathOf(analysisId, 'heatmap.png')),
  };
}

const EVERYTHING = { record: true, medium: true, heatmap: true };
const RECORD_ONLY = { record: true, medium: false, heatmap: false };
const NOTHING = { record: false, medium: false, heatmap: false };

test('media go after their days, records after theirs, each on the disk too', async () => {
  await using folder = await makeTemporaryFolder();
  await using app = await openApp(folder);
  await addAccount(app, 1, { mediaDays: 10, recordDays: 30 });
  const fresh = await addRecord(app, 1, { name: 'fresh', text: 'fresh', days: 9 });
  const stale = await addRecord(app, 1, { name: 'stale', text: 'stale', days: 11 });
  const old = await addRecord(app, 1, { name: 'old', text: 'old', days: 31 });
  await using retention = new Retention(app, { intervalMs: HOUR_MS });
  await retention.sweep();
  deepEqual(kept(app, fresh), EVERYTHING);
  deepEqual(kept(app, stale), RECORD_ONLY);
  deepEqual(kept(app, old), NOTHING);
  equal(app.store.read.analyses.get(old.analysisId), undefined);
  const lines = app.store.read.audit({ limit: 10 });
  deepEqual(new Set(lines.map(({ action }) => action)), new Set(['retention.media', 'retention.records']));
  ok(lines.every(({ accountId, target }) => accountId === null && target === '1'));
});

test('bytes that another account may still keep stay, until its time is up too', async () => {
  await using folder = await makeTemporaryFolder();
  await using app = await openApp(folder);
  await addAccount(app, 1, { mediaDays: 10 });
  await addAccount(app, 2, {});
  const mine = await addRecord(app, 1, { name: 'mine', text: 'same', days: 11 });
  const theirs = await addRecord(app, 2, { name: 'theirs', text: 'same', days: 11 });
  await using retention = new Retention(app, { intervalMs: HOUR_MS });
  await retention.sweep();
  deepEqual(kept(app, theirs), EVERYTHING);
  equal(kept(app, mine).heatmap, false);
});

test('files sent for a desk go by their sender’s plan; a colleague’s record keeps the bytes', async () => {
  await using folder = await makeTemporaryFolder();
  await using app = await openApp(folder);
  await addAccount(app, 1, { mediaDays: 10, recordDays: 30 });
  await addAccount(app, 2, {});
  const deskId = 7;
  const stale = await addRecord(app, 1, { name: 'stale', text: 'stale', days: 11, deskId });
  const old = await addRecord(app, 1, { name: 'old', text: 'old', days: 31, deskId });
  const shared = await addRecord(app, 1, { name: 'shared', text: 'same', days: 31, deskId });
  const theirs = await addRecord(app, 2, { name: 'theirs', text: 'same', days: 31, deskId });
  await using retention = new Retention(app, { intervalMs: HOUR_MS });
  await retention.sweep();
  deepEqual(
    [stale, old, theirs].map((record) => kept(app, record)),
    [RECORD_ONLY, NOTHING, EVERYTHING],
  );
  equal(kept(app, shared).record, false);
});

test('zero retention takes the medium when the analysis ends, not before', async () => {
  await using folder = await makeTemporaryFolder();
  await using app = await openApp(folder);
  await addAccount(app, 1, { zeroRetention: true });
  const open = await addRecord(app, 1, { name: 'open', text: 'open', days: 1, state: 'queued' });
  {
    await using retention = new Retention(app, { intervalMs: HOUR_MS });
    await retention.sweep();
    deepEqual(kept(app, open), EVERYTHING);
    const analysis = app.store.read.analyses.get(open.analysisId);
    if (analysis === undefined) throw new Error('the analysis is missing');
    const done: Analysis = { ...analysis, state: 'done' };
    await app.store.transact((tx) => tx.putAnalysis(done));
    retention.noteEnded(done);
  }
  deepEqual(kept(app, open), RECORD_ONLY);
});

test('a kill between the end and the deletion is made good by the next sweep', async () => {
  await using folder = await makeTemporaryFolder();
  await using app = await openApp(folder);
  await addAccount(app, 1, { zeroRetention: true });
  const records: Classification[] = [];
  for (let index = 0; index < 120; index++) {
    records.push(await addRecord(app, 1, { name: `r${index}-`, text: `t${index}`, days: 1 + index / 1000 }));
  }
  await using retention = new Retention(app, { intervalMs: HOUR_MS });
  await retention.sweep();
  for (const record of records) deepEqual(kept(app, record), RECORD_ONLY);
});

test('artifacts of an analysis stay for the younger of two records that share it', async () => {
  await using folder = await makeTemporaryFolder();
  await using app = await openApp(folder);
  await addAccount(app, 1, { mediaDays: 10 });
  const old = await addRecord(app, 1, { name: 'old', text: 'same', days: 11 });
  const young = await addRecord(app, 1, { name: 'young', text: 'same', days: 1, as: 'old' });
  await using retention = new Retention(app, { intervalMs: HOUR_MS });
  await retention.sweep();
  deepEqual(kept(app, young), EVERYTHING);
  deepEqual(kept(app, old), EVERYTHING);
});

for (const as of ['old', 'young']) {
  const shared = as === 'old' ? 'the analysis' : 'only the file';
  test(`media that an old record shares with a young one (${shared}) go when the young one is deleted`, async () => {
    await using folder = await makeTemporaryFolder();
    await using app = await openApp(folder);
    await addAccount(app, 1, { mediaDays: 10 });
    await addAccount(app, 2, {});
    const old = await addRecord(app, 1, { name: 'old', text: 'same', days: 11 });
    const young = await addRecord(app, as === 'old' ? 1 : 2, { name: 'young', text: 'same', days: 1, as });
    await using retention = new Retention(app, { intervalMs: HOUR_MS });
    await retention.sweep();
    equal(kept(app, old).medium, true);
    await removeClassification(app, young, null);
    deepEqual(kept(app, old), RECORD_ONLY);
    const [last] = app.store.read.custody.rowsOf([old.identifier], { limit: 1 });
    equal(last?.kind, 'bytes_deleted');
  });
}

test('a deletion that ends after its first write leaves nothing of the analysis', async () => {
  await using folder = await makeTemporaryFolder();
  let writesLeft = Number.POSITIVE_INFINITY;
  const dying: RecordsDisk = {
    ...MACHINE_DISK,
    async commit(root, work) {
      if (writesLeft === 0) throw new Error('the process is dead');
      writesLeft -= 1;
      await MACHINE_DISK.commit(root, work);
    },
  };
  let gone: Classification;
  {
    await using app = await openApp(folder, dying);
    await addAccount(app, 1, {});
    gone = await addRecord(app, 1, { name: 'gone', text: 'gone', days: 1 });
    writesLeft = 1;
    await removeClassification(app, gone, null).catch(() => undefined);
  }
  await using app = await openApp(folder);
  await app.store.sweepOrphans(NEVER);
  deepEqual(kept(app, gone), NOTHING);
  equal(app.store.read.analyses.has(gone.analysisId), false);
});
