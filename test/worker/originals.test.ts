/** The models of others that come with Assay against what the originals answered in TensorFlow.js. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { FACE_ORIGIN_PACK, FACE_PACK, modelPathOf, NSFW_PACK } from '../models/shipped-packs.ts';
import {
  FACE_ORIGIN_SIDE,
  FACE_SIDE,
  type GoldenName,
  makePixels,
  NSFW_SIDE,
  PICTURES,
  readGolden,
} from './goldens.ts';

/** Relative to 1, or to the value if it is larger: box sizes are hundreds of pixels. */
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

async function runOnnx(model: string, inputs: Float32Array[], side: number): Promise<Float32Array[]> {
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
  model: string,
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
  await assertAsOriginal(modelPathOf(NSFW_PACK), 'nsfw', NSFW_SIDE, [0, 1]);
});

test('the face detector answers as the original graph does', async () => {
  await assertAsOriginal(modelPathOf(FACE_PACK), 'face-detector', FACE_SIDE, [-1, 1]);
});

test('the face model answers as its layers in TensorFlow.js with the head below them', async () => {
  await assertAsOriginal(modelPathOf(FACE_ORIGIN_PACK), 'assay-faces', FACE_ORIGIN_SIDE, [0, 1]);
});
