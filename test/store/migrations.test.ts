/** A store of each released format is brought forward, whole, behind a copy; broken off, it is begun again. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { PLAN_OPTIONS } from '../../src/domain/records/plan-option.ts';
import { verifyCustody } from '../../src/store/custody/verify.ts';
import { Store } from '../../src/store/store.ts';
import { FORMAT_VERSION } from '../../src/store/tables/schema.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

// As the daemon does before it opens a store: else what LMDB makes is open to others, and said to be.
process.umask(0o077);

/** The format's number, and the records that a daemon of that format wrote (its media are not needed to read them). */
const FORMATS = [{ format: 1, file: 'format-1.mdb.gz' }];
const CREATED_AT_MAX = 1_900_000_000_000_000;

async function unpack(folder: string, file: string): Promise<void> {
  const packed = await readFile(join(import.meta.dirname, 'formats', file));
  await mkdir(join(folder, 'records'), { recursive: true });
  await writeFile(join(folder, 'records', 'data.mdb'), gunzipSync(packed));
}

test('audit lines older than the custody log are taken over, and marked as older', async () => {
  await using folder = await makeTemporaryFolder();
  await unpack(folder.path, 'format-2.mdb.gz');
  const breakOff = (line: string) => {
    if (line.startsWith('audit')) throw new Error('broken off');
  };
  await rejects(Store.open({ folder: folder.path, onUpgrade: breakOff }), /broken off/);
  await using store = await Store.open({ folder: folder.path });
  const { read } = store;
  const lines = read.audit({ limit: 10 }).map(({ at, accountId, facade, action, target, details }) => {
    return [at - 1_763_000_000_000_000, accountId, facade, action, target, details.name];
  });
  deepEqual(lines, [
    [3, 1, 'grpc', 'classification.cancel', 'c'.repeat(64), 'line 3'],
    [2, 1, 'grpc', 'key.create', '2', 'line 2'],
    [1, null, null, 'account.create', '1', 'line 1'],
  ]);
  const [cancelled] = read.custody.rowsOf(['c'.repeat(64)], { limit: 10 });
  equal(cancelled?.kind, 'taken_over', 'it is in the record’s own custody');
  const report = await verifyCustody(read.custody, {
    publicKeys: null,
    signal: new AbortController().signal,
  });
  deepEqual([report.isWhole, report.size, report.olderLines, report.epochs.length], [true, 4, 3, 1]);
});

for (const { format, file } of FORMATS) {
  test(`a store of format ${format} opens with everything in it`, async () => {
    await using folder = await makeTemporaryFolder();
    await unpack(folder.path, file);
    const said: string[] = [];
    {
      await using store = await Store.open({ folder: folder.path, onUpgrade: (line) => said.push(line) });
      const { read } = store;
      deepEqual(read.accounts.plans.get(1)?.options, [...PLAN_OPTIONS]);
      const desk = read.accounts.plans.get(2);
      deepEqual(desk?.options, ['heatmap'], 'a plan gains no option by an upgrade');
      deepEqual(
        [desk?.optionCredits, desk?.mediaDays, desk?.recordDays, desk?.zeroRetention],
        [{}, 0, 0, false],
      );
      deepEqual(
        read.accounts.apiKeys(2).map(({ id, name }) => ({ id, name })),
        [...read.accounts.apiKeys(2)].map(({ name }, index) => ({ id: index + 1, name })),
      );
      deepEqual(
        read.accounts
          .apiKeys(2)
          .map(({ name }) => name)
          .sort(),
        ['archive', 'cms'],
      );
      equal(read.accounts.get(2)?.lastKeyId, 2);
      equal(read.accounts.get(2)?.webhookSecret, null);
      const override = read.override(2, 'image', 'a'.repeat(64));
      deepEqual([override?.byAccountId, override?.measured, override?.classification], [2, null, 'human']);
      deepEqual(read.overrideHistory(2, 'image', 'a'.repeat(64)), [override]);
      const [record] = read.records.list({ accountId: 1, limit: 10 });
      deepEqual([record?.name, record?.refId], ['old.jpg', 'old-1']);
      const [found] = read.records.scanTexts({ accountId: 1 });
      const { name = '', refId = '', hash = '' } = record ?? {};
      deepEqual(found?.texts, { name, refId, hash }, 'a search finds it in the index');
      ok(record !== undefined && record.createdAt < CREATED_AT_MAX);
      equal(read.analyses.get(record.analysisId)?.state, 'done');
      equal(read.balance(1).available, 1_000_000);
    }
    ok(existsSync(join(folder.path, 'before-upgrade', `format-${format}`, 'records', 'data.mdb')));
    match(said.join('\n'), new RegExp(`format ${FORMAT_VERSION}`));
    const again: string[] = [];
    await using _ = await Store.open({ folder: folder.path, onUpgrade: (line) => again.push(line) });
    deepEqual(again, [], 'an upgraded store is not upgraded again');
  });

  for (const brokenOffAt of ['api-keys', 'classifications']) {
    test(`an upgrade from format ${format} that broke off at ${brokenOffAt} is begun again`, async () => {
      await using folder = await makeTemporaryFolder();
      await unpack(folder.path, file);
      const breakOff = (line: string) => {
        if (line.startsWith(brokenOffAt)) throw new Error('broken off');
      };
      await rejects(Store.open({ folder: folder.path, onUpgrade: breakOff }), /broken off/);
      await using store = await Store.open({ folder: folder.path });
      deepEqual(
        store.read.accounts.apiKeys(2).map(({ id }) => id),
        [1, 2],
      );
      equal(store.read.accounts.get(2)?.lastKeyId, 2);
      deepEqual(store.read.overrideHistory(2, 'image', 'a'.repeat(64)).length, 1);
      equal([...store.read.records.scanTexts({ accountId: 1 })].at(0)?.texts?.name, 'old.jpg');
    });
  }
}
