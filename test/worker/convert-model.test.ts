/** Converted models against what the originals answered in TensorFlow.js; the same input gives the same bytes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { convertModel } from '../../src/worker/convert/convert-model.ts';
import { FACE_ORDER, NSFW_ORDER } from '../models/conversion-orders.ts';
import {
  FACE_SIDE,
  GOLDEN_VERSIONS_PATH,
  type GoldenName,
  goldenVersionsSchema,
  makePixels,
  NSFW_SIDE,
  PICTURES,
  readGolden,
} from './goldens.ts';

const NODE_MODULES = join(import.meta.dirname, '../../node_modules');
/** Of 1, or of the value where it is larger: box sizes are hundreds of pixels. */
const DIFFERENCE_MAX = 1e-3;

function toPlanes(pixels: Float32Array, side: number): Float32Array {
  const area = side * side;
  return Float32Array.from(pixels, (_, at) => pixels[(at % area) * 3 + Math.floor(at / area)] ?? Number.NaN);
}

function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length);
  const worst = Array.from(expected, (value, index) => {
    const difference = Math.abs(value - (actual[index] ?? Number.NaN));
    return difference / Math.max(1, Math.abs(value));
  });
  assert.ok(Math.max(...worst) <= DIFFERENCE_MAX, `they differ by ${Math.max(...worst)}`);
}

async function runOnnx(model: Uint8Array, inputs: Float32Array[], side: number): Promise<Float32Array[]> {
  const session = await InferenceSession.create(model);
  const batch = new Float32Array(inputs.length * 3 * side * side);
  for (const [index, pixels] of inputs.entries()) batch.set(toPlanes(pixels, side), index * 3 * side * side);
  const [inputName = '', outputName = ''] = [session.inputNames[0], session.outputNames[0]];
  const outputs = await session.run({
    [inputName]: new Tensor('float32', batch, [inputs.length, 3, side, side]),
  });
  const data = outputs[outputName]?.data;
  assert.ok(data instanceof Float32Array);
  const length = data.length / inputs.length;
  return inputs.map((_, index) => data.slice(index * length, (index + 1) * length));
}

async function assertAsOriginal(
  model: Uint8Array,
  name: GoldenName,
  side: number,
  bounds: [number, number],
): Promise<void> {
  const inputs = Array.from({ length: PICTURES }, (_, index) => makePixels(index, side, bounds));
  const expected = readGolden(name);
  const length = expected.length / PICTURES;
  for (const [index, actual] of (await runOnnx(model, inputs, side)).entries())
    assertNear(actual, expected.subarray(index * length, (index + 1) * length));
}

test('the NSFW model answers as nsfwjs does, several pictures in a batch', async () => {
  await assertAsOriginal(convertModel(NSFW_ORDER), 'nsfw', NSFW_SIDE, [0, 1]);
});

test('the face detector answers as the original graph does', async () => {
  await assertAsOriginal(convertModel(FACE_ORDER), 'face-detector', FACE_SIDE, [-1, 1]);
});

test('the kept answers are of the weights that are installed', () => {
  const { nsfwjs, '@vladmandic/human': human } = goldenVersionsSchema.parse(
    JSON.parse(readFileSync(GOLDEN_VERSIONS_PATH, 'utf8')),
  );
  const installed = (name: string) =>
    JSON.parse(readFileSync(join(NODE_MODULES, name, 'package.json'), 'utf8')).version;
  assert.deepEqual([nsfwjs, human], [installed('nsfwjs'), installed('@vladmandic/human')]);
});

test('a conversion gives the same bytes each time', () => {
  const hashes = [1, 2].map(() => createHash('sha256').update(convertModel(FACE_ORDER)).digest('hex'));
  assert.equal(hashes[0], hashes[1]);
});

test('what cannot be converted is refused by name', () => {
  const unknown = { ...FACE_ORDER, joined: [['No_such_output']] };
  assert.throws(() => convertModel(unknown), /the graph has no operation named No_such_output/);
  const asLayers = { ...FACE_ORDER, format: 'tfjs-layers' as const };
  assert.throws(() => convertModel(asLayers), /model_config/);
});
