/** Writes what the original models answer in TensorFlow.js, for the test of the ONNX files (README.md beside it). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { z } from 'zod';
import {
  FACE_ORIGIN_SIDE,
  FACE_SIDE,
  type GoldenName,
  goldenPath,
  makePixels,
  NSFW_SIDE,
  PICTURES,
} from '../../../test/worker/goldens.ts';
import { openGraph, openLayers } from './originals.ts';

const HEAD_PATH = join(import.meta.dirname, '../faces/head.json');
const NSFW_LAYER = 'dense_3';
const FACES_LAYERS = ['mixed2', 'mixed3'];
const FACE_OUTPUTS = ['Identity:0', 'Identity_2:0', 'Identity_1:0', 'Identity_3:0'];

const row = z.array(z.number());
const headFile = z.object({
  head: z.object({
    varianceMin: z.number(),
    centre: row,
    scale: row,
    weights: row,
    bias: z.number(),
    clip: z.number().optional(),
  }),
});

function write(
  name: GoldenName,
  answer: (pixels: tf.Tensor4D) => tf.Tensor,
  about: [number, number, number],
): void {
  const [side, low, high] = about;
  const values = Array.from({ length: PICTURES }, (_, index) => {
    const pixels = tf.tensor4d(makePixels(index, side, [low, high]), [1, side, side, 3]);
    return [...answer(pixels).dataSync()];
  }).flat();
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  writeFileSync(goldenPath(name), bytes);
  process.stdout.write(`${name}: ${values.length} numbers\n`);
}

/** Scores and boxes side by side, the anchors of the coarse grid below those of the fine one. */
function joinAnchors(outputs: tf.Tensor[]): tf.Tensor {
  const [score512, box512, score384, box384] = outputs as tf.Tensor3D[];
  if (!score512 || !box512 || !score384 || !box384) throw new Error('expected four outputs');
  return tf.concat([tf.concat([score512, box512], 2), tf.concat([score384, box384], 2)], 1);
}

/** The deviations of the planes of each layer, weighed: what models/training/faces fitted. */
function weigh(layers: tf.Tensor[]): tf.Tensor {
  const { head } = headFile.parse(JSON.parse(readFileSync(HEAD_PATH, 'utf8')));
  const deviations = tf.concat(
    layers.map((layer) => tf.moments(layer, [1, 2]).variance.add(head.varianceMin).sqrt()),
    1,
  );
  const scaled = deviations.sub(head.centre).mul(head.scale);
  const bounded = head.clip === undefined ? scaled : scaled.clipByValue(-head.clip, head.clip);
  return bounded.mul(head.weights).sum().add(head.bias);
}

const [unpacked] = process.argv.slice(2);
if (unpacked === undefined)
  throw new Error('usage: node write-goldens.ts FOLDER (the one that unpack.ts wrote)');
await tf.setBackend('cpu');
const nsfw = await openLayers(join(unpacked, 'nsfw'), [NSFW_LAYER], NSFW_SIDE);
write('nsfw', (pixels) => nsfw.predict(pixels) as tf.Tensor, [NSFW_SIDE, 0, 1]);
const faces = await openGraph(join(unpacked, 'face-detector'));
write('face-detector', (pixels) => joinAnchors(faces.execute(pixels, FACE_OUTPUTS) as tf.Tensor[]), [
  FACE_SIDE,
  -1,
  1,
]);
const inception = await openLayers(join(unpacked, 'inception'), FACES_LAYERS, FACE_ORIGIN_SIDE);
write('assay-faces', (pixels) => weigh(inception.predict(pixels) as tf.Tensor[]), [FACE_ORIGIN_SIDE, 0, 1]);
