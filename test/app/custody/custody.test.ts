import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkCustody, listCustody, proveCustody, redactCustody } from '../../../src/app/custody/custody.ts';
import { judgeCheckpoint } from '../../../src/app/custody/judge-checkpoint.ts';
import {
  deleteClassification,
  getClassification,
  openClassification,
} from '../../../src/app/records/classifications.ts';
import { getMedia } from '../../../src/app/records/media-files.ts';
import { overrideClassification } from '../../../src/app/records/overrides.ts';
import { originOf, parseCheckpoint, signCheckpoint } from '../../../src/domain/custody/checkpoint.ts';
import { holdsConsistency, holdsInclusion, leafHashOf } from '../../../src/domain/custody/merkle-tree.ts';
import { writeBackup } from '../../../src/store/backup/backup.ts';
import { restoreBackup } from '../../../src/store/backup/restore.ts';
import { runCommand } from '../../command-line.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { addRecord, addUser, openApp, principalOf } from '../open-app.ts';

const NEVER = new AbortController().signal;
const HASH = 'ab'.repeat(32);
const fromBase64 = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'base64'));

test('a look and a download are one entry a person in ten minutes, and a question by key is none', async () => {
  await using box = await openApp();
  const { app, admin } = box;
  const user = await addUser(app, admin);
  const identifier = await addRecord(app, user.id, { hash: HASH });
  const { accessLog } = app;
  const person = principalOf(app, user.id);
  const byKey = { ...person, key: { id: 1, name: 'cms' } };
  const kinds = async (): Promise<string[]> => {
    await accessLog.flush();
    return listCustody(app, { principal: person, identifier, limit: 100 }).map(({ kind }) => kind);
  };
  getClassification(app, { principal: person, identifier });
  openClassification(app, { principal: byKey, identifier });
  deepEqual(await kinds(), ['received', 'failed']);
  for (let count = 0; count < 3; count += 1) openClassification(app, { principal: person, identifier });
  deepEqual(await kinds(), ['looked_at', 'received', 'failed']);
  const take = (principal: typeof person, use: 'shown' | 'taken') =>
    getMedia(app, { principal, identifier, part: { type: 'original' }, use });
  await rejects(take(byKey, 'taken'), /not stored/);
  deepEqual((await kinds()).length, 3, 'what was refused was not taken');
  const path = app.store.blobs.pathOf(HASH);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x');
  await take(byKey, 'taken');
  await take(byKey, 'taken');
  await take(person, 'shown');
  deepEqual(await kinds(), ['downloaded', 'looked_at', 'received', 'failed']);
});

test('a record’s custody is for those who may read it, the log for administrators', async () => {
  await using box = await openApp();
  const { app, admin } = box;
  const [owner, other] = [await addUser(app, admin), await addUser(app, admin)];
  const identifier = await addRecord(app, owner.id, { hash: HASH });
  const [reader, stranger] = [principalOf(app, owner.id), principalOf(app, other.id)];
  openClassification(app, { principal: reader, identifier });
  await overrideClassification(app, {
    principal: reader,
    kind: 'image',
    hash: HASH,
    classification: 'human',
    reason: 'seen',
  });
  await app.accessLog.flush();
  const own = listCustody(app, { principal: reader, identifier, limit: 10 });
  deepEqual(own.map(({ kind }) => kind).sort(), ['failed', 'looked_at', 'overridden', 'received']);
  throws(() => listCustody(app, { principal: stranger, identifier, limit: 10 }), /no such classification/);
  throws(() => listCustody(app, { principal: reader, limit: 10 }), /administrator/i);
  await rejects(checkCustody(app, { principal: reader }, NEVER), /administrator/i);
  await rejects(redactCustody(app, { principal: reader, sequences: [1] }), /administrator/i);
  equal(listCustody(app, { principal: admin, identifier, limit: 10 }).length, 4);
  const sequence = await app.store.transact((tx) =>
    tx.log.append({
      kind: 'looked_at',
      subject: identifier,
      actor: 1,
      details: { remoteAddress: '192.0.2.9' },
    }),
  );
  const [seen] = listCustody(app, { principal: reader, identifier, limit: 10 }).filter(
    (entry) => entry.sequence === sequence,
  );
  const { accountId, accountName, remoteAddress, detailsJson, salt } = seen ?? {};
  deepEqual([accountId, accountName, remoteAddress, detailsJson, salt], [1, '', '', '', '']);
  deepEqual(await redactCustody(app, { principal: admin, sequences: [sequence, 0], reason: 'asked for' }), [
    sequence,
  ]);
  await deleteClassification(app, { principal: reader, identifier });
  const left = listCustody(app, { principal: admin, identifier, limit: 10 });
  deepEqual(left.map(({ kind, detailsDeletedAt }) => [kind, detailsDeletedAt !== null]).slice(0, 2), [
    ['deleted', false],
    ['looked_at', true],
  ]);
  ok((await checkCustody(app, { principal: admin }, NEVER)).isWhole);
});

