/** Real inference children with a hand-made model: answers, batches, self-test, loss and restart. */
import assert from 'node:assert/strict';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AbortError, ModelFailedError, WorkerLostError } from '../../../src/engine/children/worker-errors.ts';
import {
  driverEnvironment,
  inferenceEnvironment,
} from '../../../src/engine/inference/inference-environment.ts';
import { INFERENCE_POOL_DEFAULTS, InferencePool } from '../../../src/engine/inference/inference-pool.ts';
import {
  INFERENCE_DEFAULTS,
  type InferenceConfig,
  InferenceProcess,
} from '../../../src/engine/inference/inference-process.ts';
import type { LoadedPack } from '../../../src/worker/protocol/inference-protocol.ts';
import { meanOf, writeTinyPack } from '../../models/tiny-model.ts';
import { PATIENT } from '../../patience.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const SIZE = 16;
const PATCH_BYTES = SIZE * SIZE * 3;

function startProcess(packs: LoadedPack[], config: Partial<InferenceConfig> = {}) {
  const events: string[] = [];
  const process = new InferenceProcess({ ...INFERENCE_DEFAULTS, ...config }, packs, {
    childReady: () => void events.push('ready'),
    childLost: (_pid, error) => void events.push(error.message),
    childSaid: (line) => void events.push(line),
  });
  return { process, events, [Symbol.asyncDispose]: async () => await process[Symbol.asyncDispose]() };
}

async function writePatches(folder: string, name: string, count: number) {
  const bytes = Buffer.alloc(count * PATCH_BYTES);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 7 + Math.floor(at / PATCH_BYTES) * 40) % 256;
  const path = join(folder, name);
  await writeFile(path, bytes);
  const patches = Array.from({ length: count }, (_, index) =>
    meanOf(bytes.subarray(index * PATCH_BYTES, (index + 1) * PATCH_BYTES)),
  );
  return { path, count, expected: patches };
}

function assertNear(actual: Float32Array, expected: number[]): void {
  assert.equal(actual.length, expected.length);
  for (const [index, value] of expected.entries()) assert.ok(Math.abs((actual[index] ?? 9) - value) < 1e-4);
}

test('answers every patch, in order', async () => {
  await using folder = await makeTemporaryFolder();
  await using started = startProcess([await writeTinyPack(folder.path)]);
  const [report] = await started.process.ready();
  assert.deepEqual([report?.provider, report?.fault], ['cpu', null]);
  assert.ok((report?.goldenError ?? 1) < 1e-4);
  const { expected, ...work } = await writePatches(folder.path, 'patches.rgb', 21);
  const { logits, elapsedMs } = await started.process.infer({ pack: 'tiny@1.0.0', ...work }, PATIENT);
  assertNear(logits, expected);
  assert.ok(elapsedMs > 0);
});

test('normalises as the pack says', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const input = { ...pack.input, mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] } as const;
  const shifted = pack.golden.expected.map((value) => (value - 0.5) / 0.25);
  const changed = { ...pack, input: { ...input, mean: [...input.mean], std: [...input.std] } } as LoadedPack;
  await using started = startProcess([{ ...changed, golden: { ...pack.golden, expected: shifted } }]);
  assert.equal((await started.process.ready())[0]?.fault, null);
});

test('patches of several requests share a batch', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const patches = await Promise.all([1, 2, 3, 4].map((n) => writePatches(folder.path, `${n}.rgb`, 2)));
  const lone = await measureBatches(pack, { batchMax: 2, batchWaitMs: 0 }, patches);
  const shared = await measureBatches(pack, { batchMax: 8, batchWaitMs: 1000 }, patches);
  assert.equal(lone, 4);
  assert.equal(shared, 1, 'a full batch runs at once, without waiting out its second');
});

/** How often the model ran: requests of one batch have the very same share of its time. */
async function measureBatches(
  pack: LoadedPack,
  config: Partial<InferenceConfig>,
  patches: { path: string; count: number; expected: number[] }[],
): Promise<number> {
  await using started = startProcess([pack], config);
  await started.process.ready();
  const startedAt = performance.now();
  const answers = await Promise.all(
    patches.map(({ path, count }) => started.process.infer({ pack: pack.key, path, count }, PATIENT)),
  );
  assert.ok(performance.now() - startedAt < 900);
  for (const [index, { logits }] of answers.entries()) assertNear(logits, patches[index]?.expected ?? []);
  return new Set(answers.map(({ elapsedMs }) => elapsedMs)).size;
}

