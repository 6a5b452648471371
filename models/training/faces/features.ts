/**
 * What the body of the model sees in views: the means of its planes. The body is made from the npm package as the
 * appliance makes it, and run by the same runtime.
 *
 * usage: node features.ts SIDE VIEWS OUT
 * VIEWS: RGB bytes, SIDE × SIDE × 3 a view. Writes OUT: PLANES float32 a view.
 */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { convertModel } from '../../../src/worker/convert/convert-model.ts';
import { BODY, MAP_SIDE, PLANES, toPlanes } from './body.ts';

const BATCH = 16;
const NODE_MODULES = join(import.meta.dirname, '../../../node_modules');

async function openBody(side: number): Promise<InferenceSession> {
  const { package: name, path, format, joined } = BODY;
  const bytes = convertModel({
    ...{ modelPath: join(NODE_MODULES, name, path), format, joined, head: null },
    input: { name: 'pixels', dimensions: [3, side, side] },
    output: { name: 'planes', dimensions: [PLANES, MAP_SIDE, MAP_SIDE] },
  });
  return await InferenceSession.create(bytes, { intraOpNumThreads: 1, interOpNumThreads: 1 });
}

function toMeans(values: Float32Array, count: number): Float32Array {
  const area = MAP_SIDE * MAP_SIDE;
  return Float32Array.from({ length: count * PLANES }, (_, index) => {
    const plane = values.subarray(index * area, (index + 1) * area);
    return plane.reduce((sum, value) => sum + value, 0) / area;
  });
}

const [sideText, viewsPath, outPath] = process.argv.slice(2);
if (sideText === undefined || viewsPath === undefined || outPath === undefined)
  throw new Error('usage: node features.ts SIDE VIEWS OUT');
const side = Number(sideText);
const viewBytes = side * side * 3;
const count = (await stat(viewsPath)).size / viewBytes;
const session = await openBody(side);
await using input = await open(viewsPath, 'r');
await using output = await open(outPath, 'w');
for (let first = 0; first < count; first += BATCH) {
  const size = Math.min(BATCH, count - first);
  const bytes = Buffer.alloc(size * viewBytes);
  await input.read(bytes, 0, bytes.length, first * viewBytes);
  const pixels = new Tensor('float32', toPlanes(bytes, size, side), [size, 3, side, side]);
  const { planes } = await session.run({ pixels });
  if (!(planes?.data instanceof Float32Array)) throw new Error('expected an output named planes');
  await output.write(Buffer.from(toMeans(planes.data, size).buffer));
  if (first % (BATCH * 20) === 0) console.log(`${first} of ${count} views`);
}
