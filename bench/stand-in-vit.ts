/**
 * A ViT-S/16 that looks at 384 × 384 pixels, with random weights: as large and as slow as the open detectors of the
 * catalogue, whose files cannot be fetched everywhere, and as wise as a coin. For measuring what such a model costs.
 */
import { makeRandom } from '../evaluate/random.ts';
import { OnnxGraph } from '../test/models/onnx-graph.ts';

const SIDE = 384;
const PATCH = 16;
const WIDTH = 384;
const HEADS = 6;
const LAYERS = 12;
const INNER = 4 * WIDTH;
const PATCHES = (SIDE / PATCH) ** 2;
/** The patches, and the token that the answer is read from. */
const TOKENS = PATCHES + 1;
/** Such networks begin with weights so small that twelve layers neither vanish nor blow up. */
const DEVIATION = 0.02;

/** ONNX with one input, pictures of 3 × 384 × 384, and one logit for each. The same bytes each time. */
export function standInVitBytes(): Uint8Array {
  return new StandInVit().bytes();
}

class StandInVit {
  readonly #graph = new OnnxGraph();
  readonly #random = makeRandom(1);

  bytes(): Uint8Array {
    let tokens = this.#embed('pixels');
    for (let layer = 0; layer < LAYERS; layer++) tokens = this.#block(`layer${layer}`, tokens);
    const read = this.#normalise('last', tokens);
    const first = this.#graph.add('Gather', [read, this.#graph.addInts('first', [0])], 'class', {
      axis: { int: 1 },
    });
    const logit = this.#linear('head', first, WIDTH, 1);
    const flat = this.#graph.add('Reshape', [logit, this.#graph.addInts('flat', [-1, 1])], 'logit');
    const input = { name: 'pixels', dimensions: [3, SIDE, SIDE] };
    return this.#graph.toBytes('stand-in-vit', input, { name: flat, dimensions: [1] });
  }

  #weights(name: string, dimensions: readonly number[]): string {
    const count = dimensions.reduce((product, side) => product * side, 1);
    // Values are spread evenly, with that deviation.
    const reach = DEVIATION * Math.sqrt(3);
    const values = Float32Array.from({ length: count }, () => (2 * this.#random() - 1) * reach);
    return this.#graph.addFloats(name, dimensions, values);
  }

  #embed(pixels: string): string {
    const graph = this.#graph;
    const kernel = this.#weights('patch.kernel', [WIDTH, 3, PATCH, PATCH]);
    const stride = { strides: { ints: [PATCH, PATCH] }, kernel_shape: { ints: [PATCH, PATCH] } };
    const planes = graph.add('Conv', [pixels, kernel], 'patch.planes', stride);
    const rows = graph.add('Reshape', [planes, graph.addInts('rows', [0, WIDTH, PATCHES])], 'patch.rows');
    const tokens = graph.add('Transpose', [rows], 'patch.tokens', { perm: { ints: [0, 2, 1] } });
    // One class token for each picture, by widening to a token of the picture's own.
    const one = graph.add('Gather', [tokens, graph.addInts('one', [0])], 'class.shape', { axis: { int: 1 } });
    const none = graph.add('Mul', [one, graph.addScalar('zero', 0)], 'class.none');
    const token = graph.add('Add', [none, this.#weights('class.token', [1, 1, WIDTH])], 'class.begin');
    const all = graph.add('Concat', [token, tokens], 'tokens.all', { axis: { int: 1 } });
    return graph.add('Add', [all, this.#weights('places', [1, TOKENS, WIDTH])], 'tokens.placed');
  }

  #block(name: string, from: string): string {
    const graph = this.#graph;
    const attended = this.#attend(`${name}.attention`, this.#normalise(`${name}.before`, from));
    const seen = graph.add('Add', [from, attended], `${name}.seen`);
    const wide = this.#linear(`${name}.wide`, this.#normalise(`${name}.between`, seen), WIDTH, INNER);
    const thought = this.#linear(`${name}.narrow`, this.#gelu(`${name}.gelu`, wide), INNER, WIDTH);
    return graph.add('Add', [seen, thought], `${name}.out`);
  }

  #attend(name: string, from: string): string {
    const graph = this.#graph;
    const shape = graph.addInts('heads', [0, TOKENS, HEADS, WIDTH / HEADS]);
    const head = (part: string, perm: readonly number[]): string => {
      const made = this.#linear(`${name}.${part}`, from, WIDTH, WIDTH);
      const split = graph.add('Reshape', [made, shape], `${name}.${part}.split`);
      return graph.add('Transpose', [split], `${name}.${part}.heads`, { perm: { ints: perm } });
    };
    const [query, key, value] = [
      head('query', [0, 2, 1, 3]),
      head('key', [0, 2, 3, 1]),
      head('value', [0, 2, 1, 3]),
    ];
    const scores = graph.add('MatMul', [query, key], `${name}.scores`);
    const scaled = graph.add(
      'Mul',
      [scores, graph.addScalar('scale', 1 / Math.sqrt(WIDTH / HEADS))],
      `${name}.scaled`,
    );
    const shares = graph.add('Softmax', [scaled], `${name}.shares`, { axis: { int: -1 } });
    const mixed = graph.add('MatMul', [shares, value], `${name}.mixed`);
    const back = graph.add('Transpose', [mixed], `${name}.back`, { perm: { ints: [0, 2, 1, 3] } });
    const joined = graph.add(
      'Reshape',
      [back, graph.addInts('joined', [0, TOKENS, WIDTH])],
      `${name}.joined`,
    );
    return this.#linear(`${name}.out`, joined, WIDTH, WIDTH);
  }

  #linear(name: string, from: string, inputs: number, outputs: number): string {
    const product = this.#graph.add(
      'MatMul',
      [from, this.#weights(`${name}.weights`, [inputs, outputs])],
      `${name}.product`,
    );
    return this.#graph.add('Add', [product, this.#weights(`${name}.bias`, [outputs])], `${name}.sum`);
  }

  #normalise(name: string, from: string): string {
    const ones = this.#graph.addFloats('ones', [WIDTH], new Float32Array(WIDTH).fill(1));
    const zeros = this.#graph.addFloats('zeros', [WIDTH], new Float32Array(WIDTH));
    const options = { axis: { int: -1 }, epsilon: { float: 1e-6 } };
    return this.#graph.add('LayerNormalization', [from, ones, zeros], `${name}.normal`, options);
  }

  /** x/2 (1 + erf(x/√2)). */
  #gelu(name: string, from: string): string {
    const graph = this.#graph;
    const part = graph.add('Div', [from, graph.addScalar('root2', Math.SQRT2)], `${name}.part`);
    const erf = graph.add('Erf', [part], `${name}.erf`);
    const up = graph.add('Add', [erf, graph.addScalar('unit', 1)], `${name}.up`);
    const gated = graph.add('Mul', [from, up], `${name}.gated`);
    return graph.add('Mul', [gated, graph.addScalar('half', 0.5)], `${name}.half`);
  }
}
