import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestDaemon } from '../daemon.ts';
import { childrenOf } from '../faults/rounds/processes.ts';
import { writeTinyImagePack } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** Checking such a model takes several times as long as loading the facades. */
const SLOW_ROUNDS = 4000;
const LOOK_MS = 20;
const LOOKS_MAX = 500;

test('a daemon serves while its models come up, and is ready only once they were checked', async () => {
  await using packs = await makeTemporaryFolder();
  await writeTinyImagePack(packs.path, { id: 'slow', minimumShortSide: 100, slowRounds: SLOW_ROUNDS });
  const env = { ASSAY_MODELS_FOLDERS: packs.path };
  await using daemon = await TestDaemon.start({ env, awaitReady: false });
  const inference = await findModelProcess(daemon);
  for (const pid of inference) process.kill(pid, 'SIGSTOP');
  const readiness = await fetch(`${daemon.http}/readyz`);
  assert.equal(readiness.status, 503);
  assert.match(await readiness.text(), /the models are being loaded/);
  assert.equal((await fetch(`${daemon.http}/livez`)).status, 200);
  assert.equal((await fetch(`${daemon.http}/`)).status, 200);
  for (const pid of inference) process.kill(pid, 'SIGCONT');
  await daemon.ready();
});

/** On a busy box the daemon may serve before it has read the packs. */
async function findModelProcess({ process: { pid = 0 } }: TestDaemon): Promise<number[]> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const { inference } = childrenOf(pid);
    if (inference.length > 0) {
      assert.equal(inference.length, 1, 'the models come up in their own process');
      return inference;
    }
    await sleep(LOOK_MS);
  }
  throw new Error('expected a process of the models, found none');
}
