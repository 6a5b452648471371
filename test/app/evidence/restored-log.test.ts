import { deepEqual, match } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { judgeCheckpoint } from '../../../src/app/custody/judge-checkpoint.ts';
import { exportEvidence } from '../../../src/app/evidence/export-evidence.ts';
import { judgePackage } from '../../../src/evidence/judge-package.ts';
import { RECORD_MEMBERS } from '../../../src/evidence/members.ts';
import { writeBackup } from '../../../src/store/backup/backup.ts';
import { restoreBackup } from '../../../src/store/backup/restore.ts';
import { takeApart } from '../../evidence/made-package.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { type OpenApp, openApp } from '../open-app.ts';
import { addDone } from './finished-record.ts';

const NEVER = new AbortController().signal;

test('export, backup, export, restore, export: each verifies, and the lost stretch is reported', async () => {
  await using folder = await makeTemporaryFolder();
  const exportTo = async (name: string, { app, admin }: OpenApp, hash: string): Promise<string> => {
    const input = { principal: admin, identifiers: [await addDone(app, hash)], fields: {} };
    const path = join(folder.path, name);
    await writeFile(path, await buffer(Readable.from((await exportEvidence(app, input, NEVER)).bytes)));
    return path;
  };
  let [before, lost, backup] = ['', '', ''];
  {
    await using box = await openApp({ ASSAY_DATA_DIR: join(folder.path, 'first') });
    before = await exportTo('before.zip', box, 'a'.repeat(64));
    const order = { folder: join(folder.path, 'backups'), withSecrets: true, version: '1' };
    const written = { ...order, now: Date.now(), bytesPerSecondMax: 0 };
    backup = (await writeBackup(box.app.store, written, () => {}, NEVER)).path;
    for (const letter of 'bcde') await addDone(box.app, letter.repeat(64));
    lost = await exportTo('lost.zip', box, 'f'.repeat(64));
  }
  const dataFolder = join(folder.path, 'second');
  await restoreBackup({ backup, dataFolder, isDryRun: false, operator: 'mara' }, NEVER);
  await using box = await openApp({ ASSAY_DATA_DIR: dataFolder });
  const later = await exportTo('later.zip', box, '1'.repeat(64));

  const judge = async (path: string, olderPath: string) => {
    const { faults, continuedLog } = await judgePackage({ path, fingerprints: [], olderPath });
    deepEqual(faults, [], path);
    return continuedLog;
  };
  deepEqual((await judge(lost, before))?.continuation, 'continued');
  const overRestore = await judge(later, before);
  deepEqual(overRestore?.continuation, 'continued', overRestore?.found);
  const overLost = await judge(later, lost);
  deepEqual(overLost?.continuation, 'not_shown', overLost?.found);
  match(
    overLost?.found ?? '',
    /of another epoch.*restored to a point before.*assay custody verify --checkpoint/,
  );
  const findingOf = async (path: string) => {
    const checkpoint =
      (await takeApart(path)).get(`data/${RECORD_MEMBERS.checkpoint}`)?.toString('utf8') ?? '';
    return judgeCheckpoint(box.app, { principal: box.admin, checkpoint }).finding;
  };
  deepEqual(
    [await findingOf(before), await findingOf(lost), await findingOf(later)],
    ['held', 'after_restored_point', 'held'],
  );
});
