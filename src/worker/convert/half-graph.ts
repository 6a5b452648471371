/**
 * A model in half precision (IEEE 754 binary16), made from one in single precision: convolutions, matrix products and
 * what lies directly between them compute in halves, everything else stays as it is. Inputs and outputs stay single, so
 * that a session is used alike. Nothing is known of the shapes or types of values: an operation is taken only if its
 * own place in the graph proves that it computes with floats.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  AttributeProto_AttributeType,
  AttributeProtoSchema,
  type GraphProto,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  TensorProto_DataType,
} from './gen/onnx/onnx_pb.ts';

/** ONNX TensorProto.DataType; the subset that `gen` describes lacks it. */
const FLOAT16 = 10;
/** Numbers of fields that `gen` leaves out: they are kept as bytes. */
const NODE_DOMAIN_FIELD = 7;
const GRAPH_VALUE_INFO_FIELD = 13;
/** No tool names a value so. */
const HALF_SUFFIX = '#half';

/** Gain on a GPU: islands of halves grow from these, if a weight proves that they compute with floats. */
const SEEDS: ReadonlySet<string> = new Set(['Conv', 'ConvTranspose', 'Gemm', 'MatMul']);
/**
 * Join an island that feeds them. Sums over many values, logarithms, roots and powers are not among them: half
 * precision would lose what they compute.
 */
const FOLLOWERS: ReadonlySet<string> = new Set([
  ...['Add', 'Sub', 'Mul', 'Min', 'Max', 'Clip', 'Relu', 'LeakyRelu', 'PRelu', 'HardSigmoid', 'HardSwish'],
  ...['Sigmoid', 'Tanh', 'Gelu', 'BatchNormalization', 'MaxPool', 'AveragePool', 'Concat', 'Identity'],
  ...['Flatten', 'Transpose'],
]);
/** Followers whose first input alone is of the type of the output; the rest are shapes and places. */
const RESHAPERS: ReadonlySet<string> = new Set(['Reshape', 'Squeeze', 'Unsqueeze', 'Slice']);
/** Hold graphs of their own, which name values of the outer one. */
const NESTING: ReadonlySet<string> = new Set(['If', 'Loop', 'Scan', 'SequenceMap']);

export interface HalfModel {
  bytes: Uint8Array;
  /** Operations that compute in halves. */
  halved: number;
}

/**
 * From the bytes of an ONNX model to those of its copy in half precision. Constants are turned by operations that the
 * runtime folds when it opens the model. Throws an Error with a sentence if nothing can be gained or the model is
 * built in a way that is not converted.
 */
export function toHalfPrecision(model: Uint8Array): HalfModel {
  const message = fromBinary(ModelProtoSchema, model);
  const { graph } = message;
  if (graph === undefined) throw new Error('the model has no graph');
  const nesting = graph.node.find(({ opType }) => NESTING.has(opType));
  if (nesting !== undefined)
    throw new Error(`the model has an operation ${nesting.opType}, whose inner graphs are not converted`);
  const half = new HalfGraph(graph);
  for (const node of graph.node) half.add(node);
  for (const { name } of graph.output) half.finish(name);
  if (half.halved === 0) throw new Error('the model has no convolution or matrix product to convert');
  graph.node = half.nodes;
  // It needs the types of values between operations, some of which are halves now; the runtime finds them itself.
  graph.$unknown = (graph.$unknown ?? []).filter(({ no }) => no !== GRAPH_VALUE_INFO_FIELD);
  return { bytes: toBinary(ModelProtoSchema, message), halved: half.halved };
}

/** Every value keeps its name in single precision; in half precision it is called by `nameHalf`. */
class HalfGraph {
  readonly nodes: NodeProto[] = [];
  halved = 0;
  readonly #weights: ReadonlySet<string>;
  readonly #constants: Set<string>;
  /** Values that are computed in halves. */
  readonly #born = new Set<string>();
  /** Names that an added operation gives. */
  readonly #cast = new Set<string>();

  constructor({ initializer, input, node }: GraphProto) {
    const floats = initializer.filter(({ dataType }) => dataType === TensorProto_DataType.FLOAT);
    this.#weights = new Set(floats.map(({ name }) => name));
    this.#constants = new Set(this.#weights);
    const names = [...[...initializer, ...input].map(({ name }) => name), ...node.flatMap((it) => it.output)];
    const clash = names.find((name) => name.endsWith(HALF_SUFFIX));
    if (clash !== undefined) throw new Error(`the model names a value ${clash}, as only its copy may`);
  }

  add(node: NodeProto): void {
    const tied = this.#tiedInputs(node);
    if (tied === null) this.#addWhole(node);
    else this.#addHalf(node, tied);
  }

  #addWhole(node: NodeProto): void {
    if (node.opType === 'Constant') for (const name of node.output) this.#constants.add(name);
    for (const name of node.input) this.finish(name);
    this.nodes.push(node);
  }

  /** Sees to it that a value is there in single precision. */
  finish(name: string): void {
    if (this.#born.has(name)) this.#addCast(nameHalf(name), name, TensorProto_DataType.FLOAT);
  }

  /** Inputs that must be halves for the node to compute in halves; null if it stays as it is. */
  #tiedInputs(node: NodeProto): string[] | null {
    const { opType, input, output } = node;
    const isForeign = node.$unknown?.some(({ no }) => no === NODE_DOMAIN_FIELD) === true;
    if (isForeign || output.length !== 1) return null;
    if (SEEDS.has(opType)) return input.some((name) => this.#weights.has(name)) ? input : null;
    if (RESHAPERS.has(opType)) return this.#born.has(input[0] ?? '') ? input.slice(0, 1) : null;
    const isReady = (name: string) => name === '' || this.#born.has(name) || this.#constants.has(name);
    const joins = input.some((name) => this.#born.has(name)) && input.every(isReady);
    return FOLLOWERS.has(opType) && joins ? input : null;
  }

  #addHalf(node: NodeProto, tied: readonly string[]): void {
    const input = node.input.map((name) => (name !== '' && tied.includes(name) ? this.#toHalf(name) : name));
    for (const name of node.output) this.#born.add(name);
    this.nodes.push(create(NodeProtoSchema, { ...node, input, output: node.output.map(nameHalf) }));
    this.halved += 1;
  }

  #toHalf(name: string): string {
    if (!this.#born.has(name)) this.#addCast(name, nameHalf(name), FLOAT16);
    return nameHalf(name);
  }

  #addCast(from: string, to: string, type: number): void {
    if (this.#cast.has(to)) return;
    this.#cast.add(to);
    const attribute = create(AttributeProtoSchema, {
      name: 'to',
      type: AttributeProto_AttributeType.INT,
      i: BigInt(type),
    });
    this.nodes.push(
      create(NodeProtoSchema, {
        opType: 'Cast',
        input: [from],
        output: [to],
        name: `${to}/cast`,
        attribute: [attribute],
      }),
    );
  }
}

function nameHalf(name: string): string {
  return `${name}${HALF_SUFFIX}`;
}
