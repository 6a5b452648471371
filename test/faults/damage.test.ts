import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type Key, open } from 'lmdb';
import { Store } from '../../src/store/store.ts';
import { TABLES_MAX } from '../../src/store/tables/schema.ts';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { childrenOf } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  pidOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

/** Flips one bit of a stored value, as a failing disk does. */
async function flipBit(folder: string, table: string, key: Key): Promise<void> {
  const root = open({ path: join(folder, 'records'), maxDbs: TABLES_MAX });
  const database = root.openDB<Buffer, Key>(table, { encoding: 'binary' });
  const bytes = Buffer.from(database.get(key) ?? []);
  ok(bytes.length > 0, `no ${String(key)} in ${table}`);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  root.transactionSync(() => database.putSync(key, bytes));
  await root.flushed;
  await root.close();
}

async function analysisOf(folder: string, identifier: string): Promise<string> {
  await using store = await Store.open({ folder });
  return store.read.records.get(identifier)?.analysisId ?? '';
}

test('damaged records are refused by name and counted, and all others served', async () => {
  await using folder = await makeTemporaryFolder();
  const identifiers: string[] = [];
  {
    await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    for (const seed of [1, 2, 3]) identifiers.push(await submitPicture(daemon, await distinctPicture(seed)));
    await awaitEnds(daemon, identifiers);
  }
  const [ofRecord = '', ofAnalysis = '', sound = ''] = identifiers;
  const analysis = await analysisOf(folder.path, ofAnalysis);
  const artifacts = [await analysisOf(folder.path, ofRecord), analysis].map((id) =>
    join(folder.path, 'artifacts', id, 'heatmap.png'),
  );
  for (const artifact of artifacts) {
    mkdirSync(dirname(artifact), { recursive: true });
    writeFileSync(artifact, 'a drawing');
  }
  await flipBit(folder.path, 'classifications', ofRecord);
  await flipBit(folder.path, 'analyses', analysis);
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
  for (const [table, identifier] of [
    ['classifications', ofRecord],
    ['analyses', ofAnalysis],
  ]) {
    const refused = await fetch(`${daemon.http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
    equal(refused.status, 500);
    match(await refused.text(), new RegExp(`damaged record in ${table}; an administrator can restore it`));
  }
  const list = await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS });
  deepEqual(
    ((await list.json()) as { identifier: string }[]).map(({ identifier }) => identifier),
    [sound],
  );
  for (const table of ['classifications', 'analyses'])
    ok((await metricOf(daemon, `assay_damaged_records_total{table="${table}"}`)) >= 1, table);
  const next = await submitPicture(daemon, await distinctPicture(4));
  deepEqual(await awaitEnds(daemon, [next]), ['done']);
  ok(artifacts.every(existsSync), 'what belongs to a damaged record stays until that is restored');
});

test('a medium that is gone ends its analysis with the reason', async () => {
  await using folder = await makeTemporaryFolder();
  let identifier: string;
  {
    await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    const { inference } = childrenOf(pidOf(daemon));
    for (const pid of inference) process.kill(pid, 'SIGSTOP');
    identifier = await submitPicture(daemon, await distinctPicture(1));
    await daemon.kill('SIGKILL');
    for (const pid of inference) process.kill(pid, 'SIGKILL');
  }
  await until(async () => (await analysisOf(folder.path, identifier)) !== '', 'the folder to be free');
  rmSync(join(folder.path, 'blobs'), { recursive: true });
  await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
  deepEqual(await awaitEnds(daemon, [identifier]), ['errored']);
  const response = await fetch(`${daemon.http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
  const record = (await response.json()) as { errors: string };
  match(record.errors, /the file is missing from the appliance’s store; submit it again/);
});
