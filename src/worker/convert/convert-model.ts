/** From a TensorFlow.js model to the bytes of an ONNX model: same weights, same figures, always the same bytes. */
import type { ConversionOrder } from '../inference-protocol.ts';
import { writeGraphModel } from './graph-model.ts';
import { GraphWriter } from './graph-writer.ts';
import { writeHead } from './head-writer.ts';
import { writeLayersModel } from './layers-model.ts';
import { readTfjsModel } from './tfjs-files.ts';

export function convertModel(order: Omit<ConversionOrder, 'target'>): Uint8Array {
  const { modelPath, format, joined, head, input, output } = order;
  const { topology, weights } = readTfjsModel(modelPath);
  const writer = new GraphWriter(weights);
  const wanted = joined.flat();
  const made =
    format === 'tfjs-layers'
      ? writeLayersModel(writer, topology, input.name, wanted)
      : writeGraphModel(writer, topology, input.name, wanted);
  const rows = joined.map((names) => names.map((name) => madeOf(made, name)));
  if (head === null) writer.join(rows, output.name);
  else writeHead(writer, rows.flat(), head, output.name);
  return writer.graph.toBytes('converted', input, output);
}

function madeOf(made: ReadonlyMap<string, string>, name: string): string {
  const output = made.get(name);
  if (output === undefined) throw new Error(`the model has no output named ${name}`);
  return output;
}
