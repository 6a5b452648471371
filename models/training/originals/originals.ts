/** The unpacked models as TensorFlow.js computes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { z } from 'zod';

const layerSpec = z.looseObject({ name: z.string(), config: z.looseObject({}) });
const modelFile = z.looseObject({
  modelTopology: z.looseObject({}),
  weightsManifest: z.array(
    z.looseObject({ paths: z.array(z.string()), weights: z.array(z.looseObject({})) }),
  ),
});
const layersTopology = z.looseObject({
  model_config: z.looseObject({ config: z.looseObject({ layers: z.array(layerSpec) }) }),
});

function read(folder: string): {
  topology: object;
  artifacts: Pick<tf.io.ModelArtifacts, 'weightSpecs' | 'weightData'>;
} {
  const { modelTopology, weightsManifest } = modelFile.parse(
    JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')),
  );
  const shards = weightsManifest.flatMap(({ paths }) =>
    paths.map((name) => readFileSync(join(folder, name))),
  );
  const weightSpecs = weightsManifest.flatMap(
    ({ weights }) => weights,
  ) as unknown as tf.io.WeightsManifestEntry[];
  const weightData = new Uint8Array(Buffer.concat(shards)).buffer;
  return { topology: modelTopology, artifacts: { weightSpecs, weightData } };
}

export async function openGraph(folder: string): Promise<tf.GraphModel> {
  const { topology, artifacts } = read(folder);
  return await tf.loadGraphModel({ load: async () => ({ modelTopology: topology, ...artifacts }) });
}

/** A Keras model for pictures of that side, cut off behind the named layers: its own size takes a processor a minute. */
export async function openLayers(
  folder: string,
  names: readonly string[],
  side: number,
): Promise<tf.LayersModel> {
  const { topology, artifacts } = read(folder);
  const { model_config: model, ...rest } = layersTopology.parse(topology);
  const { config } = model;
  const last = Math.max(...names.map((name) => config.layers.findIndex((layer) => layer.name === name)));
  const layers = config.layers.slice(0, last + 1).map((found, index) => {
    const shape = { batch_input_shape: [null, side, side, 3] };
    return index === 0 ? { ...found, config: { ...found.config, ...shape } } : found;
  });
  const cut = { ...config, layers, output_layers: names.map((name) => [name, 0, 0]) };
  const modelTopology = { ...rest, model_config: { ...model, config: cut } };
  // The weights of what was cut off belong to no layer.
  return await tf.loadLayersModel({ load: async () => ({ modelTopology, ...artifacts }) }, { strict: false });
}