test('proofs hold for a third party, two of different days prove that the log was only appended to', async () => {
  await using box = await openApp();
  const { app, admin } = box;
  const identifier = await addRecord(app, 1, { hash: HASH });
  const first = await proveCustody(app, { principal: admin, identifier });
  for (let count = 0; count < 30; count += 1)
    await addRecord(app, 1, { hash: randomBytes(32).toString('hex') });
  const second = await proveCustody(app, { principal: admin, identifier, sinceSize: first.size });
  const [before, after] = [parseCheckpoint(first.checkpoint), parseCheckpoint(second.checkpoint)];
  ok(before && after);
  equal(second.entries.length, 2);
  for (const { entry, inclusion } of second.entries) {
    const leaf = leafHashOf(entry.line);
    ok(
      holdsInclusion({
        index: entry.sequence,
        size: after.size,
        leaf,
        root: after.root,
        proof: fromBase64(inclusion),
      }),
    );
  }
  const both = { from: before.size, to: after.size, fromRoot: before.root, toRoot: after.root };
  ok(holdsConsistency({ ...both, proof: fromBase64(second.consistency) }));
  const report = await checkCustody(app, { principal: admin }, NEVER);
  deepEqual([report.isWhole, report.checkpoints], [true, 2]);
  equal(judgeCheckpoint(app, { principal: admin, checkpoint: first.checkpoint }).finding, 'held');
  await rejects(proveCustody(app, { principal: admin, identifier, sinceSize: 10_000 }), /since_size/);
});

test('a log that was put back to an older state without a restore is rolled back, not restored', async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  const file = join(data, 'records', 'data.mdb');
  const signAfter = async (hash: string): Promise<string> => {
    await using box = await openApp({ ASSAY_DATA_DIR: data });
    await addRecord(box.app, 1, { hash });
    return (await box.app.checkpoints.sign()).note;
  };
  const early = await signAfter(HASH);
  const older = await readFile(file);
  for (const letter of 'bcdef') await signAfter(letter.repeat(64));
  const late = await signAfter('a1'.repeat(32));
  // The file is changed in place: a new file would be reported as a copy.
  await writeFile(file, older);
  await using box = await openApp({ ASSAY_DATA_DIR: data });
  const judge = (checkpoint: string) => judgeCheckpoint(box.app, { principal: box.admin, checkpoint });
  equal(judge(early).finding, 'held');
  equal(judge(late).finding, 'rolled_back');
  match(judge(late).reason, /signs \d+ entries of this epoch, this log has \d+: .*without a restore/);
});

test('a restored box reports what was signed behind the restored point, and a log out of a backup verifies', async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'first');
  let backup: string;
  let notes: string[];
  {
    await using box = await openApp({ ASSAY_DATA_DIR: data });
    const { app } = box;
    await addRecord(app, 1, { hash: HASH });
    const early = await app.checkpoints.sign();
    const order = {
      folder: join(folder.path, 'backups'),
      withSecrets: true,
      version: '1',
      now: Date.now(),
      bytesPerSecondMax: 0,
    };
    backup = (await writeBackup(app.store, order, () => {}, NEVER)).path;
    await addRecord(app, 1, { hash: 'cd'.repeat(32) });
    notes = [early.note, (await app.checkpoints.sign()).note];
  }
  const verified = await runCommand(['custody', 'verify', '--from', backup, '--json']);
  equal(verified.code, 0, verified.stderr);
  equal(JSON.parse(verified.stdout).is_whole, true);
  const restored = join(folder.path, 'second');
  await restoreBackup({ backup, dataFolder: restored, isDryRun: false, operator: 'mara' }, NEVER);
  await using box = await openApp({ ASSAY_DATA_DIR: restored });
  const { app, admin } = box;
  const report = await checkCustody(app, { principal: admin }, NEVER);
  deepEqual(
    report.epochs.map(({ reason }) => reason),
    ['the log begins', 'restored from a backup'],
  );
  ok(report.isWhole, JSON.stringify(report.faults));
  const [opened] = listCustody(app, { principal: admin, limit: 100 }).filter(
    ({ kind }) => kind === 'epoch_opened',
  );
  deepEqual([opened?.what?.operator, opened?.what?.size], ['mara', opened?.sequence]);
  match(String(opened?.what?.root), /^[A-Za-z0-9+/]{43}=$/);
  const findings = notes.map((checkpoint) => judgeCheckpoint(app, { principal: admin, checkpoint }).finding);
  deepEqual(findings, ['held', 'after_restored_point']);
  const forged = (notes[0] ?? '').replace(/^assay/, 'essay');
  const { origin = '', size = 0 } = parseCheckpoint(notes[0] ?? '') ?? {};
  const signAs = (name: string): string =>
    signCheckpoint({ origin: name, size, root: Buffer.alloc(32) }, app.signingKeys.current());
  const cases = [
    [forged, 'foreign'],
    [signAs(origin), 'other_log'],
    [signAs(originOf('epoch-of-a-copy')), 'unknown_epoch'],
  ] as const;
  for (const [checkpoint, finding] of cases)
    equal(judgeCheckpoint(app, { principal: admin, checkpoint }).finding, finding);
  throws(() => judgeCheckpoint(app, { principal: admin, checkpoint: 'no note' }), /checkpoint/);
});
