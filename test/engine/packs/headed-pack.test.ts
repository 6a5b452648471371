/** A pack of the image-origin task whose model is made from an npm package, in a real inference child. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  type ConvertedPack,
  isConvertedPack,
  isImagePack,
  modelPackSchema,
} from '../../../src/domain/packs/model-pack.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../../src/engine/inference/inference-process.ts';
import { conversionOrder, makeModel } from '../../../src/engine/packs/conversions.ts';
import { toLoadedPack } from '../../../src/engine/packs/installed-packs.ts';
import { convertModel } from '../../../src/worker/convert/convert-model.ts';
import { makeGoldenPatch } from '../../../src/worker/inference/golden.ts';
import type { LoadedPack, PackReport } from '../../../src/worker/inference-protocol.ts';
import { readShippedPack } from '../../models/conversion-orders.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { INCEPTION_FILE } from '../../worker/inception.ts';

const QUIET = { childReady() {}, childLost() {}, childSaid() {} };
const PLANES = 256;
const GOLDEN_COUNT = 4;

let folder: TemporaryFolder;
let loaded: LoadedPack;
before(async () => {
  folder = await makeTemporaryFolder();
  const pack = makePack();
  const sha256 = createHash('sha256')
    .update(convertModel(conversionOrder(pack, 'not written')))
    .digest('hex');
  const named = { ...pack, sha256 };
  loaded = toLoadedPack({ pack: named, modelPath: await makeModel(named, folder.path) });
});
after(async () => await folder[Symbol.asyncDispose]());

/** As the shipped network is described, but for its model. */
function makePack(): ConvertedPack {
  const row = (rule: (plane: number) => number) => Array.from({ length: PLANES }, (_, plane) => rule(plane));
  const head = {
    ...{ measure: 'deviation', varianceMin: 1e-4, clip: 4, bias: 0.5 },
    ...{ centre: row(() => 0.3), scale: row(() => 2), weights: row((plane) => Math.sin(plane) / 8) },
  };
  const described = {
    ...readShippedPack('assay-transformer'),
    ...{ id: 'headed', file: { ...INCEPTION_FILE, joined: [['mixed0']], head } },
    golden: { seed: 1, tolerance: 0.001, expected: row(() => 0).slice(0, GOLDEN_COUNT) },
  };
  const pack = modelPackSchema.parse(described);
  assert.ok(isConvertedPack(pack) && isImagePack(pack));
  return pack;
}

async function report(golden: Partial<LoadedPack['golden']>): Promise<PackReport> {
  const trial = { ...loaded, golden: { ...loaded.golden, ...golden } };
  await using child = new InferenceProcess(INFERENCE_DEFAULTS, [trial], QUIET);
  const [first] = await child.ready();
  return first ?? assert.fail('no report');
}

test('it gives a logit of each patch, and its golden outputs hold', async () => {
  const { goldenOutputs = [] } = await report({ isRecorded: true });
  assert.equal(new Set(goldenOutputs).size, GOLDEN_COUNT, `different patches differ: ${goldenOutputs}`);
  const path = join(folder.path, 'patches');
  const { input } = loaded;
  assert.ok(input.kind === 'patches');
  const patches = Array.from({ length: GOLDEN_COUNT }, (_, index) => makeGoldenPatch(index, input.size));
  await writeFile(path, Buffer.concat(patches));
  const trial = { ...loaded, golden: { ...loaded.golden, expected: goldenOutputs } };
  await using child = new InferenceProcess(INFERENCE_DEFAULTS, [trial], QUIET);
  const [state] = await child.ready();
  assert.deepEqual([state?.provider, state?.fault], ['cpu', null]);
  const { logits } = await child.infer(
    { pack: loaded.key, path, count: GOLDEN_COUNT },
    { timeoutMs: 20_000 },
  );
  assert.equal(logits.length, GOLDEN_COUNT);
  for (const [index, logit] of logits.entries())
    assert.ok(Math.abs(logit - (goldenOutputs[index] ?? Number.NaN)) < 1e-4, `patch ${index}`);
});

test('other golden outputs than its own put it out of service', async () => {
  const { fault } = await report({});
  assert.match(fault ?? '', /^cpu: the golden outputs differ by/);
});
