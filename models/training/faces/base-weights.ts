/** Stage 2: writes the pretrained weights that the training of an Inception starts from: `base-weights.ts WORK`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readTfjsModel } from '../../../src/worker/convert/tfjs-files.ts';

const MODEL = join(import.meta.dirname, '../../../node_modules/nsfwjs/dist/models/inception_v3/model.min.js');

const topologySpec = z.looseObject({
  model_config: z.looseObject({
    config: z.looseObject({ layers: z.array(z.looseObject({ name: z.string() })) }),
  }),
});

const [work] = process.argv.slice(2);
if (work === undefined) throw new Error('expected the work folder');
const { topology, weights } = readTfjsModel(MODEL);

const index: [string, number[], number][] = [];
const parts: Float32Array[] = [];
let start = 0;
for (const [name, { dimensions, values }] of weights) {
  index.push([name, dimensions, start]);
  parts.push(values);
  start += values.length;
}
const { layers } = topologySpec.parse(topology).model_config.config;
writeFileSync(join(work, 'inception.json'), JSON.stringify({ layers, weights: index }));
writeFileSync(
  join(work, 'inception.bin'),
  Buffer.concat(
    parts.map((part) => Buffer.from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength))),
  ),
);
console.log(`${index.length} weights, ${start} values`);
