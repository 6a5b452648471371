/** Shipped packs in half precision on the CPU, which rounds weights: where outputs hold and where not. A GPU rounds more. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ModelPack } from '../../../src/domain/packs/model-pack.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../../src/engine/inference/inference-process.ts';
import { toLoadedPack } from '../../../src/engine/packs/installed-packs.ts';
import type { LoadedPack, PackReport } from '../../../src/worker/protocol/inference-protocol.ts';
import { FACE_ORIGIN_PACK, modelPathOf, NSFW_PACK } from '../../models/shipped-packs.ts';
import { writeTinyPack } from '../../models/tiny-model.ts';
import { PATIENT } from '../../patience.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';

const QUIET = { childReady() {}, childLost() {}, childSaid() {} };
/** Tolerance of a probability: what the pack itself asks for does not hold in half precision. */
const ROUGH = 0.02;

let folder: TemporaryFolder;
before(async () => {
  folder = await makeTemporaryFolder();
});
after(async () => await folder[Symbol.asyncDispose]());

function loaded(pack: ModelPack, tolerance = pack.golden.tolerance): LoadedPack {
  const found = toLoadedPack({ pack, modelPath: modelPathOf(pack) });
  return { ...found, golden: { ...found.golden, tolerance } };
}

function open(pack: LoadedPack, halfProviders: string[]): InferenceProcess {
  return new InferenceProcess({ ...INFERENCE_DEFAULTS, halfProviders }, [pack], QUIET);
}

async function report(pack: LoadedPack, halfProviders: string[]): Promise<PackReport> {
  await using child = open(pack, halfProviders);
  const [first] = await child.ready();
  return first ?? assert.fail('no report');
}

async function answer(pack: LoadedPack, halfProviders: string[]): Promise<Float32Array> {
  await using child = open(pack, halfProviders);
  const path = join(folder.path, 'view');
  const size = NSFW_PACK.view.size;
  await writeFile(
    path,
    Uint8Array.from({ length: size * size * 3 }, (_, at) => (at * 31) % 251),
  );
  return (await child.infer({ pack: pack.key, path, count: 1 }, PATIENT)).logits;
}

test('a pack whose outputs hold in half precision runs in it', async () => {
  const pack = loaded(NSFW_PACK, ROUGH);
  const full = await report(pack, []);
  assert.deepEqual([full.provider, full.precision, full.precisionNote], ['cpu', 'full', null]);
  const half = await report(pack, ['cpu']);
  assert.deepEqual([half.provider, half.precision, half.precisionNote], ['cpu', 'half', null]);
  const [halfError, fullError] = [half.goldenError ?? 0, full.goldenError ?? 0];
  assert.ok(halfError > 10 * fullError, `${halfError} beside ${fullError}: it is another model`);
  const [rounded, whole] = [await answer(pack, ['cpu']), await answer(pack, [])];
  assert.notDeepEqual(rounded, whole, 'requests are answered by it too');
  for (const [index, value] of whole.entries())
    assert.ok(Math.abs(value - (rounded[index] ?? 9)) < ROUGH, `output ${index}`);
});

const KEPT_FULL = [
  {
    name: 'whose golden outputs do not hold',
    pack: () => loaded(FACE_ORIGIN_PACK, 1e-4),
    note: /^in half precision the golden outputs differ by 0\.\d+ \(number \d+ of 4\), at most 0\.0001 is allowed$/,
  },
  {
    name: 'whose golden outputs hold, and others made like them do not',
    pack: () => loaded(NSFW_PACK),
    note: /^in half precision the outputs for made inputs differ by 0\.00\d+ \(number \d+ of 160\), at most 0\.001 is allowed$/,
  },
  {
    name: 'of which more than its golden outputs give is asked',
    pack: () => loaded(NSFW_PACK, 1e-5),
    note: /^in half precision the golden outputs differ by 0\.0000\d+ \(number \d+ of 10\), at most 0\.00001 is allowed$/,
  },
  {
    name: 'that cannot be converted',
    pack: () => writeTinyPack(folder.path),
    note: /^in half precision the model has no convolution or matrix product to convert$/,
  },
];

for (const { name, pack, note } of KEPT_FULL) {
  test(`a pack ${name} runs in full precision, and says why`, async () => {
    const { provider, precision, precisionNote, fault, goldenError } = await report(await pack(), ['cpu']);
    assert.deepEqual([provider, precision, fault], ['cpu', 'full', null]);
    assert.match(precisionNote ?? '', note);
    assert.ok((goldenError ?? 1) < 1e-5, 'the difference of the session that serves');
  });
}

test('a provider that is not asked for half precision says so', async () => {
  const { precision, precisionNote } = await report(loaded(NSFW_PACK), ['cuda']);
  assert.deepEqual([precision, precisionNote], ['full', 'cpu runs models in full precision only']);
});

test('a pack that is wrong in full precision too is out of service', async () => {
  const wrong = await writeTinyPack(folder.path, { key: 'wrong@1.0.0', goldenOffset: 0.5 });
  const { provider, precisionNote, fault } = await report(wrong, ['cpu']);
  assert.deepEqual([provider, precisionNote], [null, null]);
  assert.match(fault ?? '', /^cpu: the golden outputs differ by 0\.500 \(number \d of 3\)/);
});
