/**
 * The shipped models in the appliance answer as the training code does: golden inputs, and media made by rule that are
 * placed, cut and laid out by the appliance's own steps. `parity.json` beside a model holds what training says of them.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ModelPack } from '../../src/domain/packs/model-pack.ts';
import type { SampleRange } from '../../src/domain/verdicts/speech.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../src/engine/inference/inference-process.ts';
import { findPacks, type InstalledPack, toLoadedPack } from '../../src/engine/packs/installed-packs.ts';
import { writePatchSet } from '../../src/worker/steps/patches.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { layMadeModels } from './made-models.ts';

const MODELS = join(import.meta.dirname, '../../models');
const TIMEOUT = { timeoutMs: 60_000 };
const PARITY_PACKS = ['assay-transformer', 'assay-speech-encoder', 'assay-speech-statistics'];
const data = await makeTemporaryFolder();
after(async () => await data[Symbol.asyncDispose]());
await layMadeModels(data.path);
const { installed } = await findPacks([MODELS], { dataFolder: data.path });

interface ParityPicture {
  width: number;
  height: number;
  positions: [x: number, y: number][];
  logits: number[];
}

interface Parity {
  pictures?: ParityPicture[];
  sound?: { sampleCount: number; ranges: SampleRange[]; logits: number[] };
}

/** The rule of models/training/parity.py. */
function makePicture(width: number, height: number): Buffer {
  const rgb = Buffer.alloc(width * height * 3);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        const value = (x * x * 3 + y * 7 + ((x * y) % 37) * 5 + channel * 41) % 256;
        rgb[at++] = Math.floor((value * (height - y)) / height);
      }
    }
  }
  return rgb;
}

/** The rule of models/training/speech/parity.py. */
function makeSound(sampleCount: number): Float32Array {
  return Float32Array.from({ length: sampleCount }, (_, time) =>
    time >= 30_000 && time < 34_000 ? 0 : (((time * time) % 1009) * 13 + (time % 97) * 101 - 11_000) / 32_768,
  );
}

function startModel(found: InstalledPack) {
  const quiet = { childReady: () => {}, childLost: () => {}, childSaid: () => {} };
  const model = new InferenceProcess(INFERENCE_DEFAULTS, [toLoadedPack(found)], quiet);
  return { model, [Symbol.asyncDispose]: async () => await model[Symbol.asyncDispose]() };
}

function assertNear(found: ArrayLike<number>, { golden }: ModelPack, expected: readonly number[]): void {
  assert.equal(found.length, expected.length);
  const difference = Math.max(...expected.map((value, at) => Math.abs((found[at] ?? Number.NaN) - value)));
  assert.ok(difference <= golden.tolerance, `the logits differ by ${difference}`);
}

async function comparePicture(
  model: InferenceProcess,
  { pack }: InstalledPack,
  picture: ParityPicture,
): Promise<void> {
  assert.ok('view' in pack && pack.view.type === 'patches');
  const { width, height, positions, logits } = picture;
  await using folder = await makeTemporaryFolder();
  const rgb = makePicture(width, height);
  const set = await writePatchSet(
    { width, height, rgb },
    { name: 'set', variant: 'original', layout: pack.view },
    folder.path,
  );
  assert.ok(set !== null);
  assert.deepEqual(
    set.positions.map(({ x, y }) => [x, y]),
    positions,
  );
  const work = {
    pack: `${pack.id}@${pack.version}`,
    path: join(folder.path, set.file),
    count: positions.length,
  };
  assertNear((await model.infer(work, TIMEOUT)).logits, pack, logits);
}

async function compareSound(
  model: InferenceProcess,
  { pack }: InstalledPack,
  { sampleCount, ranges, logits }: NonNullable<Parity['sound']>,
): Promise<void> {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'sound.f32');
  await writeFile(path, makeSound(sampleCount));
  const windows = { sampleCount, ranges };
  const work = { pack: `${pack.id}@${pack.version}`, path, count: ranges.length, windows };
  assertNear((await model.infer(work, TIMEOUT)).logits, pack, logits);
}

for (const id of PARITY_PACKS) {
  test(`${id} answers as in training`, async () => {
    const found = installed.find(({ pack }) => pack.id === id);
    assert.ok(found !== undefined, `${id} is not whole`);
    const file = join(MODELS, id, 'parity.json');
    assert.ok(existsSync(file), `${file} is missing: models/training makes it`);
    const { pictures = [], sound } = JSON.parse(readFileSync(file, 'utf8')) as Parity;
    assert.ok(pictures.length > 0 || sound !== undefined);
    await using started = startModel(found);
    const [report] = await started.model.ready();
    assert.deepEqual([report?.provider, report?.fault], ['cpu', null]);
    for (const picture of pictures) await comparePicture(started.model, found, picture);
    if (sound !== undefined) await compareSound(started.model, found, sound);
  });
}
