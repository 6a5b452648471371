/** A support bundle of a box in which secrets lie everywhere: what helps is in it, and none of them. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { examine } from '../../../src/app/appliance/doctor/doctor.ts';
import { makeSupportBundle, Redaction } from '../../../src/app/appliance/doctor/support-bundle.ts';

import { addWatchFolder } from '../../../src/app/watch-folders/watch-folders.ts';
import { runCommand } from '../../cli/run-command.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { addRecord, addUser, openApp, openServedApp, principalOf, type ServedApp } from '../open-app.ts';

const KEY = `assay_${'5ec2e7'.repeat(10)}abcd`;
/** Secrets where a user or an operator would put them; none may leave the box. */
const PLANTED = {
  adminKey: KEY,
  adminPassword: 'a-password-nobody-guesses',
  adminEmail: 'chief.editor@newsroom.example',
  smtp: 'smtp-pass-9431',
  publicHost: 'verify.newsroom.example',
  userName: 'Wilhelmina Featherstone',
  userEmail: 'wilhelmina@newsroom.example',
  phone: '+39 055 1234567',
  reference: 'case-0042-whistleblower',
  mediaName: 'minister-in-the-villa.jpeg',
  sourceUrl: 'https://leaks.example/drop?token=t0k3n-of-the-source',
  webhookSecret: 'whsec_c3VwcG9ydC1idW5kbGUtc2VjcmV0',
  callerAddress: '203.0.113.77',
} as const;

async function unpack(archive: Buffer): Promise<Map<string, string>> {
  await using folder = await makeTemporaryFolder();
  await writeFile(join(folder.path, 'bundle.tar.gz'), archive);
  await mkdir(join(folder.path, 'out'));
  execFileSync('tar', ['xzf', join(folder.path, 'bundle.tar.gz'), '-C', join(folder.path, 'out')]);
  const [name = ''] = await readdir(join(folder.path, 'out'));
  const files = await readdir(join(folder.path, 'out', name));
  const read = files.map(
    async (file) => [file, await readFile(join(folder.path, 'out', name, file), 'utf8')] as const,
  );
  return new Map(await Promise.all(read));
}

test('the bundle describes the box and no person', async () => {
  await using box = await openApp({
    ASSAY_ADMIN_API_KEY: KEY,
    ASSAY_ADMIN_PASSWORD: PLANTED.adminPassword,
    ASSAY_ADMIN_EMAIL: PLANTED.adminEmail,
    ASSAY_MAIL_SMTP_URL: `smtp://mailer:${PLANTED.smtp}@mail.newsroom.example`,
    ASSAY_MAIL_FROM: PLANTED.adminEmail,
    ASSAY_PUBLIC_URL: `https://${PLANTED.publicHost}`,
    ASSAY_LOG_LEVEL: 'info',
  });
  const { app, admin } = box;
  const user = await addUser(app, admin, {
    name: PLANTED.userName,
    email: PLANTED.userEmail,
    phone: PLANTED.phone,
  });
  const identifier = await addRecord(app, user.id, { hash: 'ab'.repeat(32) });
  await app.store.transact((tx) => {
    const record = tx.records.get(identifier);
    const analysis = record && tx.analyses.get(record.analysisId);
    if (record === undefined || analysis === undefined) throw new Error('no record');
    tx.putClassification({ ...record, name: PLANTED.mediaName, refId: PLANTED.reference });
    tx.putAnalysis({ ...analysis, error: `could not fetch ${PLANTED.sourceUrl} (${PLANTED.mediaName})` });
  });
  // A library or a careless line might log the secrets so.
  app.log.warn({ err: new Error(`no ${PLANTED.userEmail}, ${PLANTED.sourceUrl}, ${KEY}`) }, 'a mail failed');
  app.log.warn({ refId: PLANTED.reference, name: PLANTED.mediaName }, `saw ${PLANTED.mediaName}`);
  app.log.warn(`${PLANTED.webhookSecret} from ${PLANTED.callerAddress} for ${PLANTED.userName}`);
  app.log.warn({ worker: 'decode' }, `title: ${PLANTED.reference}`);

  const { name, archive } = await makeSupportBundle(app, { principal: admin });
  match(name, /^assay-support-\d{8}T\d{6}Z\.tar\.gz$/);
  const files = await unpack(archive);
  const whole = [...files.values()].join('\n');
  deepEqual(
    Object.entries(PLANTED).filter(([, secret]) => whole.includes(secret)),
    [],
  );
  for (const part of ['newsroom.example', 'Featherstone', 't0k3n', identifier, 'ab'.repeat(32)])
    ok(!whole.includes(part), part);

  deepEqual([...files.keys()].sort(), [
    ...['doctor.json', 'log.jsonl', 'metrics.txt', 'processes.json', 'queue.json'],
    ...['settings.json', 'status.json', 'versions.json'],
  ]);
  const settings = JSON.parse(files.get('settings.json') ?? '') as { key: string; value: string }[];
  equal(settings.find(({ key }) => key === 'decode.slots')?.value, '1');
  equal(settings.find(({ key }) => key === 'public_url')?.value, '(set)');
  match(files.get('queue.json') ?? '', /could not fetch <address>/);
  match(files.get('log.jsonl') ?? '', /a mail failed/);
  match(files.get('metrics.txt') ?? '', /assay_queue_depth 0/);
  match(files.get('versions.json') ?? '', /"v8"/);
  equal(app.store.read.audit({ limit: 1 })[0]?.action, 'support.create');
});

