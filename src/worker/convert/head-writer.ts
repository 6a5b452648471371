/** What was trained here on top of a model of others, written below it as ONNX. */
import type { PackHead } from '../../domain/packs/pack-file.ts';
import type { GraphWriter } from './graph-writer.ts';

/**
 * One number per item, [items, 1]: the deviations of the planes of every layer, one layer after the other, weighed.
 * Throws where the layers have another number of planes than the head has weights: the runtime would say so only when
 * it opens the model, and not which pack it is.
 */
export function writeHead(
  writer: GraphWriter,
  layers: readonly string[],
  head: PackHead,
  to: string,
): string {
  const { weights, bias, centre, scale, clip } = head;
  const planes = layers.reduce((sum, layer) => sum + (writer.planesOf(layer) ?? Number.NaN), 0);
  if (planes !== weights.length)
    throw new Error(`the head has ${weights.length} weights, ${layers.join(' and ')} have ${planes} planes`);
  const { graph } = writer;
  const parts = layers.map((layer) => writeDeviations(writer, layer, head.varianceMin, `${to}/${layer}`));
  const [only = ''] = parts;
  const measured =
    parts.length === 1 ? only : graph.add('Concat', parts, `${to}/deviations`, { axis: { int: 1 } });
  const centres = graph.addFloats(`${to}/centre`, [centre.length], Float32Array.from(centre));
  const scales = graph.addFloats(`${to}/scale`, [scale.length], Float32Array.from(scale));
  const centred = graph.add('Sub', [measured, centres], `${to}/centred`);
  const scaled = graph.add('Mul', [centred, scales], `${to}/scaled`);
  const held = clip === undefined ? scaled : writeClip(writer, scaled, clip, to);
  const kernel = graph.addFloats(`${to}/weights`, [weights.length, 1], Float32Array.from(weights));
  return graph.add('Gemm', [held, kernel, graph.addFloats(`${to}/bias`, [1], Float32Array.of(bias))], to);
}

function writeClip({ graph }: GraphWriter, from: string, clip: number, to: string): string {
  const bounds = [graph.addScalar(`${to}/low`, -clip), graph.addScalar(`${to}/high`, clip)];
  return graph.add('Clip', [from, ...bounds], `${to}/clipped`);
}

/** Of the whole plane, not of a sample. The mean is taken off first: a difference of squares loses what is small. */
function writeDeviations({ graph }: GraphWriter, from: string, varianceMin: number, to: string): string {
  const means = graph.add('GlobalAveragePool', [from], `${to}/means`);
  const apart = graph.add('Sub', [from, means], `${to}/apart`);
  const squares = graph.add('Mul', [apart, apart], `${to}/squares`);
  const variances = graph.add('GlobalAveragePool', [squares], `${to}/variances`);
  const flat = graph.add('Flatten', [variances], `${to}/flat`);
  const raised = graph.add('Add', [flat, graph.addScalar(`${to}/variance-min`, varianceMin)], `${to}/raised`);
  return graph.add('Sqrt', [raised], `${to}/deviations`);
}
