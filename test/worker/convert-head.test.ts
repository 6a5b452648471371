/** A head of our own on the pretrained Inception: the maps against TensorFlow.js' answers, the head against plain arithmetic. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { PackHead } from '../../src/domain/packs/pack-file.ts';
import { convertModel } from '../../src/worker/convert/convert-model.ts';
import { ModelProtoSchema } from '../../src/worker/convert/gen/onnx/onnx_pb.ts';
import { GraphWriter } from '../../src/worker/convert/graph-writer.ts';
import { ITEM_SIDE, ITEMS, MEANS, makeItem, makeSteps, readGolden } from './goldens.ts';
import { inceptionOrder, LAYERS } from './inception.ts';

const DIFFERENCE_MAX = 1e-4;
const VARIANCE_MIN = 1e-4;

async function run(
  model: Uint8Array,
  planes: Float32Array,
  dimensions: readonly number[],
): Promise<Float32Array> {
  const session = await InferenceSession.create(model);
  const { out } = await session.run({ pixels: new Tensor('float32', planes, dimensions) });
  assert.ok(out?.data instanceof Float32Array);
  return out.data;
}

async function runItems(model: Uint8Array): Promise<Float32Array> {
  const items = Float32Array.from(Array.from({ length: ITEMS }, (_, index) => [...makeItem(index)]).flat());
  return await run(model, items, [ITEMS, 3, ITEM_SIDE, ITEM_SIDE]);
}

function measureAll(maps: Float32Array, area: number): number[] {
  return Array.from({ length: maps.length / area }, (_, plane) => {
    const values = maps.subarray(plane * area, (plane + 1) * area);
    const mean = values.reduce((sum, value) => sum + value, 0) / area;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / area;
    return Math.sqrt(variance + VARIANCE_MIN);
  });
}

function weigh(measured: readonly number[], { centre, scale, clip, weights, bias }: PackHead): number {
  const bound = clip ?? Number.POSITIVE_INFINITY;
  return weights.reduce((sum, weight, plane) => {
    const value =
      ((measured[plane] ?? Number.NaN) - (centre[plane] ?? Number.NaN)) * (scale[plane] ?? Number.NaN);
    return sum + weight * Math.min(bound, Math.max(-bound, value));
  }, bias);
}

/** Centred where the first item is, roughly, so that a clip of 1 holds some planes and leaves others. */
function makeHead(measured: readonly number[], planes: number): PackHead {
  const row = (rule: (plane: number) => number) => Array.from({ length: planes }, (_, plane) => rule(plane));
  return {
    ...{ measure: 'deviation', varianceMin: VARIANCE_MIN, bias: 0.75 },
    centre: row((plane) => (measured[plane] ?? 0) * (0.4 + (plane % 7) / 5)),
    scale: row((plane) => 3 + (plane % 11)),
    weights: row((plane) => Math.sin(plane) / 4),
  };
}

function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length);
  const worst = Array.from(expected, (value, index) => Math.abs(value - (actual[index] ?? Number.NaN)));
  const largest = worst.reduce((most, difference) => Math.max(most, difference), 0);
  assert.ok(largest <= DIFFERENCE_MAX, `they differ by ${largest}`);
}

for (const maps of LAYERS) {
  test(`${maps.layer} is what the original sees, and its head weighs it by plain arithmetic`, async () => {
    const expected = readGolden(maps.layer);
    assertNear(await runItems(convertModel(inceptionOrder(maps, null))), expected);
    const area = maps.mapSide ** 2;
    const deviations = measureAll(expected, area);
    const head = makeHead(deviations, maps.planes);
    const heads = [head, { ...head, clip: 1 }];
    const answers: number[] = [];
    for (const each of heads) {
      const logits = [0, 1].map((item) =>
        weigh(deviations.slice(item * maps.planes, (item + 1) * maps.planes), each),
      );
      assertNear(await runItems(convertModel(inceptionOrder(maps, each))), logits);
      answers.push(...logits);
    }
    assert.equal(new Set(answers.map((logit) => logit.toFixed(2))).size, answers.length, 'each part tells');
  });
}

