import { equal } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findApiKey } from '../../src/cli/daemon/api-key.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

test('a variable wins over the data folder, a checkout’s over the service’s', async () => {
  await using folder = await makeTemporaryFolder();
  const place = (name: string) => join(folder.path, name);
  for (const name of ['named', 'own', 'service']) {
    await mkdir(place(name));
    await writeFile(join(place(name), 'admin.key'), `key of ${name}\n`);
  }
  const folders = [place('own'), place('service')];
  equal(await findApiKey({ ASSAY_API_KEY: 'given ', ASSAY_DATA_DIR: place('named') }, folders), 'given');
  equal(await findApiKey({ ASSAY_DATA_DIR: place('named') }, folders), 'key of named');
  equal(await findApiKey({}, folders), 'key of own');
  equal(await findApiKey({}, [place('none'), place('service')]), 'key of service');
  // The key of another folder would belong to another box.
  equal(await findApiKey({ ASSAY_DATA_DIR: place('none') }, folders), null);
});
