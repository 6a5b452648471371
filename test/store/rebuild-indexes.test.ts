import { deepEqual, equal, match, notDeepEqual, ok, throws } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { NO_PROVENANCE } from '../../src/domain/provenance/provenance.ts';
import type { ImageResult, VideoResult } from '../../src/domain/verdicts/result.ts';
import { Store } from '../../src/store/store.ts';
import { addRecord, addUser, openServedApp } from '../app/open-app.ts';
import { runCommand } from '../command-line.ts';

// As the daemon does before it opens a store: else what LMDB makes is open to others, and said to be.
process.umask(0o077);

const INDEXES = [
  ...[
    'classifications-by-answer',
    'classifications-by-reference',
    'classifications-by-account',
    'classifications-by-kind',
    'classifications-by-hash',
  ],
  ...['classifications-by-analysis', 'analyses-by-key', 'analyses-open', 'analyses-failed', 'parts'],
  ...[
    'accounts-by-email',
    'accounts-by-role',
    'sessions-by-account',
    'sessions-by-end',
    'mail-tokens-by-account',
    'mail-tokens-by-end',
    'api-keys-by-account',
    'deliveries-by-account',
    'deliveries-due',
    'requests-by-time',
  ],
];
const PICTURE: ImageResult = {
  ...{ kind: 'image', mime: 'image/png', runs: [], width: 1, height: 1, pages: 1, nsfw: null },
  ...{ hasHeatmap: false, detections: [], provenance: NO_PROVENANCE, stability: [] },
  quality: { shortSide: 1, jpegQuality: null, truncated: false },
};
const FILM: Omit<VideoResult, 'frames' | 'tracks'> = {
  ...{ kind: 'video', mime: 'video/mp4', runs: [], width: 1, height: 1, nsfw: null, durationSeconds: 1 },
  ...{ provenance: NO_PROVENANCE, damagedFrames: 0, withTrack: false },
};

/** A daemon's data folder with something in every index; closed. */
async function fillFolder(box: Awaited<ReturnType<typeof openServedApp>>): Promise<void> {
  const { app, admin } = box;
  const user = await addUser(app, admin);
  const gone = await addUser(app, admin);
  const identifier = await addRecord(app, user.id, { hash: 'ab'.repeat(32) });
  await addRecord(app, user.id, { hash: '', kind: 'video', state: 'done' });
  const record = app.store.read.records.get(identifier);
  const analysis = app.store.read.analyses.get(record?.analysisId ?? '');
  if (record === undefined || analysis === undefined) throw new Error('no record');
  const at = app.clock.now();
  await app.store.transact((tx) => {
    tx.putClassification({ ...record, refId: 'desk' });
    tx.accounts.put({ ...gone, deletedAt: at });
    const session = { csrfToken: 'c', userAgent: '', createdAt: at, expiresAt: at + 1 };
    tx.accounts.putSession({ ...session, hash: 'session-1', accountId: user.id });
    // Two analyses have one key, which finds the later one.
    tx.putAnalysis({ ...analysis, id: 'zz-earlier', state: 'queued', queuedAt: 1, endedAt: null });
    tx.putAnalysis({ ...analysis, id: 'aa-later', state: 'queued', queuedAt: at + 5, endedAt: null });
    const file = { file: 'frame-0.png', hash: 'e'.repeat(64), sizeBytes: 1 };
    const frame = { identifier: 'f'.repeat(64), timeSeconds: 0, image: PICTURE, ...file };
    const result: VideoResult = { ...FILM, frames: [frame], tracks: [] };
    tx.putAnalysis({ ...analysis, id: 'video', key: 'video', kind: 'video', state: 'done', result });
    tx.putPart(frame.identifier, { analysisId: 'video', kind: 'image', index: 0 });
    tx.putRequest(user.id, 'request-1', { identifier, fingerprint: 'x', at });
    tx.putDelivery({
      ...{ id: 'delivery-1', accountId: user.id, identifier, kind: 'image', url: 'https://example.org/' },
      ...{ createdAt: at, attempts: [], noticeId: null, state: 'pending', nextAttemptAt: at + 86_400e6 },
    } as unknown as Parameters<typeof tx.putDelivery>[0]);
  });
}

function openRecords(folder: string): RootDatabase {
  return open({ path: join(folder, 'records'), pageSize: 8192, maxDbs: 64 });
}

async function dump(folder: string): Promise<Map<string, unknown[]>> {
  await using stack = new AsyncDisposableStack();
  const root = openRecords(folder);
  stack.defer(() => root.close());
  return new Map(
    INDEXES.map((name) => {
      const table: Database<Buffer, Key> = root.openDB(name, { encoding: 'binary' });
      return [name, Array.from(table.getRange({}), ({ key, value }) => [key, value.toString('hex')])];
    }),
  );
}

