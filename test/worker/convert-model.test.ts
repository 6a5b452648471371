/** Converted models against the originals in TensorFlow.js, and the rule that the same input gives the same bytes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import * as tf from '@tensorflow/tfjs';
import { load } from 'nsfwjs/core';
import { MobileNetV2Model } from 'nsfwjs/models/mobilenet_v2';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { convertModel } from '../../src/worker/convert/convert-model.ts';
import { FACE_ORDER, NSFW_ORDER } from '../conversion-orders.ts';

/** Of 1, or of the value where it is larger: box sizes are hundreds of pixels. */
const DIFFERENCE_MAX = 1e-3;
const INPUTS = 3;

before(async () => {
  await tf.setBackend('cpu');
});

/** Rows of pixels with a texture, values between the bounds. */
function makePixels(index: number, side: number, [low, high]: [number, number]): Float32Array {
  return Float32Array.from({ length: side * side * 3 }, (_, at) => {
    const x = Math.floor(at / 3) % side;
    const y = Math.floor(at / 3 / side);
    const wave =
      Math.sin(x / (9 + 7 * index)) * Math.cos(y / (13 + 3 * index)) + Math.sin(at * (index + 1)) / 3;
    return low + (high - low) * Math.min(1, Math.max(0, 0.5 + wave / 2));
  });
}

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

test('the NSFW model answers as nsfwjs does, several pictures in a batch', async () => {
  const original = await load('MobileNetV2', { size: 224, modelDefinitions: [MobileNetV2Model] });
  const inputs = Array.from({ length: INPUTS }, (_, index) => makePixels(index, 224, [0, 1]));
  const actual = await runOnnx(convertModel(NSFW_ORDER), inputs, 224);
  for (const [index, pixels] of inputs.entries()) {
    // It divides by 255 itself.
    const picture = tf.tensor3d(pixels, [224, 224, 3]).mul(255) as tf.Tensor3D;
    assertNear(actual[index] ?? [], await original.infer(picture).data());
  }
});

test('the face detector answers as the original graph does', async () => {
  const content = JSON.parse(readFileSync(FACE_ORDER.modelPath, 'utf8'));
  const weights = readFileSync(join(FACE_ORDER.modelPath, '..', 'blazeface.bin'));
  const original = await tf.loadGraphModel({
    load: async () => ({
      modelTopology: content.modelTopology,
      signature: content.userDefinedMetadata.signature,
      weightSpecs: content.weightsManifest.flatMap((group: { weights: object[] }) => group.weights),
      weightData: new Uint8Array(weights).buffer,
    }),
  });
  const inputs = Array.from({ length: INPUTS }, (_, index) => makePixels(index, 256, [-1, 1]));
  const actual = await runOnnx(convertModel(FACE_ORDER), inputs, 256);
  for (const [index, pixels] of inputs.entries()) {
    const picture = tf.tensor4d(pixels, [1, 256, 256, 3]);
    const names = ['Identity:0', 'Identity_1:0', 'Identity_2:0', 'Identity_3:0'];
    const [score512, score384, box512, box384] = original.execute(picture, names) as tf.Tensor3D[];
    assert.ok(score512 && score384 && box512 && box384);
    const joined = tf.concat([tf.concat([score512, box512], 2), tf.concat([score384, box384], 2)], 1);
    assertNear(actual[index] ?? [], await joined.data());
  }
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