test('the deviations of two layers stand one after the other', async () => {
  const [first, second] = LAYERS;
  assert.ok(first && second);
  const areas = first.mapSide ** 2;
  const parts: number[][][] = [];
  for (const maps of [first, second]) {
    const measured = measureAll(readGolden(maps.layer), areas);
    parts.push([0, 1].map((item) => measured.slice(item * maps.planes, (item + 1) * maps.planes)));
  }
  const items = [0, 1].map((item) => parts.flatMap((part) => part[item] ?? []));
  const head = { ...makeHead(items[0] ?? [], first.planes + second.planes), clip: 2 };
  const model = convertModel(inceptionOrder(first, head, [second.layer]));
  assertNear(
    await runItems(model),
    items.map((measured) => weigh(measured, head)),
  );
});

test('only what the layer needs is written, and the same bytes each time', () => {
  const [first] = LAYERS;
  assert.ok(first);
  const models = [1, 2].map(() => convertModel(inceptionOrder(first, null)));
  const [once, again] = models.map((model) => createHash('sha256').update(model).digest('hex'));
  assert.equal(once, again);
  const { graph } = fromBinary(ModelProtoSchema, models[0] ?? new Uint8Array());
  const used = new Set(graph?.node.flatMap(({ input }) => input));
  const constants = graph?.initializer.map(({ name }) => name) ?? [];
  assert.deepEqual(
    constants.filter((name) => !used.has(name)),
    [],
  );
  assert.deepEqual(graph?.node.at(-2)?.output, ['mixed0']);
});

test('a head of another width than its layer is refused', () => {
  const [first, second] = LAYERS;
  assert.ok(first && second);
  const head = makeHead([], second.planes);
  assert.throws(
    () => convertModel(inceptionOrder(first, head)),
    /the head has 288 weights, mixed0 have 256 planes/,
  );
});

/** TensorFlow leaves out what lies beyond the edge, and puts an odd row of it below and to the right. */
function meanAround(
  plane: Float32Array,
  side: number,
  [row, column]: [number, number],
  stride: number,
): number {
  const before = Math.floor(Math.max(0, (Math.ceil(side / stride) - 1) * stride + 3 - side) / 2);
  const inside = [0, 1, 2].flatMap((down) =>
    [0, 1, 2].flatMap((right) => {
      const [y, x] = [row * stride - before + down, column * stride - before + right];
      return y < 0 || x < 0 || y >= side || x >= side ? [] : [plane[y * side + x] ?? Number.NaN];
    }),
  );
  return inside.reduce((sum, value) => sum + value, 0) / inside.length;
}

for (const { side, stride, name } of MEANS) {
  test(`a padded mean leaves out what lies beyond the edge: ${side} pixels, every ${stride}.`, async () => {
    const writer = new GraphWriter(new Map());
    const window = { strides: [stride, stride], padding: 'same' } as const;
    const pooled = writer.pool('AveragePool', writer.input('pixels'), { size: [3, 3], window, to: 'pooled' });
    writer.join([[pooled]], 'out');
    const made = Math.ceil(side / stride);
    const input = { name: 'pixels', dimensions: [3, side, side] };
    const model = writer.graph.toBytes('means', input, { name: 'out', dimensions: [3, made, made] });
    const planes = makeSteps(side);
    const expected = Array.from({ length: 3 * made * made }, (_, at) => {
      const plane = Math.floor(at / made / made);
      const rest = at % (made * made);
      const own = planes.subarray(plane * side * side, (plane + 1) * side * side);
      return meanAround(own, side, [Math.floor(rest / made), rest % made], stride);
    });
    assertNear(expected, readGolden(name));
    assertNear(await run(model, planes, [1, 3, side, side]), expected);
  });
}
