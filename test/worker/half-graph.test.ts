/** Models in half precision on the CPU, which rounds weights and computes with singles: what is halved, kept and refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { toHalfPrecision } from '../../src/worker/convert/half-graph.ts';
import { OnnxGraph } from '../models/onnx-graph.ts';
import { tinyModelBytes } from '../models/tiny-model.ts';

const SIDE = 4;
const INPUT = { name: 'pixels', dimensions: [1, SIDE, SIDE] };
const OUTPUT = { name: 'logit', dimensions: [1, SIDE, SIDE] };
/** Between 1 and the next number that a half can hold, 1 + 2^-10. */
const BETWEEN = 1 + 2 ** -12;
const AREA = SIDE * SIDE;

/** Convolutions of one pixel, one after the other. */
function chain(weights: readonly number[], between: (graph: OnnxGraph, from: string) => string): Uint8Array {
  const graph = new OnnxGraph();
  let value = INPUT.name;
  for (const [index, weight] of weights.entries()) {
    const kernel = graph.addFloats(`kernel${index}`, [1, 1, 1, 1], Float32Array.of(weight));
    value = graph.add('Conv', [value, kernel], `conv${index}`, { kernel_shape: { ints: [1, 1] } });
    if (index < weights.length - 1) value = between(graph, value);
  }
  graph.add('Identity', [value], OUTPUT.name);
  return graph.toBytes('chain', INPUT, OUTPUT);
}

async function run(model: Uint8Array, pixel: number): Promise<number> {
  const session = await InferenceSession.create(model, { executionProviders: ['cpu'], logSeverityLevel: 3 });
  const pixels = new Tensor('float32', new Float32Array(AREA).fill(pixel), [1, 1, SIDE, SIDE]);
  const data = (await session.run({ [INPUT.name]: pixels }))[OUTPUT.name]?.data;
  await session.release();
  assert.ok(data instanceof Float32Array && data.length === AREA, 'the output stays in single precision');
  return data[0] ?? Number.NaN;
}

const relu = (graph: OnnxGraph, from: string) => graph.add('Relu', [from], `${from}/relu`);

test('weights are rounded to halves, inputs and outputs stay', async () => {
  const model = chain([BETWEEN], relu);
  const { bytes, halved } = toHalfPrecision(model);
  assert.equal(halved, 2, 'the convolution and what hands its values on');
  assert.equal(await run(model, 1), BETWEEN);
  assert.equal(await run(bytes, 1), 1);
  assert.equal(await run(bytes, 0.5), 0.5);
});

test('what a half cannot hold becomes infinite, so that no self-test passes it', async () => {
  assert.equal(await run(toHalfPrecision(chain([70_000], relu)).bytes, 1), Number.POSITIVE_INFINITY);
});

test('an operation that would lose too much stays, with values turned before and after it', async () => {
  const model = chain([BETWEEN, BETWEEN], (graph, from) => graph.add('Sqrt', [from], `${from}/root`));
  const { bytes, halved } = toHalfPrecision(model);
  assert.equal(halved, 3, 'two convolutions and the copy of the last, not the root');
  const [whole, half] = [await run(model, 0.3), await run(bytes, 0.3)];
  assert.notEqual(half, whole);
  assert.ok(Math.abs(half - whole) < 2 ** -11, `${half} is not near ${whole}`);
});

test('a value that both kinds of operation read is there for both', async () => {
  const graph = new OnnxGraph();
  const kernel = graph.addFloats('kernel', [1, 1, 1, 1], Float32Array.of(2));
  const conv = graph.add('Conv', [INPUT.name, kernel], 'conv');
  const twice = graph.add('Conv', [conv, kernel], 'twice');
  const log = graph.add('Log', [conv], 'log');
  graph.add('Add', [log, twice], OUTPUT.name);
  const { bytes, halved } = toHalfPrecision(graph.toBytes('two', INPUT, OUTPUT));
  assert.equal(halved, 2);
  assert.equal(await run(bytes, 0.5), 2, 'log(2 × 0.5) + 2 × 2 × 0.5');
});

test('shapes and constants beside halves keep their types', async () => {
  const graph = new OnnxGraph();
  const kernel = graph.addFloats('kernel', [1, 1, 1, 1], Float32Array.of(3));
  const conv = graph.add('Conv', [INPUT.name, kernel], 'conv');
  const flat = graph.add('Reshape', [conv, graph.addInts('flat-shape', [0, AREA])], 'flat');
  const bounded = graph.add('Clip', [flat, graph.addScalar('low', 0), graph.addScalar('high', 2)], 'bounded');
  graph.add('Reshape', [bounded, graph.addInts('shape', [0, 1, SIDE, SIDE])], OUTPUT.name);
  const { bytes, halved } = toHalfPrecision(graph.toBytes('shapes', INPUT, OUTPUT));
  assert.equal(halved, 4);
  assert.equal(await run(bytes, 1), 2);
});

test('the same model gives the same bytes, and is not changed', () => {
  const model = chain([1, 2, 3], relu);
  const before = Buffer.from(model);
  assert.deepEqual(toHalfPrecision(model).bytes, toHalfPrecision(model).bytes);
  assert.deepEqual(Buffer.from(model), before);
});

const REFUSED = [
  {
    name: 'without anything to gain',
    model: tinyModelBytes(SIDE),
    message: /no convolution or matrix product/,
  },
  {
    name: 'that names a value like its copy’s',
    model: chain([1, 1], (graph, from) => graph.add('Relu', [from], 'kernel0#half')),
    message: /names a value kernel0#half/,
  },
  {
    name: 'with graphs in its operations',
    model: chain([1, 1], (graph, from) => graph.add('If', [from], 'chosen')),
    message: /an operation If, whose inner graphs are not converted/,
  },
];

for (const { name, model, message } of REFUSED) {
  test(`a model ${name} is refused with a sentence`, () => {
    assert.throws(() => toHalfPrecision(model), message);
  });
}
