import { equal } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { COMPILED, TestDaemon } from '../../daemon.ts';
import { distinctPicture, postPicture, until } from '../../faults/rounds/submissions.ts';
import { COARSE_MODEL, writeTinyImagePack, writeTinyPacks } from '../../interface/packs.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** Hashing it takes longer than the daemon waits for its packs before it serves. */
const HOLES_BYTES = 2 * 1024 ** 3;

test('a submission right after the ready line is taken', async () => {
  await using folder = await makeTemporaryFolder();
  const packs = join(folder.path, 'packs');
  await writeTinyPacks(packs);
  await writeTinyImagePack(packs, { ...COARSE_MODEL, id: 'holes' });
  await truncate(join(packs, 'holes', 'model.onnx'), HOLES_BYTES);
  const env = { ASSAY_MODELS_FOLDERS: packs };
  await using daemon = await TestDaemon.start({ folder: join(folder.path, 'data'), env, awaitReady: false });
  const answer = await postPicture(daemon, await distinctPicture(1));
  equal(answer.status, 200, await answer.text());
});

test('SIGTERM to npx ends the daemon that it started', async () => {
  await using folder = await makeTemporaryFolder();
  const packs = join(folder.path, 'packs');
  await writeTinyPacks(packs);
  const env = {
    PATH: process.env.PATH,
    HOME: folder.path,
    ...COMPILED,
    npm_config_offline: 'true',
    ASSAY_DATA_DIR: join(folder.path, 'data'),
    ASSAY_HTTP_LISTEN: '127.0.0.1:0',
    ASSAY_GRPC_LISTEN: '127.0.0.1:0',
    ASSAY_MODELS_FOLDERS: packs,
    ASSAY_DECODE_ISOLATION: 'any',
  };
  const npx = spawn('npx', ['assay', 'serve'], {
    env,
    cwd: join(import.meta.dirname, '..', '..', '..'),
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own, so that what a failed test leaves behind can be ended.
    detached: true,
  });
  try {
    let http = '';
    for await (const line of createInterface({ input: npx.stdout })) {
      [, http = ''] = /assay ready http=(\S+)/.exec(line) ?? [];
      if (http !== '') break;
    }
    npx.stdout.resume();
    npx.kill('SIGTERM');
    await once(npx, 'exit');
    const hasEnded = (): Promise<boolean> =>
      fetch(`${http}/healthz`).then(
        () => false,
        () => true,
      );
    await until(hasEnded, 'the daemon to end');
  } finally {
    endGroup(npx);
  }
});

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
