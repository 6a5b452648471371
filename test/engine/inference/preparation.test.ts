/** Providers that are prepared while another answers. No test box has two that work, so the CPU plays each in turn. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelFailedError } from '../../../src/engine/children/worker-errors.ts';
import {
  INFERENCE_POOL_DEFAULTS,
  InferencePool,
  type InferencePoolConfig,
} from '../../../src/engine/inference/inference-pool.ts';
import type { LoadedPack, PackReport } from '../../../src/worker/protocol/inference-protocol.ts';
import { meanOf, writeTinyPack } from '../../models/tiny-model.ts';
import { PATIENCE_MS, PATIENT } from '../../patience.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const SIZE = 16;
const POLL_MS = 10;

function openPool(packs: readonly LoadedPack[], config: Partial<InferencePoolConfig>) {
  const lost: string[] = [];
  const observer = {
    childReady() {},
    childLost: (_pid: number | undefined, error: Error) => void lost.push(error.message),
    childSaid() {},
  };
  const pool = new InferencePool({ ...INFERENCE_POOL_DEFAULTS, processes: 1, ...config }, packs, observer);
  return { pool, lost, [Symbol.asyncDispose]: async () => await pool[Symbol.asyncDispose]() };
}

/** Waits until the report of the first pack is as wanted. */
async function awaitReport(
  pool: InferencePool,
  isWanted: (report: PackReport) => boolean,
): Promise<PackReport> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    const [report] = pool.reports ?? [];
    if (report !== undefined && isWanted(report)) return report;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return assert.fail(JSON.stringify(pool.reports));
}

async function makeWork(folder: string, pack: LoadedPack) {
  const patch = Uint8Array.from({ length: SIZE * SIZE * 3 }, (_, at) => (at * 7) % 256);
  const path = join(folder, 'patches.rgb');
  await writeFile(path, patch);
  return { work: { pack: pack.key, path, count: 1 }, expected: meanOf(patch) };
}

async function assertAnswers(pool: InferencePool, { work, expected }: Awaited<ReturnType<typeof makeWork>>) {
  const { logits } = await pool.infer(work, PATIENT);
  assert.ok(Math.abs((logits[0] ?? 9) - expected) < 1e-4);
}

test('a provider that cannot be prepared leaves the other in place, says why and frees its process', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using opened = openPool([pack], { providers: ['tensorrt', 'cpu'] });
  const { pool } = opened;
  const [first] = await pool.ready();
  assert.deepEqual([first?.provider, first?.fault], ['cpu', null]);
  const asked = await makeWork(folder.path, pack);
  await assertAnswers(pool, asked);
  const settled = await awaitReport(pool, ({ passedOver }) => passedOver.length > 0);
  assert.deepEqual([settled.provider, settled.preparing], ['cpu', undefined]);
  assert.match(settled.passedOver.join(), /^tensorrt: .*TensorRT/);
  while (pool.pids().length > 1) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  await assertAnswers(pool, asked);
  assert.deepEqual(opened.lost, [], 'it was stopped, not lost');
});

test('a model in preparation is reported, takes over when it is ready, and hands back when it is lost', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const asked = await makeWork(folder.path, pack);
  // The quick provider has no library here, so an answer comes from the prepared one.
  await using opened = openPool([pack], { providers: ['cpu', 'cuda'], slowProviders: ['cpu'] });
  const { pool } = opened;
  const [quickPid, slowPid] = pool.pids();
  assert.ok(quickPid !== undefined && slowPid !== undefined);
  process.kill(slowPid, 'SIGSTOP');
  const [waiting] = await pool.ready();
  assert.equal(waiting?.provider, null);
  assert.match(waiting.preparing ?? '', /^cpu since \d{4}-\d\d-\d\dT/);
  await assert.rejects(pool.infer(asked.work, PATIENT), ModelFailedError);
  process.kill(slowPid, 'SIGCONT');
  const taken = await awaitReport(pool, ({ provider }) => provider === 'cpu');
  assert.deepEqual([taken.preparing, taken.fault], [undefined, null]);
  await assertAnswers(pool, asked);
  process.kill(slowPid, 'SIGKILL');
  const handedBack = await awaitReport(pool, ({ provider }) => provider === null);
  assert.match(handedBack.preparing ?? '', /^cpu since/);
  await awaitReport(pool, ({ provider }) => provider === 'cpu');
  await assertAnswers(pool, asked);
  assert.equal(opened.lost.length, 1);
});

test('a preparation that ends its process again and again is given up', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using opened = openPool([pack], { providers: ['tensorrt', 'cpu'] });
  const { pool, lost } = opened;
  for (let loss = 0; loss < 3; loss++) {
    while (lost.length < loss || pool.pids().length < 2)
      await new Promise((resolve) => setTimeout(resolve, 1));
    process.kill(pool.pids()[1] ?? assert.fail(), 'SIGKILL');
    while (lost.length <= loss) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const report = await awaitReport(pool, ({ provider }) => provider === 'cpu');
  assert.match(report.passedOver.join(), /^tensorrt: 3 times over, the model process ended: /);
  assert.equal(pool.pids().length, 1);
});

test('packs are replaced in both, and the quick one answers first', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using opened = openPool([pack], { providers: ['cpu', 'cuda'], slowProviders: ['cpu'] });
  const { pool } = opened;
  await awaitReport(pool, ({ provider }) => provider === 'cpu');
  const other = await writeTinyPack(folder.path, { key: 'other@1.0.0' });
  await pool.load([other]);
  await awaitReport(pool, ({ key, provider }) => key === other.key && provider === 'cpu');
  await assertAnswers(pool, await makeWork(folder.path, other));
});
