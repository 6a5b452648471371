import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import {
  DoneAction,
  type WatchFolder,
  WatchFolderService,
} from '../../src/grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { Store } from '../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { distinctPicture, until } from './rounds/submissions.ts';

const FILES = 10;
/** More of them, over ten thousand files: test/heavy/watch-folder.ts. */
const KILLS = 1;
const { method } = WatchFolderService;

async function shown({ grpc }: TestDaemon): Promise<WatchFolder | undefined> {
  using client = new AssayClient({ address: grpc, credentials: credentials.createInsecure() }, TEST_KEY);
  return (await client.call(method.listWatchFolders, {})).folders[0];
}

test('a watch folder loses and repeats no file although its daemon is killed', async () => {
  await using folder = await makeTemporaryFolder();
  const [data, models, share] = ['data', 'models', 'share'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(data);
  await mkdir(share);
  await writeTinyPacks(models);
  const env = { ASSAY_MODELS_FOLDERS: models, ASSAY_WATCH_ROOTS: share, ASSAY_ANALYSIS_STABILITY: 'false' };
  const start = () => TestDaemon.start({ folder: data, env, awaitReady: false });
  const names = Array.from({ length: FILES }, (_, index) => `${index}.jpg`);
  for (const [index, name] of names.entries())
    await writeFile(join(share, name), await distinctPicture(index));
  let daemon = await start();
  try {
    using client = new AssayClient(
      { address: daemon.grpc, credentials: credentials.createInsecure() },
      TEST_KEY,
    );
    await client.call(method.addWatchFolder, { path: share, done: DoneAction.MOVE });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = Number((await shown(daemon))?.finished ?? 0);
      const enough = Math.min(before + 3, FILES);
      const isEnough = async () => Number((await shown(daemon))?.finished ?? 0) >= enough;
      await until(isEnough, 'some files');
      await delay(kill * 17);
      await daemon.kill('SIGKILL');
      daemon = await start();
    }
    await until(async () => Number((await shown(daemon))?.finished) === FILES, 'all files');
    equal(Number((await shown(daemon))?.failed), 0);
  } finally {
    await daemon.kill('SIGTERM');
  }
  deepEqual(await readdir(share), ['assay-done']);
  const moved = await readdir(join(share, 'assay-done'));
  deepEqual(moved.sort(), names.flatMap((name) => [name, `${name}.assay.json`, `${name}.assay.xmp`]).sort());
  await using store = await Store.open({ folder: data });
  const records = store.read.records.list({ accountId: 1, limit: 1000 });
  deepEqual(records.map(({ refId }) => refId).sort(), [...names].sort());
  for (const name of names) {
    const { identifier } = JSON.parse(
      await readFile(join(share, 'assay-done', `${name}.assay.json`), 'utf8'),
    );
    ok(records.some((record) => record.identifier === identifier && record.refId === name));
  }
});
