/** What was trained here on top of a model of others, written below it as ONNX. */
import type { PackHead, StandardisedHead } from '../../domain/pack-file.ts';
import type { GraphWriter } from './graph-writer.ts';

/**
 * One number per item, [items, 1]: a measure of each plane of `from`, weighed. Throws where `from` has another number
 * of planes than the head has weights: the runtime would say so only when it opens the model, and not which pack it is.
 */
export function writeHead(writer: GraphWriter, from: string, head: PackHead, to: string): string {
  const { weights, bias } = head;
  const planes = writer.planesOf(from);
  if (planes !== weights.length)
    throw new Error(`the head has ${weights.length} weights, ${from} has ${planes ?? 'no'} planes`);
  const { graph } = writer;
  const measured =
    'measure' in head ? writeStandardised(writer, from, head, to) : writeMeans(writer, from, to);
  const kernel = graph.addFloats(`${to}/weights`, [weights.length, 1], Float32Array.from(weights));
  return graph.add('Gemm', [measured, kernel, graph.addFloats(`${to}/bias`, [1], Float32Array.of(bias))], to);
}

function writeStandardised(writer: GraphWriter, from: string, head: StandardisedHead, to: string): string {
  const { graph } = writer;
  const { measure, centre, scale, clip } = head;
  const measured =
    measure === 'mean' ? writeMeans(writer, from, to) : writeDeviations(writer, from, head.varianceMin, to);
  const centres = graph.addFloats(`${to}/centre`, [centre.length], Float32Array.from(centre));
  const scales = graph.addFloats(`${to}/scale`, [scale.length], Float32Array.from(scale));
  const centred = graph.add('Sub', [measured, centres], `${to}/centred`);
  const scaled = graph.add('Mul', [centred, scales], `${to}/scaled`);
  if (clip === undefined) return scaled;
  const bounds = [graph.addScalar(`${to}/low`, -clip), graph.addScalar(`${to}/high`, clip)];
  return graph.add('Clip', [scaled, ...bounds], `${to}/clipped`);
}

function writeMeans({ graph }: GraphWriter, from: string, to: string): string {
  return graph.add('Flatten', [graph.add('GlobalAveragePool', [from], `${to}/means`)], `${to}/flat`);
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
