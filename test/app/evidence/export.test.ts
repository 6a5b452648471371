import { deepEqual, doesNotMatch, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { deleteUser } from '../../../src/app/accounts/users.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { exportEvidence } from '../../../src/app/evidence/export-evidence.ts';
import { CASE_RECORDS_MAX } from '../../../src/app/evidence/export-input.ts';
import type { RawFields } from '../../../src/app/field-parsers.ts';
import { deleteClassification, getClassification } from '../../../src/app/records/classifications.ts';
import { overrideClassification } from '../../../src/app/records/overrides.ts';
import { answerSignOff, askSignOff } from '../../../src/app/records/sign-offs.ts';
import {
  EXPORTS_KEPT_MAX,
  type StoredExport,
  withExport,
} from '../../../src/domain/records/exported-reading.ts';
import { judgePackage } from '../../../src/evidence/judge-package.ts';
import { openZip } from '../../../src/evidence/zip-reader.ts';
import { addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';
import { addDone, keepOriginal } from './finished-record.ts';

const NEVER = new AbortController().signal;
let open: OpenApp;
let identifier: string;

before(async () => {
  open = await openApp();
  await keepOriginal(open.app);
  identifier = await addDone(open.app);
});

after(() => open[Symbol.asyncDispose]());

async function exportZip(
  identifiers: string[],
  fields: RawFields = {},
  principal?: Principal,
): Promise<string> {
  const input = { principal: principal ?? open.admin, identifiers, fields };
  const { name, bytes } = await exportEvidence(open.app, input, NEVER);
  const path = join(open.folder, name);
  await writeFile(path, await buffer(Readable.from(bytes)));
  return path;
}

test('a package is whole, says what the record says, and is recorded with its audit line', async () => {
  const path = await exportZip([identifier], { title: 'Bridge', notes: 'by a reader', language: 'it' });
  const fingerprint = open.app.signingKeys.current().fingerprint;
  const judged = await judgePackage({ path, fingerprints: [fingerprint] });
  deepEqual(judged.faults, []);
  equal(judged.title, 'Bridge');
  const [one] = judged.records;
  equal(one?.exported?.state, 'artificial');
  equal(one?.present, null);
  const record = getClassification(open.app, { principal: open.admin, identifier });
  equal(record.exports.length, 1);
  equal(record.exports[0]?.fingerprint, fingerprint);
  equal(record.exports[0]?.readsOtherwise, false);
  const [line] = open.app.store.read.audit({ limit: 1 });
  equal(line?.action, 'evidence.export');
  equal(line?.details.package, record.exports[0]?.packageSha256);
});

test('a change since an earlier package stands in the record and in the next report', async () => {
  const recordId = await addDone(open.app);
  const made: StoredExport = {
    ...{ at: 1_700_000_000_000_000, byAccountId: 1, rulesVersion: 1, fingerprint: 'SHA256:x' },
    ...{ classification: 'human', state: 'inconclusive', probability: 0.6, packageSha256: 'f'.repeat(64) },
  };
  await open.app.store.transact((tx) => tx.putExports(recordId, withExport(undefined, made)));
  const { exports } = getClassification(open.app, { principal: open.admin, identifier: recordId });
  deepEqual(
    exports.map(({ readsOtherwise }) => readsOtherwise),
    [true],
  );
  const path = await exportZip([recordId]);
  equal((await judgePackage({ path, fingerprints: [] })).faults.length, 0);
});

test('a case holds every record once, each in a folder of its own', async () => {
  const second = await addDone(open.app);
  const path = await exportZip([identifier, second, identifier], { title: 'Case' });
  const judged = await judgePackage({ path, fingerprints: [] });
  deepEqual(judged.faults, []);
  deepEqual(judged.records.map((record) => record.identifier).sort(), [identifier, second].sort());
});

test('a file that is not kept any more is left out, and its hash stays', async () => {
  const gone = await addDone(open.app, 'e'.repeat(64));
  const judged = await judgePackage({ path: await exportZip([gone]), fingerprints: [] });
  deepEqual(judged.faults, []);
  equal(judged.records.length, 1);
});

test('another account’s record is as absent as an unknown one, and refusals name the bounds', async () => {
  const user = principalOf(open.app, (await addUser(open.app, open.admin)).id);
  const foreign = await exportZip([identifier], {}, user).catch((error: Error) => error);
  const unknown = await exportZip(['f'.repeat(64)], {}, user).catch((error: Error) => error);
  deepEqual(String(foreign), String(unknown));
  match(String(foreign), /no such classification/);
  await rejects(exportZip([]), /identifiers: expected one record or more/);
  const many = Array.from({ length: CASE_RECORDS_MAX + 1 }, (_, index) => String(index));
  await rejects(exportZip(many), /at most 200 records in a case, found 201/);
  await rejects(
    exportZip([identifier], { title: 'x'.repeat(201) }),
    /title: expected at most 200 characters/,
  );
  await rejects(exportZip([identifier], { language: 'de' }), /language: expected one of en, it, found "de"/);
});

test('a package says whether another person signed the finding off, with what was said, in both languages', async () => {
  const { app, admin } = open;
  const second = principalOf(app, (await addUser(app, admin, { role: 'admin' })).id);
  const hash = '5'.repeat(64);
  const asked = await addDone(app, hash);
  const finding = { principal: admin, kind: 'image', hash, classification: 'human' } as const;
  await overrideClassification(app, finding);
  const { signOff } = await askSignOff(app, { principal: admin, identifier: asked });
  const waiting = await membersOf(await exportZip([asked]));
  match(waiting.report, /Sign-off open: nobody else has answered yet\./);
  doesNotMatch(waiting.report, /agrees/);
  const named = ({ account: { name, id } }: Principal): string => `${name} (${id})`;
  ok(waiting.report.includes(`${named(admin)} marked it: Human`), 'the report names who stated the finding');
  ok(waiting.report.includes(`sign-off was asked for: ${named(admin)}`), 'and who asked');
  equal(JSON.parse(waiting.record).signOff.state, 'open');
  const said = { findingAt: signOff?.findingAt ?? 0, agrees: false, reason: 'the shadows' };
  await answerSignOff(app, { principal: second, identifier: asked, ...said });
  const answered = await membersOf(await exportZip([asked], { language: 'it' }));
  match(answered.report, /Un’altra persona non concorda con il giudizio\./);
  ok(answered.report.includes(`${named(second)} non concorda (“the shadows”)`), 'and who answered');
  const [byPerson] = JSON.parse(answered.record).findingsByPeople;
  deepEqual([byPerson.signOff.state, byPerson.signOff.answers[0].reason], ['disagreed', 'the shadows']);
  const kinds = answered.custody.match(/sign_off_\w+/g);
  deepEqual(kinds, ['sign_off_asked', 'sign_off_disagreed']);
  await deleteUser(app, { principal: admin, id: second.account.id });
  const later = await membersOf(await exportZip([asked]));
  ok(later.report.includes(`${named(second)} disagrees (“the shadows”)`), 'by name after it was deleted');
});

/** The files of a package of one record that people and programs read first. */
async function membersOf(path: string): Promise<Record<'report' | 'record' | 'custody', string>> {
  const found = { report: '', record: '', custody: '' };
  const endings = { report: 'report.html', record: 'record.json', custody: 'custody.jsonl' } as const;
  const zip = await openZip(path, { autoClose: false });
  for await (const entry of zip.eachEntry()) {
    for (const name of ['report', 'record', 'custody'] as const) {
      if (!entry.fileName.endsWith(endings[name])) continue;
      found[name] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
    }
  }
  zip.close();
  return found;
}

test('an original that has rotted is reported before the package begins', async () => {
  const { store } = open.app;
  const hash = createHash('sha256').update('will rot').digest('hex');
  await store.blobs.keep(
    await store.blobs.receive(Readable.from([Buffer.from('will rot')]), { bytesMax: 100 }, NEVER),
  );
  const rotten = await addDone(open.app, hash);
  await writeFile(store.blobs.pathOf(hash), 'has rot!');
  await rejects(exportZip([rotten]), /the stored original is not what was submitted/);
  equal(store.read.exportsOf(rotten), undefined);
});

test('a deleted record takes what is known of its packages with it', async () => {
  const made = await addDone(open.app);
  await exportZip([made]);
  ok(open.app.store.read.exportsOf(made) !== undefined);
  await deleteClassification(open.app, { principal: open.admin, identifier: made });
  equal(open.app.store.read.exportsOf(made), undefined);
  throws(() => getClassification(open.app, { principal: open.admin, identifier: made }));
});

test('of many exports none is forgotten whose reading no later one repeats', () => {
  const one = (at: number, state: string): StoredExport => ({
    ...{ at, byAccountId: 1, rulesVersion: 3, fingerprint: '', packageSha256: '' },
    ...{ classification: 'human', state, probability: null },
  });
  let kept = withExport(undefined, one(0, 'inconclusive'));
  for (let at = 1; at < 3 * EXPORTS_KEPT_MAX; at += 1) kept = withExport(kept, one(at, 'human'));
  equal(kept.exports.length, EXPORTS_KEPT_MAX);
  equal(kept.exports[0]?.state, 'inconclusive');
});

test('a package on the disk is followed, fetched by its owner only, and makes room', async () => {
  const { app, admin } = open;
  const user = principalOf(app, (await addUser(app, admin)).id);
  const started = await app.exportJobs.start(app, {
    principal: admin,
    identifiers: [identifier],
    fields: {},
  });
  throws(() => app.exportJobs.find(user, started.id), /no such package/);
  let job = started;
  while (job.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = app.exportJobs.find(admin, started.id);
  }
  equal(job.state, 'ready', job.error);
  equal(job.files, job.filesTotal);
  const file = await app.exportJobs.file(admin, started.id);
  ok('path' in file);
  deepEqual((await judgePackage({ path: file.path, fingerprints: [] })).faults, []);
});

test('packages that are being written fill the places of an account, and a failed one says so', async () => {
  const { app, admin: principal, folder } = open;
  const start = () => app.exportJobs.start(app, { principal, identifiers: [identifier], fields: {} });
  const ended = async ({ id }: { id: string }) => {
    while (app.exportJobs.find(principal, id).state === 'running')
      await new Promise((resolve) => setTimeout(resolve, 50));
    return app.exportJobs.find(principal, id);
  };
  const started = await Promise.allSettled(Array.from({ length: 6 }, start));
  const jobs = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = started.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []));
  deepEqual([jobs.length, refused], [4, ['exhausted', 'exhausted']]);
  const states = await Promise.all(jobs.map(ended));
  deepEqual(
    states.map(({ state }) => state),
    jobs.map(() => 'ready'),
  );
  await rm(join(folder, 'exports'), { recursive: true });
  const failed = await ended(await start());
  deepEqual([failed.state, failed.error, failed.url], ['failed', 'internal error', null]);
  await mkdir(join(folder, 'exports'));
  equal((await ended(await start())).state, 'ready');
  await rejects(app.exportJobs.file(principal, failed.id), { reason: 'media' });
});
