/** The keys that a first start makes are there after a power cut: without them, what was made with them is lost. */
import { equal, notEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN_KEY_FILE, setUpFirstStart } from '../../src/app/appliance/first-start.ts';
import { Sealer } from '../../src/machinery/sealer.ts';
import { SigningKeys } from '../../src/machinery/signing-key.ts';
import { systemClock } from '../../src/machinery/system-clock.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { ForgetfulDisk, missingForDisks } from './forgetful-disk.ts';

const DISK_BYTES = 64 * 1024 ** 2;
const SECRET = 'a secret to be shown again';
const ADMIN = { adminEmail: 'admin@example.org', adminPassword: null, adminApiKey: null };

test('the keys of a first start outlive a power cut just after it', { skip: missingForDisks() }, async () => {
  await using folder = await makeTemporaryFolder();
  using disk = await ForgetfulDisk.make(folder.path, DISK_BYTES);
  const data = join(disk.path, 'data');
  await mkdir(data);
  const signing = { folder: data, givenPem: null, now: () => 1 };
  const sealer = await Sealer.open(data);
  const sealed = sealer.seal(SECRET);
  const { fingerprint } = (await SigningKeys.open(signing)).current();
  const first = await firstStart(data, sealer);
  // Tests the test: unflushed data is lost.
  await writeFile(join(data, 'unflushed'), 'x');
  disk.cutPower();
  notEqual(await readFile(join(data, 'unflushed'), 'utf8').catch(() => null), 'x');
  equal((await Sealer.open(data)).unseal(sealed), SECRET);
  equal((await SigningKeys.open(signing)).current().fingerprint, fingerprint);
  equal(await readFile(join(data, ADMIN_KEY_FILE), 'utf8'), `${first}\n`);
});

/** Its records lie elsewhere: their own flushes would carry the keys along. */
async function firstStart(dataFolder: string, sealer: Sealer): Promise<string> {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  const made = await setUpFirstStart(store, systemClock(), sealer, {
    dataFolder,
    ...ADMIN,
    rateLimitPerMinute: 0,
  });
  return made?.key ?? '';
}
