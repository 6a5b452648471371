import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, WorkerLostError } from '../../../src/engine/children/worker-errors.ts';
import type { DecodeSlot } from '../../../src/engine/decode/decode-slot.ts';
import { detectIsolation } from '../../../src/engine/decode/isolation.ts';
import { childrenOf } from '../../faults/rounds/processes.ts';
import { LIMITS, openBareSlot, openSlot, openSlotAt } from '../../media/decode-fixture.ts';
import { patternImage, writePicture } from '../../media/pictures.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** Large enough to keep the child busy for some hundred milliseconds. */
async function placeLargePicture(folder: string, slot: DecodeSlot): Promise<string> {
  const jpeg = await patternImage(3000, 2000).jpeg({ progressive: true }).toBuffer();
  return await slot.placeInput(await writePicture(folder, 'large', jpeg));
}

const lostWith = (loss: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof WorkerLostError, String(error));
  assert.equal(error.loss, loss);
  assert.match(error.message, message);
  return true;
};

async function hasEnded(pid: number | undefined): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (state === null || / Z /.test(state)) return true;
    await sleep(10);
  }
  return false;
}

test('a slot answers, is emptied and answers again', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openSlot(folder.path);
  const upload = await writePicture(folder.path, 'upload', await patternImage(64, 48).png().toBuffer());
  for (const count of [1, 2]) {
    const input = await slot.placeInput(upload);
    const { probe } = await slot.request({ type: 'probe', input, limits: LIMITS });
    assert.deepEqual([probe.width, probe.height, slot.requestCount], [64, 48, count]);
    await slot.clear();
    assert.deepEqual(await readdir(join(folder.path, 'slot', 'in')), []);
  }
});

test('the input is the same file, not a copy', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openSlot(folder.path);
  const upload = await writePicture(folder.path, 'upload', Buffer.from('bytes'));
  const name = await slot.placeInput(upload);
  assert.equal((await stat(join(folder.path, 'slot', 'in', name))).ino, (await stat(upload)).ino);
});

test('a deadline ends the child and the request', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openBareSlot(folder.path);
  const input = await placeLargePicture(folder.path, slot);
  const { pid } = slot;
  await assert.rejects(
    slot.request({ type: 'probe', input, limits: LIMITS }, { timeoutMs: 5 }),
    lostWith('deadline', /longer than 0.005 s/),
  );
  assert.ok(!slot.isUsable && (await hasEnded(pid)));
  await assert.rejects(slot.request({ type: 'probe', input, limits: LIMITS }), WorkerLostError);
});

test('a deadline reaches the child behind its walls', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openSlot(folder.path);
  const { pid } = slot;
  const input = await placeLargePicture(folder.path, slot);
  await assert.rejects(
    slot.request({ type: 'probe', input, limits: LIMITS }, { timeoutMs: 5 }),
    WorkerLostError,
  );
  assert.ok(await hasEnded(pid));
});

test('an abort ends the child and names itself', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openSlot(folder.path);
  const input = await placeLargePicture(folder.path, slot);
  const signal = AbortSignal.timeout(10);
  await assert.rejects(slot.request({ type: 'probe', input, limits: LIMITS }, { signal }), AbortError);
  assert.ok(!slot.isUsable);
});

test('a child that is killed in mid-work is reported otherwise than a slow one', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openBareSlot(folder.path);
  const input = await placeLargePicture(folder.path, slot);
  const request = slot.request({ type: 'probe', input, limits: LIMITS });
  process.kill(slot.pid ?? assert.fail(), 'SIGSEGV');
  await assert.rejects(request, lostWith('ended', /it crashed \(SIGSEGV\)/));
});

test("the child's own fault costs it, with a line in the log", async () => {
  await using folder = await makeTemporaryFolder();
  const lines: string[] = [];
  await using slot = await openSlot(folder.path, (line) => lines.push(line));
  await assert.rejects(
    slot.request({ type: 'probe', input: 'nothing-here', limits: LIMITS }),
    lostWith('broken', /the decoder failed: ENOENT/),
  );
  await slot[Symbol.asyncDispose]();
  assert.match(lines.join('\n'), /ENOENT/);
});

test('output of a child is only taken if it is a file', async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openSlot(folder.path);
  const secret = join(folder.path, 'secret');
  await writeFile(secret, 'not for the child');
  await symlink(secret, join(folder.path, 'slot', 'out', 'patches.rgb'));
  assert.throws(() => slot.openOut('patches.rgb'), WorkerLostError);
  assert.throws(() => slot.openOut('../in/input'));
  assert.ok(!slot.isUsable);
});

test('the folder of a slot goes with it', async () => {
  await using folder = await makeTemporaryFolder();
  const slot = await openSlot(folder.path);
  await slot[Symbol.asyncDispose]();
  assert.ok(!(await readdir(folder.path)).includes('slot'));
});

/** Processes with the path among their arguments, as bubblewrap has the slot's folder. */
function processesNaming(path: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(path);
    } catch {
      return false;
    }
  });
}

test('a wall that is killed while it is put up leaves no one behind it', async () => {
  await using folder = await makeTemporaryFolder();
  const isolation = await detectIsolation(join(folder.path, 'trial'), folder.path);
  for (let round = 0; round < 40; round++) {
    const own = join(folder.path, `round-${round}`);
    await mkdir(own);
    const opening = openSlotAt(own, isolation);
    opening.catch(() => undefined);
    while (childrenOf(process.pid).decode.length === 0) await sleep(0);
    // Some of these moments lie between the birth of what stands behind the wall and its wish to die with it.
    const killedAt = performance.now() + round / 4;
    while (performance.now() < killedAt);
    for (const pid of childrenOf(process.pid).decode) process.kill(pid, 'SIGKILL');
    await opening.then(
      (slot) => slot[Symbol.asyncDispose](),
      (error) => lostWith('ended', /./)(error),
    );
  }
  for (let attempt = 0; processesNaming(folder.path).length > 0; attempt++) {
    assert.ok(attempt < 100, `${processesNaming(folder.path)} are left`);
    await sleep(50);
  }
});
