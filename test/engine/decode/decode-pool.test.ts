import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { treeOf } from '../../../bench/process-tree.ts';
import {
  AbortError,
  IsolationMissingError,
  SlotBusyError,
  WorkerLostError,
} from '../../../src/engine/children/worker-errors.ts';
import type { DecodeSlot } from '../../../src/engine/decode/decode-slot.ts';
import { LIMITS, makePool } from '../../media/decode-fixture.ts';
import { patternImage, writePicture } from '../../media/pictures.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

async function makeUpload(folder: string): Promise<string> {
  return await writePicture(folder, 'upload', await patternImage(64, 48).png().toBuffer());
}

const probeIn = (upload: string) => async (slot: DecodeSlot) => {
  const input = await slot.placeInput(upload);
  return (await slot.request({ type: 'probe', input, limits: LIMITS })).probe;
};

test('one child serves one file after the other', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path);
  const { pool, started } = observed;
  const upload = await makeUpload(folder.path);
  for (let count = 0; count < 3; count++) assert.equal((await pool.run('probe', probeIn(upload))).width, 64);
  assert.equal(started.length, 1);
  assert.equal(pool.pids().length, 1);
  assert.ok(pool.isolation !== null);
});

test('a child that has looked at a picture alone has loaded nothing for films and sound', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path);
  await observed.pool.run('probe', probeIn(await makeUpload(folder.path)));
  const maps = observed.pool
    .pids()
    .flatMap(treeOf)
    .map((pid) => readFileSync(`/proc/${pid}/maps`, 'utf8'));
  assert.match(maps.join(''), /\/sharp-/);
  assert.doesNotMatch(maps.join(''), /\/node-av-/);
});

test('a child is replaced after its number of requests', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path, { requestsPerChildMax: 2 });
  const upload = await makeUpload(folder.path);
  for (let count = 0; count < 3; count++) await observed.pool.run('probe', probeIn(upload));
  assert.equal(observed.started.length, 2);
  assert.deepEqual(observed.losses, []);
});

test('analyses leave a slot to probes; probes wait for a bounded time', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path, { slots: 1, probeSlotsMin: 1 });
  const { pool } = observed;
  const hold = Promise.withResolvers<void>();
  const order: string[] = [];
  const analysis = pool.run('analysis', () => hold.promise);
  const next = pool.run('analysis', async () => void order.push('analysis'));
  await pool.run('probe', async () => void order.push('probe'));
  const heldProbe = pool.run('probe', () => hold.promise);
  await assert.rejects(
    pool.run('probe', async () => {}, { waitTimeoutMs: 20 }),
    SlotBusyError,
  );
  assert.deepEqual(pool.load, { probe: 1, analysis: 1, rendition: 0, waiting: 1 });
  hold.resolve();
  await Promise.all([analysis, next, heldProbe]);
  assert.deepEqual(order, ['probe', 'analysis']);
  // Slots are emptied behind their work.
  while (Object.values(pool.load).some((count) => count > 0)) await nextTurn();
});

test('renditions have slots of their own, and a retired child does nothing more', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path, { slots: 1, probeSlotsMin: 1 });
  const { pool } = observed;
  const hold = Promise.withResolvers<void>();
  const retired: DecodeSlot[] = [];
  const renditions = [1, 2].map(() =>
    pool.run('rendition', async (slot) => {
      slot.retire();
      retired.push(slot);
      await hold.promise;
    }),
  );
  const third = pool.run('rendition', async () => {}, { waitTimeoutMs: 20 });
  await assert.rejects(third, SlotBusyError);
  await pool.run('analysis', async () => {});
  hold.resolve();
  await Promise.all(renditions);
  const isFresh = async (slot: DecodeSlot) => assert.ok(!retired.includes(slot));
  await Promise.all([pool.run('probe', isFresh), pool.run('analysis', isFresh)]);
  assert.equal(retired.length, 2);
});