async function damage(
  folder: string,
  change: (table: Database<Buffer, Key>) => Promise<unknown>,
  name: string,
) {
  await using stack = new AsyncDisposableStack();
  const root = openRecords(folder);
  stack.defer(() => root.close());
  await change(root.openDB(name, { encoding: 'binary' }));
}

async function reopen(folder: string, isRebuildAsked = false): Promise<string[]> {
  const said: string[] = [];
  await using store = await Store.open({ folder, isRebuildAsked, onUpgrade: (text) => said.push(text) });
  ok(store.read.accounts.all().length > 0);
  return said;
}

test('a damaged index is found at the start and rebuilt', async () => {
  let folder = '';
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await openServedApp());
  await fillFolder(box);
  folder = box.folder;
  await box.daemon[Symbol.asyncDispose]();
  const before = await dump(folder);
  for (const [name, entries] of before) ok(entries.length > 0, `nothing in ${name}`);
  deepEqual(await reopen(folder), []);

  await damage(folder, (table) => table.clearAsync(), 'classifications-by-account');
  const said = await reopen(folder);
  match(said[0] ?? '', /index of classifications by account has 0 entries for 2 values; they are made anew/);
  match(said[1] ?? '', /made anew: \d+ values, 0 damaged/);
  deepEqual(await dump(folder), before);
  deepEqual(await reopen(folder), []);

  // As many entries as before, but wrong ones: only a rebuild that is asked for repairs it.
  const wrong = async (table: Database<Buffer, Key>) => {
    const [first] = [...table.getKeys({})];
    await table.remove(first as Key);
    await table.put(['0'.repeat(64), 1, 'image', 'nobody'] as unknown as Key, Buffer.alloc(1));
  };
  await damage(folder, wrong, 'classifications-by-hash');
  await damage(folder, (table) => table.clearAsync(), 'parts');
  deepEqual(await reopen(folder), []);
  notDeepEqual(await dump(folder), before);
  const { code, stdout, stderr } = await runCommand(['restore', '--rebuild-indexes', '--data-dir', folder]);
  equal(code, 0, stderr);
  match(stdout, /the indexes of .* are made anew/);
  deepEqual(await dump(folder), before);
});

test('a damaged record is left out and counted, and the others are found', async () => {
  await using box = await openServedApp();
  await fillFolder(box);
  const { folder } = box;
  await box.daemon[Symbol.asyncDispose]();
  const flip = async (table: Database<Buffer, Key>) => {
    const [{ key, value } = { key: '', value: Buffer.alloc(0) }] = [...table.getRange({ limit: 1 })];
    const bytes = Buffer.from(value);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await table.put(key, bytes);
  };
  await damage(folder, flip, 'classifications');
  const said = await reopen(folder, true);
  match(said.at(-1) ?? '', /1 damaged ones left out/);
  await using store = await Store.open({ folder });
  const user = store.read.accounts.all().find(({ id }) => id !== 1);
  equal(store.read.records.list({ accountId: user?.id ?? 0, limit: 10 }).length, 1);
});

test('one rebuilding is enough for damaged rows, and references to them stay', async () => {
  await using box = await openServedApp();
  await fillFolder(box);
  const { folder, app } = box;
  const user = app.store.read.accounts.all().find(({ id, deletedAt }) => id !== 1 && deletedAt === null);
  const [record] = app.store.read.records.list({ accountId: user?.id ?? 0, limit: 10, kind: 'image' });
  await box.daemon[Symbol.asyncDispose]();
  const rows: [string, Key][] = [
    ['accounts', user?.id ?? 0],
    ['classifications', record?.identifier ?? ''],
    ['sessions', 'session-1'],
  ];
  for (const [name, row] of rows) {
    const flip = async (table: Database<Buffer, Key>) => {
      const bytes = Buffer.from(table.get(row) ?? []);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      await table.put(row, bytes);
    };
    await damage(folder, flip, name);
  }
  deepEqual(await reopen(folder), []);
  // Lost with the entry of the damaged account: its role is unknown.
  await damage(folder, (table) => table.clearAsync(), 'accounts-by-role');
  match((await reopen(folder)).at(-1) ?? '', /\d+ values, \d+ damaged ones left out/);
  deepEqual(await reopen(folder), []);
  await using store = await Store.open({ folder });
  throws(() => store.read.accounts.byEmail(user?.email ?? ''), /damaged record in accounts/);
  ok(store.read.hasBlobReference('ab'.repeat(32)));
  deepEqual(store.read.accounts.sessionKeysOfAccount(user?.id ?? 0), []);
  equal(store.read.accounts.sessions.get('session-1'), undefined);
});

test('rebuilding the indexes of a folder that does not exist is refused', async () => {
  const { code, stderr } = await runCommand(['restore', '--rebuild-indexes', '--data-dir', '/nonexistent']);
  equal(code, 2);
  match(stderr, /is no data folder/);
});
