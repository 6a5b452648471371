import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { assertBooks, jobInputs, uploadFiles } from './rounds/data-folder.ts';
import { childrenOf, isAlive } from './rounds/processes.ts';
import {
  awaitEnds,
  awaitIdle,
  distinctPicture,
  KEY_HEADERS,
  pidOf,
  postPicture,
  setPicturePrice,
  until,
} from './rounds/submissions.ts';

const PICTURES = 20;
const PRICE = 2;

async function creditsOf({ http }: TestDaemon): Promise<{ available_credits: number; total_spent: number }> {
  return await (await fetch(`${http}/api/user/credits`, { headers: KEY_HEADERS })).json();
}

/** Submits all at once and kills as soon as `killAfter` were accepted; the others fail in mid-flight. */
async function submitAndKill(daemon: TestDaemon, pictures: Buffer[], killAfter: number): Promise<string[]> {
  const accepted: string[] = [];
  const submissions = pictures.map(async (bytes) => {
    const response = await postPicture(daemon, bytes);
    equal(response.status, 200);
    accepted.push(await response.text());
    if (accepted.length === killAfter) await daemon.kill('SIGKILL');
  });
  // What was not answered may fail in any way a cut connection fails.
  await Promise.allSettled(submissions);
  equal(daemon.process.signalCode, 'SIGKILL');
  return accepted;
}

for (const { name, killAfter, freeze } of [
  { name: 'killed after every answer and before any result', killAfter: PICTURES, freeze: true },
  { name: 'killed amid submissions and analyses', killAfter: PICTURES / 4, freeze: false },
]) {
  test(name, async () => {
    await using folder = await makeTemporaryFolder();
    const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, seed) => distinctPicture(seed)));
    await using killed = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    await setPicturePrice(killed, PRICE);
    const children = childrenOf(pidOf(killed));
    const before = await creditsOf(killed);
    const orphans = [...children.decode, ...children.inference];
    if (freeze) for (const pid of children.inference) process.kill(pid, 'SIGSTOP');
    const accepted = await submitAndKill(killed, pictures, killAfter);
    if (freeze) for (const pid of children.inference) process.kill(pid, 'SIGCONT');
    await until(() => !orphans.some(isAlive), 'the children of the killed daemon to end');
    {
      await using daemon = await TestDaemon.start({ models: 'tiny', folder: folder.path });
      const ends = await awaitEnds(daemon, accepted);
      deepEqual(
        ends,
        accepted.map(() => 'done'),
      );
      await awaitIdle(daemon);
      await until(() => jobInputs(folder.path).length === 0, 'the slots to be emptied');
      deepEqual(uploadFiles(folder.path), []);
      const after = await creditsOf(daemon);
      equal(before.available_credits - after.available_credits, after.total_spent - before.total_spent);
    }
    await assertBooks(folder.path, accepted, PRICE);
  });
}
