/** The way back from an upgrade: the records of before it, at once and whole; those of after it are kept. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openRecordsCopy } from '../../src/store/records-copy.ts';
import { NoWayBackError, type RolledBack, rollBack } from '../../src/store/rollback.ts';
import { Store } from '../../src/store/store.ts';
import { FORMAT_VERSION } from '../../src/store/tables/schema.ts';
import { runCommand } from '../cli/run-command.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

// As the command does.
process.umask(0o077);

const OLD_FORMAT = 1;
const signal = new AbortController().signal;

async function layOldStore(folder: string): Promise<void> {
  const packed = await readFile(join(import.meta.dirname, 'formats', `format-${OLD_FORMAT}.mdb.gz`));
  await mkdir(join(folder, 'records'), { recursive: true });
  await writeFile(join(folder, 'records', 'data.mdb'), gunzipSync(packed));
}

function goBack(dataFolder: string, isDryRun: boolean): Promise<RolledBack> {
  return rollBack({ dataFolder, isDryRun, operator: 'desk' }, signal);
}

async function identifiersIn(records: string): Promise<string[]> {
  await using copy = await openRecordsCopy(records);
  return [...copy.identifiers()].sort();
}

test('a rollback undoes an upgrade, counts and keeps what came since, and the next upgrade copies anew', async () => {
  await using folder = await makeTemporaryFolder();
  const records = join(folder.path, 'records');
  await layOldStore(folder.path);
  let old = '';
  {
    await using store = await Store.open({ folder: folder.path });
    const [record] = store.read.records.list({ accountId: 1, limit: 10 });
    ok(record !== undefined);
    old = record.identifier;
    await store.transact((tx) => tx.putClassification({ ...record, identifier: 'f'.repeat(64) }));
  }
  const upgraded = await identifiersIn(records);
  equal(upgraded.length, 2);

  const command = (...argv: string[]) =>
    runCommand({ address: '127.0.0.1:1', key: '' }, ['rollback', '--data-dir', folder.path, ...argv]);
  const planned = await goBack(folder.path, true);
  deepEqual(
    [planned.from, planned.to, planned.lost, planned.returning, planned.keptIn],
    [FORMAT_VERSION, OLD_FORMAT, 1, 0, null],
  );
  const shown = await command();
  match(shown.out, new RegExp(`^from format ${FORMAT_VERSION} to format ${OLD_FORMAT}, as the records were`));
  match(shown.out, /^lost: 1 record accepted since then, and every other change since$/m);
  equal(shown.err, 'nothing was changed: --yes goes back\n');
  deepEqual(await identifiersIn(records), upgraded, 'a dry run changes nothing');

  const done = await command('--yes', '--json');
  equal(done.err, `now install the version that reads format ${OLD_FORMAT}, and start it\n`);
  const { kept_in: keptIn, ...outcome } = JSON.parse(done.out);
  deepEqual(
    [outcome.rolled_back, outcome.to_format, outcome.copied_at],
    [true, OLD_FORMAT, planned.copiedAt],
  );
  const again = await command('--yes');
  deepEqual([again.code, /holds no copy/.test(again.err)], [1, true], again.err);
  deepEqual(await identifiersIn(records), [old]);
  deepEqual(await identifiersIn(join(keptIn, 'records')), upgraded);
  deepEqual(
    await readdir(join(folder.path, 'before-upgrade')),
    [],
    'a copy that stays would be taken for the next',
  );

  // Forward again: a copy of the records as they are now.
  const said: string[] = [];
  await using store = await Store.open({ folder: folder.path, onUpgrade: (line) => said.push(line) });
  match(said.join('\n'), new RegExp(`format ${FORMAT_VERSION}`));
  ok(existsSync(join(folder.path, 'before-upgrade', `format-${OLD_FORMAT}`, 'records', 'data.mdb')));
  equal(store.read.records.get(old)?.name, 'old.jpg');
});

test('without an upgrade, or while a daemon runs, a rollback changes nothing', async () => {
  await using folder = await makeTemporaryFolder();
  {
    await using _ = await Store.open({ folder: folder.path });
    await rejects(goBack(folder.path, false), /in use/);
  }
  await rejects(goBack(folder.path, false), (error: unknown) => {
    ok(error instanceof NoWayBackError);
    match(error.message, /holds no copy: .*only a backup leads back/s);
    return true;
  });
  const newer = join(folder.path, 'before-upgrade', `format-${FORMAT_VERSION + 1}`, 'records');
  await mkdir(newer, { recursive: true });
  await writeFile(join(newer, 'data.mdb'), await readFile(join(folder.path, 'records', 'data.mdb')));
  await rejects(goBack(folder.path, false), /leads forward, not back/);
});

test('a rollback that a kill ended before its copy was cleared away leaves the next upgrade its way back', async () => {
  await using folder = await makeTemporaryFolder();
  await layOldStore(folder.path);
  const copy = join(folder.path, 'before-upgrade', `format-${OLD_FORMAT}`);
  // The records of the copy have moved to their place; its folder is left.
  await mkdir(join(copy, 'records'), { recursive: true });
  await rejects(goBack(folder.path, true), NoWayBackError);
  {
    await using _ = await Store.open({ folder: folder.path });
  }
  ok(existsSync(join(copy, 'records', 'data.mdb')));
  equal((await goBack(folder.path, false)).to, OLD_FORMAT);
});
