/**
 * Makes the model of a pack as the appliance will at its first start: the pretrained Inception v3 of an npm package up
 * to some layers, with a head below them that was trained here; and writes what that model must be and answer.
 *
 * usage: node convert-head.ts HEAD_JSON LAYERS SIDE OUT
 * HEAD_JSON holds the head (`file.head` of a pack), LAYERS its layers (mixed0 or mixed2,mixed3), SIDE the side of its view in pixels.
 * Writes OUT, a .json file: the pack's `file` and `sha256`, and `expected`, the golden logits; and beside it the model,
 * named .onnx. The graph takes pixels in 0..1, so that a pack made so has `input.mean` 0 and `input.std` 1.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { headedFile } from '../../../src/domain/packs/pack-file.ts';
import { convertModel } from '../../../src/worker/convert/convert-model.ts';
import { makeGoldenPatch } from '../../../src/worker/inference/golden.ts';
import { makeTables, writePlanes } from '../../../src/worker/inference/tensor-layout.ts';

const GOLDEN_COUNT = 4;
const NODE_MODULES = join(import.meta.dirname, '../../../node_modules');
const BODY = {
  package: 'nsfwjs',
  path: 'dist/models/inception_v3/model.min.js',
  format: 'tfjs-layers',
};

const [headPath, layers, sideText, outPath] = process.argv.slice(2);
const side = Number(sideText);
if (!headPath || !layers || !Number.isInteger(side) || !outPath?.endsWith('.json'))
  throw new Error('usage: node convert-head.ts HEAD_JSON LAYERS SIDE OUT.json');
const head: unknown = JSON.parse(readFileSync(headPath, 'utf8'));
const file = headedFile.parse({ ...BODY, joined: [layers.split(',')], head });

const model = convertModel({
  ...{ modelPath: join(NODE_MODULES, file.package, file.path), format: file.format },
  ...{ joined: file.joined, head: file.head },
  input: { name: 'pixels', dimensions: [3, side, side] },
  output: { name: 'logit', dimensions: [1] },
});
const session = await InferenceSession.create(model);
const tables = makeTables({ mean: [0, 0, 0], std: [1, 1, 1] });
const expected: number[] = [];
for (let index = 0; index < GOLDEN_COUNT; index++) {
  const pixels = new Float32Array(3 * side * side);
  writePlanes(makeGoldenPatch(index, side), tables, side, pixels, 0);
  const { logit } = await session.run({ pixels: new Tensor('float32', pixels, [1, 3, side, side]) });
  expected.push(Number(Number(logit?.data[0]).toFixed(6)));
}
const sha256 = createHash('sha256').update(model).digest('hex');
writeFileSync(outPath.replace(/json$/, 'onnx'), model);
writeFileSync(outPath, `${JSON.stringify({ file, sha256, expected }, null, 2)}\n`);
console.log(`${model.length} bytes, SHA-256 ${sha256}, golden logits ${expected.join(' ')}`);
