/** An ONNX graph while it is written. The same calls give the same bytes: packs name their model by its SHA-256. */
import { create, toBinary } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  GraphProtoSchema,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
  TensorProto_DataType,
  TensorProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from '../../src/worker/convert/gen/onnx/onnx_pb.ts';

const IR_VERSION = 8n;
const OPSET_VERSION = 17n;
/** Name of the dimension that counts the items of a batch. */
const BATCH = 'batch';

export type Attribute = { int: number } | { float: number } | { ints: readonly number[] } | { text: string };

/** A value at the edge of the graph: its dimensions after the batch. */
export interface Edge {
  name: string;
  dimensions: readonly number[];
}

export class OnnxGraph {
  readonly #nodes: NodeProto[] = [];
  readonly #tensors: TensorProto[] = [];
  readonly #tensorNames = new Set<string>();

  /** Adds constants once, under their name; returns it. */
  addFloats(name: string, dimensions: readonly number[], values: Float32Array): string {
    return this.#addTensor(name, dimensions, TensorProto_DataType.FLOAT, values);
  }

  /** A row of whole numbers, as shapes and paddings are given. */
  addInts(name: string, values: readonly number[]): string {
    const wide = BigInt64Array.from(values, BigInt);
    return this.#addTensor(name, [values.length], TensorProto_DataType.INT64, wide);
  }

  addScalar(name: string, value: number): string {
    return this.#addTensor(name, [], TensorProto_DataType.FLOAT, Float32Array.of(value));
  }

  /** Adds an operation; returns the name of its output. */
  add(
    opType: string,
    input: readonly string[],
    output: string,
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    const attribute = Object.entries(attributes).map(([name, value]) => toAttribute(name, value));
    const node = { opType, input: [...input], output: [output], name: output, attribute };
    this.#nodes.push(create(NodeProtoSchema, node));
    return output;
  }

  toBytes(name: string, input: Edge, output: Edge): Uint8Array {
    const graph = create(GraphProtoSchema, {
      name,
      node: this.#nodes,
      initializer: this.#tensors,
      input: [toValueInfo(input)],
      output: [toValueInfo(output)],
    });
    const model = create(ModelProtoSchema, {
      irVersion: IR_VERSION,
      opsetImport: [{ domain: '', version: OPSET_VERSION }],
      producerName: 'assay',
      producerVersion: '1',
      graph,
    });
    return toBinary(ModelProtoSchema, model);
  }

  #addTensor(
    name: string,
    dimensions: readonly number[],
    dataType: TensorProto_DataType,
    { buffer, byteOffset, byteLength }: Float32Array | BigInt64Array,
  ): string {
    if (this.#tensorNames.has(name)) return name;
    this.#tensorNames.add(name);
    const rawData = new Uint8Array(buffer, byteOffset, byteLength);
    const tensor = { name, dims: dimensions.map(BigInt), dataType, rawData: Uint8Array.from(rawData) };
    this.#tensors.push(create(TensorProtoSchema, tensor));
    return name;
  }
}

function toAttribute(name: string, value: Attribute): AttributeProto {
  const Type = AttributeProto_AttributeType;
  const field =
    'int' in value
      ? { type: Type.INT, i: BigInt(value.int) }
      : 'float' in value
        ? { type: Type.FLOAT, f: value.float }
        : 'ints' in value
          ? { type: Type.INTS, ints: value.ints.map(BigInt) }
          : { type: Type.STRING, s: new TextEncoder().encode(value.text) };
  return create(AttributeProtoSchema, { name, ...field });
}

function toValueInfo({ name, dimensions }: Edge): ValueInfoProto {
  const rest = dimensions.map((side) => ({ value: { case: 'dimValue' as const, value: BigInt(side) } }));
  const dim = [{ value: { case: 'dimParam' as const, value: BATCH } }, ...rest];
  const value = { elemType: TensorProto_DataType.FLOAT, shape: { dim } };
  return create(ValueInfoProtoSchema, { name, type: { value: { case: 'tensorType', value } } });
}
