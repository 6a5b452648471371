/**
 * Operations common to both kinds of TensorFlow.js model, written as ONNX. TensorFlow keeps pictures as rows of
 * pixels (NHWC), ONNX as planes (NCHW): every four-dimensional value is in planes here, and is turned back where
 * its order becomes visible.
 */

import { reorder } from './number-order.ts';
import { type Attribute, OnnxGraph } from './onnx-graph.ts';
import type { Weight } from './tfjs-files.ts';

export interface Window {
  /** Height and width. */
  strides: readonly [number, number];
  padding: 'same' | 'valid';
}

export const ACTIVATIONS = ['linear', 'relu', 'relu6', 'softmax'] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/** Planes of a picture. */
const COLOURS = 3;

/** Names of weights, one of each plane. */
interface Normalisation {
  gamma: string | null;
  beta: string;
  mean: string;
  variance: string;
  epsilon: number;
  to: string;
}

export class GraphWriter {
  readonly graph = new OnnxGraph();
  readonly #weights: ReadonlyMap<string, Weight>;
  /** How many planes a value has; all others are in TensorFlow's own order. */
  readonly #planes = new Map<string, number>();

  constructor(weights: ReadonlyMap<string, Weight>) {
    this.#weights = weights;
  }

  weight(name: string): Weight {
    const weight = this.#weights.get(name);
    if (weight === undefined) throw new Error(`the model has no weights named ${name}`);
    return weight;
  }

  /** Undefined for what is not in planes. */
  planesOf(name: string): number | undefined {
    return this.#planes.get(name);
  }

  input(name: string): string {
    return this.#setPlanes(name, COLOURS);
  }

