/**
 * Makes the model as the appliance will at its first start, and writes what it must be and answer.
 *
 * usage: node export.ts SHIPPED SIDE OUT
 * SHIPPED: shipped.json of the evaluation, with the head. Writes OUT: the model.json's `file`, `sha256` and golden logits.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { convertModel } from '../../../src/worker/convert/convert-model.ts';
import { makeGoldenPatch } from '../../../src/worker/inference/golden.ts';
import { BODY, toPlanes } from './body.ts';

const GOLDEN_COUNT = 4;
const NODE_MODULES = join(import.meta.dirname, '../../../node_modules');

const [shippedPath, sideText, outPath] = process.argv.slice(2);
if (shippedPath === undefined || sideText === undefined || outPath === undefined)
  throw new Error('usage: node export.ts SHIPPED SIDE OUT');
const side = Number(sideText);
const { head } = JSON.parse(await readFile(shippedPath, 'utf8'));
const { package: name, path, format, joined } = BODY;
const model = convertModel({
  ...{ modelPath: join(NODE_MODULES, name, path), format, joined, head },
  input: { name: 'pixels', dimensions: [3, side, side] },
  output: { name: 'logit', dimensions: [1] },
});
const session = await InferenceSession.create(model);
const expected: number[] = [];
for (let index = 0; index < GOLDEN_COUNT; index++) {
  const pixels = toPlanes(makeGoldenPatch(index, side), 1, side);
  const { logit } = await session.run({ pixels: new Tensor('float32', pixels, [1, 3, side, side]) });
  expected.push(Number(Number(logit?.data[0]).toFixed(6)));
}
const sha256 = createHash('sha256').update(model).digest('hex');
await writeFile(outPath, JSON.stringify({ file: { ...BODY, head }, sha256, expected }));
console.log(`${model.length} bytes, SHA-256 ${sha256}, golden logits ${expected.join(' ')}`);
