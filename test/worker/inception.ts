/** The pretrained Inception of nsfwjs up to a layer: as TensorFlow.js computes it, and the order that converts it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { z } from 'zod';
import type { PackHead } from '../../src/domain/pack-file.ts';
import type { ConversionOrder } from '../../src/worker/inference-protocol.ts';

export const INCEPTION_FILE = {
  package: 'nsfwjs',
  path: 'dist/models/inception_v3/model.min.js',
  format: 'tfjs-layers' as const,
};
const NODE_MODULES = join(import.meta.dirname, '../../node_modules');
const MODEL_PATH = join(NODE_MODULES, INCEPTION_FILE.package, INCEPTION_FILE.path);

export interface Maps {
  layer: string;
  planes: number;
  /** Of the maps; `side` is that of the picture. */
  mapSide: number;
  side: number;
}

/** With a head one number comes out, else the maps. */
export function inceptionOrder(
  { layer, planes, mapSide, side }: Maps,
  head: PackHead | null,
  others: readonly string[] = [],
): ConversionOrder {
  return {
    ...{ modelPath: MODEL_PATH, format: INCEPTION_FILE.format, joined: [[layer, ...others]], head },
    input: { name: 'pixels', dimensions: [3, side, side] },
    output: { name: 'out', dimensions: head === null ? [planes, mapSide, mapSide] : [1] },
    target: 'not written',
  };
}

const layerSpec = z.looseObject({ name: z.string(), config: z.looseObject({}) });
const modelSpec = z.looseObject({
  modelTopology: z.looseObject({
    model_config: z.looseObject({ config: z.looseObject({ layers: z.array(layerSpec) }) }),
  }),
  weightsManifest: z.tuple([
    z.looseObject({ paths: z.array(z.string()), weights: z.array(z.looseObject({})) }),
  ]),
});

/** The original, cut off above its layer and given a smaller picture: its own size takes a processor a minute. */
export async function loadOriginal({ layer, side }: Pick<Maps, 'layer' | 'side'>): Promise<tf.LayersModel> {
  const load = createRequire(MODEL_PATH);
  const { modelTopology, weightsManifest } = modelSpec.parse(load(MODEL_PATH));
  const [{ paths, weights }] = weightsManifest;
  const { config } = modelTopology.model_config;
  const last = config.layers.findIndex(({ name }) => name === layer);
  const layers = config.layers.slice(0, last + 1).map((found, index) => {
    const shape = { batch_input_shape: [null, side, side, 3] };
    return index === 0 ? { ...found, config: { ...found.config, ...shape } } : found;
  });
  const cut = { ...config, layers, output_layers: [[layer, 0, 0]] };
  const shards = paths.map((name) =>
    Buffer.from(load(join(dirname(MODEL_PATH), `${name}.min.js`)), 'base64'),
  );
  const artifacts = {
    modelTopology: { ...modelTopology, model_config: { ...modelTopology.model_config, config: cut } },
    weightSpecs: weights as unknown as tf.io.WeightsManifestEntry[],
    weightData: new Uint8Array(Buffer.concat(shards)).buffer,
  };
  // The weights of what was cut off have no place.
  return await tf.loadLayersModel({ load: async () => artifacts }, { strict: false });
}