test('a batch that stays small runs after its wait', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack], { batchWaitMs: 30 });
  await started.process.ready();
  const { expected, ...work } = await writePatches(folder.path, 'one.rgb', 1);
  const startedAt = performance.now();
  assertNear((await started.process.infer({ pack: pack.key, ...work }, PATIENT)).logits, expected);
  assert.ok(performance.now() - startedAt >= 25);
});

test('a model that misses its golden outputs is out of service; others run', async () => {
  await using folder = await makeTemporaryFolder();
  const wrong = await writeTinyPack(folder.path, { key: 'wrong@1.0.0', goldenOffset: 0.5 });
  const right = await writeTinyPack(folder.path, { key: 'right@1.0.0', gain: 3 });
  await using started = startProcess([wrong, right]);
  const [first, second] = await started.process.ready();
  assert.equal(first?.provider, null);
  assert.match(
    first?.fault ?? '',
    /cpu: the golden outputs differ by 0.500 \(number \d of 3\), at most 0.001 is allowed/,
  );
  assert.equal(second?.fault, null);
  const { expected, ...work } = await writePatches(folder.path, 'patches.rgb', 3);
  await assert.rejects(started.process.infer({ pack: wrong.key, ...work }, PATIENT), ModelFailedError);
  const tripled = expected.map((value) => value * 3);
  assertNear((await started.process.infer({ pack: right.key, ...work }, PATIENT)).logits, tripled);
});

test('a missing provider is skipped with a log line, or reported if there is no other', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using fallsBack = startProcess([pack], { providers: ['cuda', 'cpu'] });
  const [fallen] = await fallsBack.process.ready();
  assert.equal(fallen?.provider, 'cpu');
  assert.match(fallen?.passedOver.join('\n') ?? '', /^cuda: /);
  await using only = startProcess([pack], { providers: ['cuda'] });
  const [report] = await only.process.ready();
  assert.equal(report?.provider, null);
  assert.match(report?.fault ?? '', /^cuda: /);
});

test('a file that is no model is reported', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await writeFile(pack.modelPath, 'not a model');
  await using started = startProcess([pack]);
  assert.match((await started.process.ready())[0]?.fault ?? '', /^cpu: /);
});

test('a patch file of another length, or a link, is refused', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack]);
  const { path } = await writePatches(folder.path, 'patches.rgb', 3);
  const link = join(folder.path, 'link.rgb');
  await symlink(path, link);
  const infer = (work: { path: string; count: number }) =>
    started.process.infer({ pack: pack.key, ...work }, PATIENT);
  await assert.rejects(infer({ path, count: 4 }), /has 2304 bytes; 4 patches have 3072/);
  await assert.rejects(infer({ path, count: 0 }), /1 to 65536 patches/);
  await assert.rejects(infer({ path: link, count: 3 }), /ELOOP/);
  assert.equal((await infer({ path, count: 3 })).logits.length, 3);
});

test('a killed process loses what it had and the next request works', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack], { batchWaitMs: 5000 });
  await started.process.ready();
  const { expected, ...work } = await writePatches(folder.path, 'patches.rgb', 2);
  const lost = assert.rejects(started.process.infer({ pack: pack.key, ...work }, PATIENT), WorkerLostError);
  const before = started.process.pid ?? assert.fail();
  // It has the request then, and waits for more to fill the batch.
  await nextTurn();
  process.kill(before, 'SIGKILL');
  await lost;
  assert.equal(started.process.reports, null);
  const full = await writePatches(folder.path, 'full.rgb', 8);
  const again = await started.process.infer({ pack: pack.key, path: full.path, count: 8 }, PATIENT);
  assertNear(again.logits, full.expected);
  assert.notEqual(started.process.pid, before);
  assert.deepEqual(started.events.filter((event) => event === 'ready').length, 2);
  assert.equal(expected.length, 2);
});

