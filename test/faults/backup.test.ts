import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { reach, runCommand } from '../command-line.ts';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import {
  awaitEnds,
  awaitIdle,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  submitPicture,
} from './rounds/submissions.ts';

const BEFORE = 6;
const DURING = 6;

/** A record as a client sees it; the address of the box is no part of the record. */
async function recordsOf({ http }: TestDaemon): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${http}/api/classifications`, { headers: KEY_HEADERS });
  const records = (await response.json()) as Record<string, unknown>[];
  return records.map(({ result_url: _, ...record }) => record);
}

test('a backup made amid work by the command line and restored elsewhere has the same records', async () => {
  await using folder = await makeTemporaryFolder();
  const env = { ASSAY_BACKUP_DIR: join(folder.path, 'backups'), ASSAY_BACKUP_INTERVAL_HOURS: '0' };
  let before: Record<string, unknown>[];
  let backup: string;
  {
    await using daemon = await TestDaemon.start({ models: 'tiny', env });
    const identifiers: string[] = [];
    for (let seed = 0; seed < BEFORE; seed++) {
      identifiers.push(await submitPicture(daemon, await distinctPicture(seed)));
    }
    await awaitEnds(daemon, identifiers);
    before = await recordsOf(daemon);
    const load = Array.from({ length: DURING }, async (_, index) =>
      submitPicture(daemon, await distinctPicture(BEFORE + index)),
    );
    const made = await runCommand(['backup'], reach(daemon));
    equal(made.code, 0, made.stderr);
    backup = made.stdout.trim();
    await Promise.all(load);
    const status = await runCommand(['status'], reach(daemon));
    match(status.stdout, /backup\s+last good 2/);
    equal((await metricOf(daemon, 'assay_backups_total{outcome="good"}')) > 0, true);
    const outside = await runCommand(['backup', '../elsewhere'], reach(daemon));
    equal(outside.code, 1);
    match(
      outside.stderr,
      /expected .*backups \(the setting backup\.dir\) or a folder in it, found .*elsewhere/,
    );
  }
  const data = join(folder.path, 'restored');
  equal((await runCommand(['restore', backup, '--data-dir', data, '--dry-run'])).code, 0);
  equal(existsSync(data), false);
  const restored = await runCommand(['restore', backup, '--data-dir', data]);
  equal(restored.code, 0, restored.stderr);
  match(restored.stderr, /It holds no secrets/);
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: data });
  await awaitIdle(daemon);
  const after = await recordsOf(daemon);
  const known = new Set(before.map(({ identifier }) => identifier));
  deepEqual(
    after.filter(({ identifier }) => known.has(identifier)),
    before,
  );
  // What was accepted before the snapshot and not analysed yet is analysed here.
  deepEqual([...new Set(after.map(({ status }) => status))], ['done']);
});

test('a damaged backup is refused by the command line, naming the file', async () => {
  await using folder = await makeTemporaryFolder();
  const env = { ASSAY_BACKUP_DIR: join(folder.path, 'backups'), ASSAY_BACKUP_INTERVAL_HOURS: '0' };
  let backup: string;
  {
    await using daemon = await TestDaemon.start({ models: 'tiny', env });
    const identifier = await submitPicture(daemon, await distinctPicture(1));
    await awaitEnds(daemon, [identifier]);
    backup = (await runCommand(['backup', 'by-hand'], reach(daemon))).stdout.trim();
  }
  const [blob = ''] = globSync('blobs/*/*', { cwd: backup });
  await writeFile(join(backup, blob), 'not the picture');
  const refused = await runCommand(['restore', backup, '--data-dir', join(folder.path, 'restored')]);
  equal(refused.code, 1);
  match(refused.stderr, /is damaged; nothing was restored:\n {2}blobs\/.*: its bytes have changed/);
});
