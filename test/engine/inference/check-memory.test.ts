/** Real inference children with a hand-made model: what a box remembers of its models' checks. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ModelFailedError } from '../../../src/engine/children/worker-errors.ts';
import { CheckMemory } from '../../../src/engine/inference/check-memory.ts';
import {
  INFERENCE_DEFAULTS,
  type InferenceConfig,
  InferenceProcess,
} from '../../../src/engine/inference/inference-process.ts';
import type { LoadedPack, PackReport } from '../../../src/worker/protocol/inference-protocol.ts';
import { writeTinyPack } from '../../models/tiny-model.ts';
import { PATIENT } from '../../patience.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const PATCH_BYTES = 16 * 16 * 3;
const QUIET = { childReady() {}, childLost() {}, childSaid() {} };
const failOn = (error: unknown): never => assert.fail(String(error));

function begin(pack: LoadedPack, checks: CheckMemory, config: Partial<InferenceConfig> = {}) {
  return new InferenceProcess({ ...INFERENCE_DEFAULTS, ...config }, [pack], QUIET, checks);
}

/** Starts with this memory; returns what is reported of the pack. */
async function reportOf(pack: LoadedPack, path: string, config: Partial<InferenceConfig> = {}) {
  const checks = await CheckMemory.open(path, failOn);
  await using started = begin(pack, checks, config);
  const [report] = await started.ready();
  await checks.settled();
  return report;
}

async function grey(folder: string) {
  const path = join(folder, 'patches.rgb');
  await writeFile(path, Buffer.alloc(PATCH_BYTES, 51));
  return { pack: 'tiny@1.0.0', path, count: 1 };
}

test('a pack that gave its golden outputs before is not waited for, and is checked by its first request', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const path = join(folder.path, 'cache', 'model-checks.json');
  const first = await reportOf(pack, path);
  assert.ok((first?.loadMs ?? 0) > 0);
  assert.equal((await stat(path)).mode & 0o777, 0o600);

  const checks = await CheckMemory.open(path, failOn);
  await using started = begin(pack, checks);
  assert.deepEqual(await started.ready(), [{ ...first, goldenOutputs: undefined, loadMs: 0 }].map(whole));
  const { logits } = await started.infer(await grey(folder.path), PATIENT);
  assert.ok(Math.abs((logits[0] ?? 9) - 0.2) < 1e-4);
  assert.ok((started.reports?.[0]?.loadMs ?? 0) > 0, 'the request has brought it up and checked it');
});

test('a pack of the release is not waited for: its check follows at once, without a request, and is remembered', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = { ...(await writeTinyPack(folder.path)), isProvedNext: true };
  const checks = await CheckMemory.open(join(folder.path, 'model-checks.json'), failOn);
  const proved = Promise.withResolvers<void>();
  let readyCount = 0;
  const observer = { ...QUIET, childReady: () => void (++readyCount === 2 && proved.resolve()) };
  await using started = new InferenceProcess(INFERENCE_DEFAULTS, [pack], observer, checks);
  assert.deepEqual(
    (await started.ready()).map(({ fault, goldenError, loadMs }) => ({ fault, goldenError, loadMs })),
    [{ fault: null, goldenError: null, loadMs: 0 }],
  );
  await proved.promise;
  const [report] = started.reports ?? [];
  assert.ok(
    report?.fault === null && report.goldenError !== null && report.loadMs > 0,
    JSON.stringify(report),
  );
  assert.equal(checks.recall([pack], INFERENCE_DEFAULTS)[0]?.goldenError, report.goldenError);
  assert.deepEqual(started.resident, [], 'no one has asked it');
});

test('a pack of the release that does not hold here answers nothing, and is out of service soon after the start', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = { ...(await writeTinyPack(folder.path)), isProvedNext: true };
  // The pack looks the same, but the model in its file answers otherwise.
  await writeTinyPack(folder.path, { gain: 2 });
  const checks = await CheckMemory.open(join(folder.path, 'model-checks.json'), failOn);
  const fell = Promise.withResolvers<string | null>();
  const observer = {
    ...QUIET,
    childReady: (_pid: number | undefined, [report]: readonly PackReport[]) =>
      void (report?.fault !== null && fell.resolve(report?.fault ?? null)),
  };
  await using started = new InferenceProcess(INFERENCE_DEFAULTS, [pack], observer, checks);
  await assert.rejects(started.infer(await grey(folder.path), PATIENT), ModelFailedError);
  assert.match((await fell.promise) ?? '', /golden outputs differ/);
  assert.deepEqual(checks.recall([pack], INFERENCE_DEFAULTS), []);
});

test('with always or with a GPU the start waits for packs of the release too', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = { ...(await writeTinyPack(folder.path)), isProvedNext: true };
  const path = join(folder.path, 'model-checks.json');
  for (const config of [{ keepLoadedMs: Number.POSITIVE_INFINITY }, { providers: ['webgpu', 'cpu'] }]) {
    assert.ok(((await reportOf(pack, path, config))?.loadMs ?? 0) > 0, JSON.stringify(config));
  }
});

test('a pack that does not hold any more is out of service from its first request on, and forgotten', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const path = join(folder.path, 'model-checks.json');
  await reportOf(pack, path);
  // The pack looks the same, but the model in its file answers otherwise.
  await writeTinyPack(folder.path, { gain: 2 });

  const checks = await CheckMemory.open(path, failOn);
  await using started = begin(pack, checks);
  assert.equal((await started.ready())[0]?.fault, null);
  await assert.rejects(started.infer(await grey(folder.path), PATIENT), (error) => {
    assert.ok(error instanceof ModelFailedError);
    assert.match(error.message, /golden outputs differ/);
    return true;
  });
  assert.match(started.reports?.[0]?.fault ?? '', /golden outputs differ/);
  await checks.settled();
  assert.match((await reportOf(pack, path))?.fault ?? '', /golden outputs differ/);
});

test('another model, other threads and a GPU beside the CPU are checked', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const path = join(folder.path, 'model-checks.json');
  await reportOf(pack, path);
  const isChecked = async (...args: [LoadedPack, Partial<InferenceConfig>?]) =>
    ((await reportOf(args[0], path, args[1]))?.loadMs ?? 0) > 0;
  assert.equal(await isChecked(pack), false);
  assert.equal(await isChecked(pack, { threads: 2 }), true);
  assert.equal(await isChecked({ ...pack, modelSha256: '0'.repeat(64) }), true);
  const withGpu = { providers: ['webgpu', 'cpu'] };
  assert.equal(await isChecked(pack, withGpu), true);
  assert.equal(await isChecked(pack, withGpu), true, 'nothing of it was kept');
});

test('an unreadable file is reported, every pack is checked, and the file is written anew', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await writeTinyPack(folder.path);
  const path = join(folder.path, 'model-checks.json');
  await writeFile(path, '{"checks":{"no digest":1}}');
  const said: unknown[] = [];
  const checks = await CheckMemory.open(path, (error) => said.push(error));
  assert.equal(said.length, 1);
  await using started = begin(pack, checks);
  assert.ok(((await started.ready())[0]?.loadMs ?? 0) > 0);
  await checks.settled();
  assert.doesNotMatch(await readFile(path, 'utf8'), /no digest/);
});

/** Removes undefined values, as the channel does. */
function whole<T extends object>(value: T): object {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
}