test('a probe may use an idle analysis slot', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path, { slots: 1, probeSlotsMin: 1 });
  const both = Promise.withResolvers<void>();
  let running = 0;
  const probe = () =>
    observed.pool.run('probe', async () => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
    });
  await Promise.all([probe(), probe()]);
});

test('a request that waits for a new child takes one that comes back sooner', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path, { slots: 1, probeSlotsMin: 1 });
  const { pool, started } = observed;
  const [first, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: DecodeSlot[] = [];
  const work = (until: Promise<void>) => async (slot: DecodeSlot) => {
    begun.push(slot);
    await until;
  };
  await pool.run('probe', async () => {});
  const one = pool.run('probe', work(first.promise));
  while (begun.length < 1) await nextTurn();
  const two = pool.run('probe', work(hold.promise));
  await nextTurn();
  first.resolve();
  await one;
  while (begun.length < 2) await nextTurn();
  assert.equal(begun[1], begun[0]);
  hold.resolve();
  await two;
  while (started.length < 2) await nextTurn();
  await pool.run('probe', work(hold.promise));
  assert.equal(started.length, 2);
});

test('a lost child costs its work only; the next work gets a fresh one', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path);
  const { pool } = observed;
  const upload = await makeUpload(folder.path);
  const killed = pool.run('analysis', async (slot) => {
    process.kill(slot.pid ?? assert.fail(), 'SIGKILL');
    return await probeIn(upload)(slot);
  });
  await assert.rejects(killed, WorkerLostError);
  assert.equal((await pool.run('analysis', probeIn(upload))).width, 64);
  assert.equal(observed.losses.length, 1);
  assert.equal((await readdir(join(folder.path, 'jobs'))).length, 1);
});

test('a child that dies between two pieces of work is replaced, and no work notices', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path);
  const upload = await makeUpload(folder.path);
  await observed.pool.run('probe', probeIn(upload));
  for (const pid of observed.pool.pids()) process.kill(pid, 'SIGKILL');
  while (observed.pool.pids().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await observed.pool.run('probe', probeIn(upload))).width, 64);
});

test('an abort ends a wait', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path);
  const hold = Promise.withResolvers<void>();
  const analysis = observed.pool.run('analysis', () => hold.promise);
  const signal = AbortSignal.timeout(10);
  await assert.rejects(
    observed.pool.run('analysis', async () => {}, { signal }),
    AbortError,
  );
  hold.resolve();
  await analysis;
});

test('leftovers of an earlier life are swept', async () => {
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, 'jobs', '7', 'in'), { recursive: true });
  await writeFile(join(folder.path, 'jobs', '7', 'in', 'input'), 'old');
  await using observed = makePool(folder.path);
  await observed.pool.start();
  assert.deepEqual(await readdir(join(folder.path, 'jobs')), []);
});

test('required isolation that is missing refuses the start', async () => {
  await using folder = await makeTemporaryFolder();
  await using observed = makePool(folder.path, { isolation: 'require' });
  try {
    await observed.pool.start();
    assert.equal(observed.pool.isolation?.level, 'bubblewrap');
  } catch (error) {
    assert.ok(error instanceof IsolationMissingError);
    assert.match(error.message, /install bubblewrap/);
  }
});

test('a stop ends running and waiting work and leaves no child', async () => {
  await using folder = await makeTemporaryFolder();
  const { pool } = makePool(folder.path);
  const upload = await makeUpload(folder.path);
  const waitsForever = new Promise<void>(() => {});
  const entered = Promise.withResolvers<void>();
  void pool.run('analysis', async (slot) => {
    await probeIn(upload)(slot);
    entered.resolve();
    await waitsForever;
  });
  await entered.promise;
  const waiting = assert.rejects(pool.run('analysis', probeIn(upload)), { loss: 'stopped' });
  await pool[Symbol.asyncDispose]();
  await waiting;
  assert.deepEqual(pool.pids(), []);
  await assert.rejects(pool.run('probe', probeIn(upload)), { loss: 'stopped' });
});
