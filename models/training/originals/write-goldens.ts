/** Writes what the original models answer in TensorFlow.js, for the tests of our conversions (README.md beside it). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { load } from 'nsfwjs/core';
import { MobileNetV2Model } from 'nsfwjs/models/mobilenet_v2';
import { FACE_ORDER } from '../../../test/models/conversion-orders.ts';
import {
  FACE_SIDE,
  GOLDEN_VERSIONS_PATH,
  type GoldenName,
  goldenPath,
  ITEM_SIDE,
  ITEMS,
  MEANS,
  makeItem,
  makePixels,
  makeSteps,
  NSFW_SIDE,
  PICTURES,
} from '../../../test/worker/goldens.ts';
import { LAYERS, type Maps } from '../../../test/worker/inception.ts';
import { loadInception } from './inception.ts';

const INSTALLED = join(import.meta.dirname, '../../../node_modules');
const OWN = join(import.meta.dirname, 'node_modules');

function write(name: GoldenName, values: readonly number[]): void {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  writeFileSync(goldenPath(name), bytes);
  process.stdout.write(`${name}: ${values.length} numbers\n`);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

async function judgeNsfw(): Promise<number[]> {
  const original = await load('MobileNetV2', { size: NSFW_SIDE, modelDefinitions: [MobileNetV2Model] });
  const answers: number[] = [];
  for (const index of numbers(PICTURES)) {
    const pixels = makePixels(index, NSFW_SIDE, [0, 1]);
    // It divides by 255 itself.
    const picture = tf.tensor3d(pixels, [NSFW_SIDE, NSFW_SIDE, 3]).mul(255) as tf.Tensor3D;
    answers.push(...(await original.infer(picture).data()));
  }
  return answers;
}

async function findFaces(): Promise<number[]> {
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
  const answers: number[] = [];
  for (const index of numbers(PICTURES)) {
    const picture = tf.tensor4d(makePixels(index, FACE_SIDE, [-1, 1]), [1, FACE_SIDE, FACE_SIDE, 3]);
    const names = ['Identity:0', 'Identity_1:0', 'Identity_2:0', 'Identity_3:0'];
    const found = original.execute(picture, names) as tf.Tensor3D[];
    const [score512, score384, box512, box384] = found as [
      tf.Tensor3D,
      tf.Tensor3D,
      tf.Tensor3D,
      tf.Tensor3D,
    ];
    const joined = tf.concat([tf.concat([score512, box512], 2), tf.concat([score384, box384], 2)], 1);
    answers.push(...(await joined.data()));
  }
  return answers;
}

/** By item, plane, row and column. */
async function computeMaps(maps: Maps): Promise<number[]> {
  const original = await loadInception(maps);
  const answers: number[] = [];
  for (const index of numbers(ITEMS)) {
    const picture = tf
      .tensor3d(makeItem(index), [3, ITEM_SIDE, ITEM_SIDE])
      .transpose([1, 2, 0])
      .expandDims(0);
    answers.push(...(await (original.predict(picture) as tf.Tensor4D).transpose([0, 3, 1, 2]).data()));
  }
  return answers;
}

async function computeMeans(side: number, stride: number): Promise<number[]> {
  const rows = tf.tensor4d(makeSteps(side), [1, 3, side, side]).transpose([0, 2, 3, 1]) as tf.Tensor4D;
  return [...(await tf.avgPool(rows, 3, stride, 'same').transpose([0, 3, 1, 2]).data())];
}

function versionIn(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
}

await tf.setBackend('cpu');
write('nsfw', await judgeNsfw());
write('face-detector', await findFaces());
for (const maps of LAYERS) write(maps.layer, await computeMaps(maps));
for (const { side, stride, name } of MEANS) write(name, await computeMeans(side, stride));
const versions = {
  '@tensorflow/tfjs': versionIn(OWN, '@tensorflow/tfjs'),
  nsfwjs: versionIn(OWN, 'nsfwjs'),
  '@vladmandic/human': versionIn(INSTALLED, '@vladmandic/human'),
};
writeFileSync(GOLDEN_VERSIONS_PATH, `${JSON.stringify(versions, null, 2)}\n`);
