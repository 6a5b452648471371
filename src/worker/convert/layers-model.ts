/** A Keras model, as TensorFlow.js calls it: layers in order, each naming those before it. */
import { z } from 'zod';
import { ACTIVATIONS, type GraphWriter } from './graph-writer.ts';

const pair = z.tuple([z.int(), z.int()]);
const padding = z.enum(['same', 'valid']);
const channelsLast = z.literal('channels_last');
const activation = z.enum(ACTIVATIONS);
const undilated = z.tuple([z.literal(1), z.literal(1)]);

const convolution = z.looseObject({
  strides: pair,
  padding,
  data_format: channelsLast,
  dilation_rate: undilated,
  activation,
  use_bias: z.boolean(),
});
const pooling = z.looseObject({ pool_size: pair, strides: pair, padding, data_format: channelsLast });
const zeroPadding = z.looseObject({ padding: z.tuple([pair, pair]), data_format: channelsLast });
const normalisation = z.looseObject({
  axis: z.union([z.literal(-1), z.literal(3)]),
  epsilon: z.number(),
  center: z.literal(true),
  scale: z.boolean(),
});
const concatenation = z.looseObject({ axis: z.union([z.literal(-1), z.literal(3)]) });
const ending = z.looseObject({ activation });
const relu = z.looseObject({
  max_value: z.literal(6),
  negative_slope: z.literal(0).optional(),
  threshold: z.literal(0).optional(),
});
const dense = z.looseObject({ units: z.int(), activation, use_bias: z.literal(true) });
const flatten = z.looseObject({ data_format: channelsLast });

const layer = z.looseObject({
  name: z.string(),
  class_name: z.string(),
  config: z.looseObject({}),
  inbound_nodes: z
    .array(z.array(z.tuple([z.string(), z.literal(0), z.literal(0), z.looseObject({})])))
    .max(1),
});
type Layer = z.infer<typeof layer>;

const topologySchema = z.looseObject({
  model_config: z.looseObject({ config: z.looseObject({ layers: z.array(layer) }) }),
});

type LayerWriter = (writer: GraphWriter, layer: Layer, from: string[]) => string;

const LAYER_WRITERS: Readonly<Record<string, LayerWriter>> = {
  ZeroPadding2D: (writer, { name, config }, from) => {
    const [rows, columns] = zeroPadding.parse(config).padding;
    return writer.pad(only(from, name), [[0, 0], rows, columns, [0, 0]], name);
  },
  Conv2D: (writer, { name, config }, from) => {
    const { use_bias, activation: end, ...window } = convolution.parse(config);
    const bias = use_bias ? `${name}/bias` : null;
    const given = { kernel: `${name}/kernel`, bias, window, to: `${name}/sum` };
    return writer.activate(writer.convolve(only(from, name), given), end, name);
  },
  DepthwiseConv2D: (writer, { name, config }, from) => {
    const { use_bias, activation: end, ...window } = convolution.parse(config);
    const bias = use_bias ? `${name}/bias` : null;
    const given = { kernel: `${name}/depthwise_kernel`, bias, window, to: `${name}/sum` };
    return writer.activate(writer.convolveDepthwise(only(from, name), given), end, name);
  },
  BatchNormalization: (writer, { name, config }, from) => {
    const { epsilon, scale } = normalisation.parse(config);
    return writer.normalise(only(from, name), {
      gamma: scale ? `${name}/gamma` : null,
      beta: `${name}/beta`,
      ...{ mean: `${name}/moving_mean`, variance: `${name}/moving_variance` },
      ...{ epsilon, to: name },
    });
  },
  Activation: (writer, { name, config }, from) =>
    writer.activate(only(from, name), ending.parse(config).activation, name),
  ReLU: (writer, { name, config }, from) => {
    relu.parse(config);
    return writer.activate(only(from, name), 'relu6', name);
  },
  Add: (writer, { name }, from) => writer.add(from, name),
  Concatenate: (writer, { name, config }, from) => {
    concatenation.parse(config);
    return writer.stack(from, name);
  },
  AveragePooling2D: (writer, { name, config }, from) => {
    const { pool_size: size, ...window } = pooling.parse(config);
    return writer.pool('AveragePool', only(from, name), { size, window, to: name });
  },
  MaxPooling2D: (writer, { name, config }, from) => {
    const { pool_size: size, ...window } = pooling.parse(config);
    return writer.pool('MaxPool', only(from, name), { size, window, to: name });
  },
  Flatten: (writer, { name, config }, from) => {
    flatten.parse(config);
    return writer.reshape(only(from, name), [-1], name);
  },
  Dense: (writer, { name, config }, from) => {
    const given = { kernel: `${name}/kernel`, bias: `${name}/bias`, to: `${name}/sum` };
    return writer.activate(writer.dense(only(from, name), given), dense.parse(config).activation, name);
  },
  // Only training drops anything.
  Dropout: (_writer, { name }, from) => only(from, name),
};

/** Writes the layers that the wanted ones need; returns what name each layer's output has in the graph. */
export function writeLayersModel(
  writer: GraphWriter,
  topology: unknown,
  input: string,
  wanted: readonly string[],
): ReadonlyMap<string, string> {
  const { layers } = topologySchema.parse(topology).model_config.config;
  const needed = neededFor(wanted, layers);
  const outputs = new Map<string, string>();
  for (const found of layers) {
    const { name, class_name: className, inbound_nodes: [inbound = []] = [] } = found;
    if (!needed.has(name)) continue;
    if (className === 'InputLayer') {
      outputs.set(name, writer.input(input));
      continue;
    }
    const write = LAYER_WRITERS[className];
    if (write === undefined) throw new Error(`${name}: a layer of the kind ${className} is not converted`);
    const from = inbound.map(([source]) => outputOf(outputs, source));
    outputs.set(name, write(writer, found, from));
  }
  return outputs;
}

/** Every layer comes after those it names. */
function neededFor(wanted: readonly string[], layers: readonly Layer[]): ReadonlySet<string> {
  const needed = new Set(wanted);
  for (const { name, inbound_nodes: [inbound = []] = [] } of layers.toReversed()) {
    if (needed.has(name)) for (const [source] of inbound) needed.add(source);
  }
  return needed;
}

function outputOf(outputs: ReadonlyMap<string, string>, name: string): string {
  const output = outputs.get(name);
  if (output === undefined) throw new Error(`the layer ${name} is used before it is made`);
  return output;
}

function only([first, ...others]: string[], name: string): string {
  if (first === undefined || others.length > 0) throw new Error(`${name}: one input is expected`);
  return first;
}
