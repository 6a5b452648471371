/** A TensorFlow graph, as TensorFlow.js calls it: operations that name their inputs, in any order. */
import { z } from 'zod';
import type { GraphWriter, Window } from './graph-writer.ts';

const whole = z.union([z.string(), z.number()]).transform(Number);
const attribute = z.looseObject({
  s: z.string().optional(),
  list: z.looseObject({ i: z.array(whole).optional(), s: z.array(z.string()).optional() }).optional(),
});
const node = z.looseObject({
  name: z.string(),
  op: z.string(),
  input: z.array(z.string()).optional(),
  attr: z.record(z.string(), attribute).optional(),
});
type Node = z.infer<typeof node>;

const topologySchema = z.looseObject({ node: z.array(node) });

type NodeWriter = (writer: GraphWriter, node: Node, from: readonly string[]) => string;

const NODE_WRITERS: Readonly<Record<string, NodeWriter>> = {
  _FusedConv2D: (writer, found, [from = '', kernel = '', bias = '']) => {
    const [add, end, ...others] = textsOf(found, 'fused_ops');
    if (add !== 'BiasAdd' || (end !== undefined && end !== 'Relu') || others.length > 0)
      throw new Error(`${found.name}: these fused operations are not converted`);
    const given = { kernel, bias, window: windowOf(found), to: `${found.name}/sum` };
    return writer.activate(writer.convolve(from, given), end === 'Relu' ? 'relu' : 'linear', found.name);
  },
  Conv2D: (writer, found, [from = '', kernel = '']) =>
    writer.convolve(from, { kernel, bias: null, window: windowOf(found), to: found.name }),
  DepthwiseConv2dNative: (writer, found, [from = '', kernel = '']) =>
    writer.convolveDepthwise(from, { kernel, bias: null, window: windowOf(found), to: found.name }),
  AddV2: (writer, { name }, from) => writer.add(from, name),
  Add: (writer, { name }, [from = '', constant = '']) => writer.combine('Add', from, constant, name),
  Mul: (writer, { name }, [from = '', constant = '']) => writer.combine('Mul', from, constant, name),
  Minimum: (writer, { name }, [from = '', constant = '']) => writer.combine('Min', from, constant, name),
  Maximum: (writer, { name }, [from = '', constant = '']) => writer.combine('Max', from, constant, name),
  Relu: (writer, { name }, [from = '']) => writer.activate(from, 'relu', name),
  MaxPool: (writer, found, [from = '']) => {
    const size = pairOf(found, 'ksize');
    return writer.pool('MaxPool', from, { size, window: windowOf(found), to: found.name });
  },
  Pad: (writer, { name }, [from = '', amounts = '']) => {
    const values = [...writer.weight(amounts).values];
    const pairs = [0, 2, 4, 6].map((at): [number, number] => [values[at] ?? 0, values[at + 1] ?? 0]);
    return writer.pad(from, pairs, name);
  },
  Reshape: (writer, { name }, [from = '', shape = '']) => {
    const [batch, ...dimensions] = writer.weight(shape).values;
    if (batch !== 1 && batch !== -1) throw new Error(`${name}: it mixes the items of a batch`);
    return writer.reshape(from, dimensions, name);
  },
  Identity: (_writer, _found, [from = '']) => from,
};

/** Writes what the wanted outputs need; returns what name each operation's output has in the graph. */
export function writeGraphModel(
  writer: GraphWriter,
  topology: unknown,
  input: string,
  wanted: readonly string[],
): ReadonlyMap<string, string> {
  const nodes = new Map(topologySchema.parse(topology).node.map((found) => [found.name, found]));
  const outputs = new Map<string, string>();
  const visit = (name: string): string => {
    const known = outputs.get(name);
    if (known !== undefined) return known;
    const found = nodes.get(name);
    if (found === undefined) throw new Error(`the graph has no operation named ${name}`);
    const output = writeNode(writer, found, input, visit);
    outputs.set(name, output);
    return output;
  };
  for (const name of wanted) visit(name);
  return outputs;
}

function writeNode(writer: GraphWriter, found: Node, input: string, visit: (name: string) => string): string {
  if (found.op === 'Placeholder') return writer.input(input);
  // Its numbers are weights, known by the same name.
  if (found.op === 'Const') return found.name;
  const write = NODE_WRITERS[found.op];
  if (write === undefined)
    throw new Error(`${found.name}: an operation of the kind ${found.op} is not converted`);
  return write(writer, found, (found.input ?? []).map(visit));
}

function windowOf(found: Node): Window {
  const text = textOf(found, 'padding');
  const isPlain = listOf(found, 'dilations').every((step) => step === 1);
  if (textOf(found, 'data_format') !== 'NHWC' || !isPlain)
    throw new Error(`${found.name}: a layout or a dilation that is not converted`);
  if (text !== 'SAME' && text !== 'VALID')
    throw new Error(`${found.name}: the padding ${text} is not converted`);
  return { strides: pairOf(found, 'strides'), padding: text === 'SAME' ? 'same' : 'valid' };
}

/** Height and width of four numbers; those of batch and planes must be 1. */
function pairOf(found: Node, name: string): [number, number] {
  const [batch, height, width, planes] = listOf(found, name);
  if (batch !== 1 || planes !== 1 || height === undefined || width === undefined)
    throw new Error(`${found.name}: ${name} is not converted`);
  return [height, width];
}

function listOf({ attr }: Node, name: string): number[] {
  return attr?.[name]?.list?.i ?? [];
}

function textOf({ attr }: Node, name: string): string {
  return decode(attr?.[name]?.s ?? '');
}

function textsOf({ attr }: Node, name: string): string[] {
  return (attr?.[name]?.list?.s ?? []).map(decode);
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
