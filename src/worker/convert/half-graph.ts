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
/** Numbers of fields that `gen` leaves out, which are kept as bytes. */
const NODE_DOMAIN_FIELD = 7;
const GRAPH_VALUE_INFO_FIELD = 13;
/** A suffix that no tool gives a value's name. */
const HALF_SUFFIX = '#half';

/** Operations that gain on a GPU: islands of halves grow from these, if a weight proves that they compute with floats. */
const SEEDS: ReadonlySet<string> = new Set(['Conv', 'ConvTranspose', 'Gemm', 'MatMul']);
/** Operations that join an island which they feed. Sums, logarithms, roots and powers would lose too much in halves. */
const FOLLOWERS: ReadonlySet<string> = new Set([
  ...['Add', 'Sub', 'Mul', 'Min', 'Max', 'Clip', 'Relu', 'LeakyRelu', 'PRelu', 'HardSigmoid', 'HardSwish'],
  ...['Sigmoid', 'Tanh', 'Gelu', 'BatchNormalization', 'MaxPool', 'AveragePool', 'Concat', 'Identity'],
  ...['Flatten', 'Transpose'],
]);
/** Followers of which only the first input has the output's type; the others are shapes and positions. */
const RESHAPERS: ReadonlySet<string> = new Set(['Reshape', 'Squeeze', 'Unsqueeze', 'Slice']);
/** Operations that hold graphs of their own, which name values of the outer one. */
const NESTING: ReadonlySet<string> = new Set(['If', 'Loop', 'Scan', 'SequenceMap']);

export interface HalfModel {
  bytes: Uint8Array;
  halved: number;
}

/** Throws a sentence if nothing can be gained or the model is unsupported. The runtime folds the conversion of constants. */
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
  // Types of values between operations no longer fit, since some are halves now; the runtime finds them itself.
  graph.$unknown = (graph.$unknown ?? []).filter(({ no }) => no !== GRAPH_VALUE_INFO_FIELD);
  return { bytes: toBinary(ModelProtoSchema, message), halved: half.halved };
}

/** A value keeps its name in single precision; `nameHalf` names it in half precision. */
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

  /** Makes a value available in single precision. */
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

const nameHalf = (name: string): string => `${name}${HALF_SUFFIX}`;
