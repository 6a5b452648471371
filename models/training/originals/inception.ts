/** The pretrained Inception of nsfwjs as TensorFlow.js computes it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { z } from 'zod';
import { INCEPTION_PATH, type Maps } from '../../../test/worker/inception.ts';

const layerSpec = z.looseObject({ name: z.string(), config: z.looseObject({}) });
const modelSpec = z.looseObject({
  modelTopology: z.looseObject({
    model_config: z.looseObject({ config: z.looseObject({ layers: z.array(layerSpec) }) }),
  }),
  weightsManifest: z.tuple([
    z.looseObject({ paths: z.array(z.string()), weights: z.array(z.looseObject({})) }),
  ]),
});

/** Cut off above its layer and given a smaller picture: its own size takes a processor a minute. */
export async function loadInception({ layer, side }: Maps): Promise<tf.LayersModel> {
  const load = createRequire(INCEPTION_PATH);
  const { modelTopology, weightsManifest } = modelSpec.parse(load(INCEPTION_PATH));
  const [{ paths, weights }] = weightsManifest;
  const { config } = modelTopology.model_config;
  const last = config.layers.findIndex(({ name }) => name === layer);
  const layers = config.layers.slice(0, last + 1).map((found, index) => {
    const shape = { batch_input_shape: [null, side, side, 3] };
    return index === 0 ? { ...found, config: { ...found.config, ...shape } } : found;
  });
  const cut = { ...config, layers, output_layers: [[layer, 0, 0]] };
  const shards = paths.map((name) =>
    Buffer.from(load(join(dirname(INCEPTION_PATH), `${name}.min.js`)), 'base64'),
  );
  const artifacts = {
    modelTopology: { ...modelTopology, model_config: { ...modelTopology.model_config, config: cut } },
    weightSpecs: weights as unknown as tf.io.WeightsManifestEntry[],
    weightData: new Uint8Array(Buffer.concat(shards)).buffer,
  };
  // The weights of what was cut off have no place.
  return await tf.loadLayersModel({ load: async () => artifacts }, { strict: false });
}