  /** A convolution with a kernel of height × width × inputs × outputs. */
  convolve(
    from: string,
    { kernel, bias, window, to }: { kernel: string; bias: string | null; window: Window; to: string },
  ): string {
    const { dimensions, values } = this.weight(kernel);
    const [height = 0, width = 0, inputs = 0, outputs = 0] = dimensions;
    const turned = reorder(values, [height, width, inputs, outputs], [3, 2, 0, 1]);
    const weights = this.graph.addFloats(kernel, [outputs, inputs, height, width], turned);
    const attributes = { kernel_shape: { ints: [height, width] }, ...windowAttributes(window) };
    return this.#setPlanes(
      this.graph.add('Conv', [from, weights, ...this.#bias(bias)], to, attributes),
      outputs,
    );
  }

  /** Each plane by itself, with a kernel of height × width × planes × multiplier. */
  convolveDepthwise(
    from: string,
    { kernel, bias, window, to }: { kernel: string; bias: string | null; window: Window; to: string },
  ): string {
    const { dimensions, values } = this.weight(kernel);
    const [height = 0, width = 0, planes = 0, multiplier = 0] = dimensions;
    const turned = reorder(values, [height, width, planes, multiplier], [2, 3, 0, 1]);
    const outputs = planes * multiplier;
    const weights = this.graph.addFloats(kernel, [outputs, 1, height, width], turned);
    const attributes = {
      ...{ kernel_shape: { ints: [height, width] }, group: { int: planes } },
      ...windowAttributes(window),
    };
    return this.#setPlanes(
      this.graph.add('Conv', [from, weights, ...this.#bias(bias)], to, attributes),
      outputs,
    );
  }

  /** With padding, both kinds of model leave the padded pixels out of a mean. */
  pool(
    opType: 'MaxPool' | 'AveragePool',
    from: string,
    { size, window, to }: { size: readonly [number, number]; window: Window; to: string },
  ): string {
    const attributes = { kernel_shape: { ints: size }, ...windowAttributes(window) };
    return this.#like(from, this.graph.add(opType, [from], to, attributes));
  }

  /** `amounts`: before and after, for each of TensorFlow's dimensions. */
  pad(from: string, amounts: readonly (readonly [number, number])[], to: string): string {
    const [batch = [0, 0], rows = [0, 0], columns = [0, 0], planes = [0, 0]] = amounts;
    const count = (this.planesOf(from) ?? 0) + planes[0] + planes[1];
    const ordered = [batch, planes, rows, columns];
    const pads = [...ordered.map(([before]) => before), ...ordered.map(([, after]) => after)];
    return this.#setPlanes(this.graph.add('Pad', [from, this.graph.addInts(`${to}/pads`, pads)], to), count);
  }

  add(from: readonly string[], to: string): string {
    const [first] = from;
    if (from.length !== 2 || !from.every((name) => this.#isInPlanes(name)) || first === undefined)
      throw new Error(`${to}: only a sum of two pictures is converted`);
    return this.#like(first, this.graph.add('Add', from, to));
  }

  /** Planes below each other. */
  stack(from: readonly string[], to: string): string {
    const counts = from.map((name) => this.planesOf(name));
    const count = counts.reduce<number>((sum, planes) => sum + (planes ?? Number.NaN), 0);
    if (!(count > 0)) throw new Error(`${to}: only pictures are stacked`);
    return this.#setPlanes(this.graph.add('Concat', from, to, { axis: { int: 1 } }), count);
  }

  /** With a number, or with one of each plane. */
  combine(opType: 'Add' | 'Mul' | 'Min' | 'Max', from: string, constant: string, to: string): string {
    const { dimensions, values } = this.weight(constant);
    const isOfPlanes = dimensions.length === 1 && this.#isInPlanes(from);
    if (dimensions.length > 0 && !isOfPlanes)
      throw new Error(`${to}: only a number of each plane is converted`);
    const shape = isOfPlanes ? [values.length, 1, 1] : [];
    return this.#like(
      from,
      this.graph.add(opType, [from, this.graph.addFloats(constant, shape, values)], to),
    );
  }

  activate(from: string, activation: Activation, to: string): string {
    switch (activation) {
      case 'linear':
        return from;
      case 'softmax':
        return this.graph.add('Softmax', [from], to, { axis: { int: -1 } });
      case 'relu':
        return this.#like(from, this.graph.add('Relu', [from], to));
      case 'relu6': {
        const bounds = [this.graph.addScalar('zero', 0), this.graph.addScalar('six', 6)];
        return this.#like(from, this.graph.add('Clip', [from, ...bounds], to));
      }
    }
  }

  /** `gamma` is null where the model does not scale what it has normalised. */
  normalise(from: string, { gamma, beta, mean, variance, epsilon, to }: Normalisation): string {
    const scale =
      gamma === null ? this.#ones(`${to}/ones`, this.weight(beta).values.length) : this.#vector(gamma);
    const inputs = [from, scale, ...[beta, mean, variance].map((name) => this.#vector(name))];
    return this.#like(
      from,
      this.graph.add('BatchNormalization', inputs, to, { epsilon: { float: epsilon } }),
    );
  }

  /** `dimensions` after the batch, of which every item keeps its own. */
  reshape(from: string, dimensions: readonly number[], to: string): string {
    const source = this.#isInPlanes(from)
      ? this.graph.add('Transpose', [from], `${to}/rows`, { perm: { ints: [0, 2, 3, 1] } })
      : from;
    const shape = this.graph.addInts(`${to}/dimensions`, [0, ...dimensions]);
    return this.graph.add('Reshape', [source, shape], to);
  }

  dense(from: string, { kernel, bias, to }: { kernel: string; bias: string; to: string }): string {
    const { dimensions, values } = this.weight(kernel);
    const weights = this.graph.addFloats(kernel, dimensions, values);
    return this.graph.add('Gemm', [from, weights, this.#vector(bias)], to);
  }

  /** Rows of `joined` side by side, one row below the other: what the model gives in pieces. */
  join(rows: readonly (readonly string[])[], to: string): string {
    const wide = rows.map((pieces, index) => this.#concatenate(pieces, -1, `${to}/row-${index}`));
    const whole = this.#concatenate(wide, 1, `${to}/whole`);
    return this.graph.add('Identity', [whole], to);
  }

  #concatenate(from: readonly string[], axis: number, to: string): string {
    const [only] = from;
    if (only === undefined) throw new Error(`${to}: nothing to join`);
    return from.length === 1 ? only : this.graph.add('Concat', from, to, { axis: { int: axis } });
  }

  #bias(name: string | null): string[] {
    return name === null ? [] : [this.#vector(name)];
  }

  #vector(name: string): string {
    const { dimensions, values } = this.weight(name);
    return this.graph.addFloats(name, dimensions, values);
  }

  #ones(name: string, count: number): string {
    return this.graph.addFloats(name, [count], new Float32Array(count).fill(1));
  }

  #setPlanes(name: string, count: number): string {
    this.#planes.set(name, count);
    return name;
  }

  #like(from: string, name: string): string {
    const count = this.planesOf(from);
    return count === undefined ? name : this.#setPlanes(name, count);
  }

  #isInPlanes(name: string): boolean {
    return this.#planes.has(name);
  }
}

/** TensorFlow puts an odd row of padding below and to the right. */
function windowAttributes({ strides, padding }: Window): Record<string, Attribute> {
  return {
    strides: { ints: strides },
    auto_pad: { text: padding === 'same' ? 'SAME_UPPER' : 'VALID' },
  };
}