test('a request that waits too long, or is cancelled, ends without ending the process', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack], { batchWaitMs: 300 });
  await started.process.ready();
  const { pid } = started.process;
  const { path, count } = await writePatches(folder.path, 'patches.rgb', 2);
  const infer = (options: object) => started.process.infer({ pack: pack.key, path, count }, options);
  await assert.rejects(infer({ timeoutMs: 20 }), { name: 'WorkerLostError', loss: 'deadline' });
  await assert.rejects(infer({ signal: AbortSignal.timeout(20) }), AbortError);
  assert.equal((await infer(PATIENT)).logits.length, 2);
  assert.equal(started.process.pid, pid);
});

test('a silent process is killed', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack], { silenceMsMax: 100 });
  await started.process.ready();
  process.kill(started.process.pid ?? assert.fail(), 'SIGSTOP');
  const { path, count } = await writePatches(folder.path, 'patches.rgb', 2);
  await assert.rejects(started.process.infer({ pack: pack.key, path, count }), { loss: 'ended' });
});

test('packs are replaced while the process lives', async () => {
  await using folder = await makeTemporaryFolder();
  await using started = startProcess([await writeTinyPack(folder.path)]);
  await started.process.ready();
  const { pid } = started.process;
  await started.process.load([await writeTinyPack(folder.path, { key: 'new@2.0.0', gain: 2 })]);
  const { expected, ...work } = await writePatches(folder.path, 'patches.rgb', 2);
  const { logits } = await started.process.infer({ pack: 'new@2.0.0', ...work }, PATIENT);
  assertNear(
    logits,
    expected.map((value) => value * 2),
  );
  await assert.rejects(started.process.infer({ pack: 'tiny@1.0.0', ...work }, PATIENT), ModelFailedError);
  assert.equal(started.process.pid, pid);
});

test('the process gets drivers’ settings and no secret', async () => {
  await using folder = await makeTemporaryFolder();
  const given = { CUDA_VISIBLE_DEVICES: '0', ASSAY_ADMIN_API_KEY: 'secret', NODE_OPTIONS: '--no-such' };
  const environment = driverEnvironment(given);
  await using started = startProcess([await writeTinyPack(folder.path)], { environment });
  await started.process.ready();
  const seen = await readFile(`/proc/${started.process.pid}/environ`, 'latin1');
  assert.match(seen, /CUDA_VISIBLE_DEVICES=0/);
  assert.doesNotMatch(seen, /ASSAY|secret|no-such/);
});

test('full precision is full on NVIDIA’s cards too, unless the box asks for less', () => {
  const tf32Of = (given: Record<string, string>) =>
    inferenceEnvironment(driverEnvironment(given)).NVIDIA_TF32_OVERRIDE;
  assert.equal(tf32Of({}), '0');
  assert.equal(tf32Of({ NVIDIA_TF32_OVERRIDE: '1' }), '1');
});

test('a process killed at its end still keeps its compiled sources in the daemon’s folder', async () => {
  await using folder = await makeTemporaryFolder();
  await using kept = await makeTemporaryFolder();
  const environment = { NODE_COMPILE_CACHE: kept.path };
  await using started = startProcess([await writeTinyPack(folder.path)], { environment });
  await started.process.ready();
  while ((await readdir(kept.path, { recursive: true })).length < 2)
    await new Promise((resolve) => setTimeout(resolve, 5));
});

test('a process knows the compiled sources that the daemon keeps', () => {
  const own = getCompileCacheDir();
  assert.equal(inferenceEnvironment({}).NODE_COMPILE_CACHE, own && dirname(own));
});

test('the runtime of the models neither keeps an identifier of the box nor opens anything to send', async () => {
  await using folder = await makeTemporaryFolder();
  await using home = await makeTemporaryFolder();
  const environment = {
    HOME: home.path,
    TMPDIR: home.path,
    XDG_CACHE_HOME: home.path,
    ORT_DISABLE_TELEMETRY: '0',
  };
  await using started = startProcess([await writeTinyPack(folder.path)], { environment });
  await started.process.ready();
  assert.deepEqual(await readdir(home.path), []);
});