test('findings of the doctor leave without folders, hosts and names of boxes', async () => {
  await using folder = await makeTemporaryFolder();
  const watched = join(folder.path, 'Villa tip', 'in');
  await mkdir(watched, { recursive: true });
  const backups = join(folder.path, 'off site');
  await mkdir(backups);
  await using box = await openServedApp({ ASSAY_BACKUP_DIR: backups, ASSAY_WATCH_ROOTS: folder.path });
  const { app, admin } = box;
  await addWatchFolder(app, { principal: admin, fields: { path: watched } });
  const plain = JSON.stringify(await examine(app, { principal: admin }));
  const { archive } = await makeSupportBundle(app, { principal: admin });
  const doctor = (await unpack(archive)).get('doctor.json') ?? '';
  for (const part of [folder.path, 'Villa tip', 'off site', '127.0.0.1']) {
    ok(plain.includes(part), `the doctor itself names ${part}`);
    ok(!doctor.includes(part), `${part}: ${doctor}`);
  }
  match(doctor, /"name": "watched folder 1"/);
  match(doctor, /takes connections/);
  await saveByCommand(box, join(folder.path, 'bundle.tar.gz'));
});

async function saveByCommand({ app, admin, daemon }: ServedApp, path: string): Promise<void> {
  const { secret } = await createKey(app, { principal: admin, name: 'support' });
  const save = () =>
    runCommand({ address: daemon.grpc.address, key: secret }, ['support-bundle', '--output', path]);
  const saved = await save();
  deepEqual([saved.code, saved.out], [0, `${path}\n`], saved.err);
  match(saved.err, /look into it before you send it/);
  equal((await stat(path)).mode & 0o777, 0o600);
  ok((await unpack(await readFile(path))).has('versions.json'));
  const again = await save();
  deepEqual([again.code, /cannot be written: EEXIST/.test(again.err)], [1, true], 'no file is overwritten');
}

test('only an administrator gets one', async () => {
  await using box = await openApp();
  const user = await addUser(box.app, box.admin);
  await rejects(makeSupportBundle(box.app, { principal: principalOf(box.app, user.id) }), /administrator/i);
});

test('redaction keeps what support needs', () => {
  const redaction = new Redaction(['Eve']);
  const kept = [
    'assay-transformer@2.0.0 gives its golden outputs',
    'Everything is well at 127.0.0.1:8480',
    '/opt/assay/src/engine/engine.ts:120',
    'the data folder /var/lib/assay has format 2',
  ];
  for (const text of kept) equal(redaction.text(text), text);
  equal(redaction.text(`record ${'ab'.repeat(32)} failed`), 'record abababab… failed');
});