test('a pool spreads requests over its processes and survives the loss of one', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const config = { ...INFERENCE_POOL_DEFAULTS, processes: 2 };
  const quiet = { childReady: () => {}, childLost: () => {}, childSaid: () => {} };
  await using pool = new InferencePool(config, [pack], quiet);
  await pool.ready();
  const [victim, other] = pool.pids();
  assert.ok(victim !== undefined && other !== undefined);
  const { path, count, expected } = await writePatches(folder.path, 'patches.rgb', 4);
  process.kill(victim, 'SIGKILL');
  while (pool.pids().includes(victim)) await new Promise((resolve) => setTimeout(resolve, 5));
  const answers = await Promise.all(
    [1, 2, 3].map(() => pool.infer({ pack: pack.key, path, count }, PATIENT)),
  );
  for (const { logits } of answers) assertNear(logits, expected);
});

test('a cancelled request does not delay others', async () => {
  await using folder = await makeTemporaryFolder();
  await using started = startProcess([await writeTinyPack(folder.path, { rounds: 400 })]);
  await started.process.ready();
  const { expected, ...one } = await writePatches(folder.path, 'one.rgb', 8);
  const { expected: _, ...many } = await writePatches(folder.path, 'many.rgb', 8 * 150);
  const infer = (work: typeof one, signal?: AbortSignal) =>
    started.process.infer({ pack: 'tiny@1.0.0', ...work }, { ...PATIENT, signal });
  await infer(one);
  const batchMs = await timeOf(() => infer(one));
  const called = new AbortController();
  const long = infer(many, called.signal);
  setTimeout(() => called.abort(), 3 * batchMs);
  await assert.rejects(long, AbortError);
  const waitedMs = await timeOf(async () => assertNear((await infer(one)).logits, expected));
  assert.ok(waitedMs < 50 * batchMs, `${waitedMs} ms for a batch that takes ${batchMs} ms alone`);
});

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

test('providers are tried in the order given, and each that fails is named in that order', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack], { providers: ['tensorrt', 'cuda', 'cpu'] });
  const [report] = await started.process.ready();
  assert.equal(report?.provider, 'cpu');
  const [first, second, ...more] = report.passedOver;
  assert.match(first ?? '', /^tensorrt: .*TensorRT/);
  assert.match(second ?? '', /^cuda: .*Cuda/);
  assert.deepEqual(more, []);
  await using plain = startProcess([pack], { providers: ['cpu', 'cuda'] });
  const [untried] = await plain.process.ready();
  assert.deepEqual([untried?.provider, untried?.passedOver], ['cpu', []]);
  assert.deepEqual(plain.events, ['ready'], 'nothing after the first that works is tried');
});

test('a pack is released once it was checked, comes back with its next request, and is checked again', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack]);
  const { process } = started;
  assert.equal((await process.ready())[0]?.fault, null);
  assert.deepEqual(process.resident, []);
  const { expected, ...work } = await writePatches(folder.path, 'patches.rgb', 9);
  const [first, second] = await Promise.all(
    [1, 2].map(() => process.infer({ pack: pack.key, ...work }, PATIENT)),
  );
  for (const answer of [first, second]) assertNear(answer?.logits ?? new Float32Array(), expected);
  assert.deepEqual(process.resident, [pack.key]);
});

test('a released pack whose file was replaced answers no request', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  await using started = startProcess([pack]);
  await started.process.ready();
  const other = await writeTinyPack(folder.path, { key: 'other@1.0.0', gain: 3 });
  await writeFile(pack.modelPath, await readFile(other.modelPath));
  const { expected: _, ...work } = await writePatches(folder.path, 'patches.rgb', 1);
  await assert.rejects(started.process.infer({ pack: pack.key, ...work }, PATIENT), {
    name: 'ModelFailedError',
    message: /the model tiny@1\.0\.0 cannot be loaded again: cpu: the golden outputs differ/,
  });
});

test('an idle pack leaves memory, unless all are kept', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const { expected, ...work } = await writePatches(folder.path, 'patches.rgb', 9);
  await using brief = startProcess([pack], { keepLoadedMs: 1 });
  await using kept = startProcess([pack], { keepLoadedMs: Number.POSITIVE_INFINITY });
  await Promise.all([brief.process.ready(), kept.process.ready()]);
  assert.deepEqual(kept.process.resident, [pack.key]);
  for (let round = 0; round < 2; round++) {
    assertNear((await brief.process.infer({ pack: pack.key, ...work }, PATIENT)).logits, expected);
    while (brief.process.resident.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
