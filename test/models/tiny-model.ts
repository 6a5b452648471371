/** A model of a few dozen bytes, written by hand: its logit is a patch's mean, 0..1, times `gain`. And the pack around it. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeGoldenPatch } from '../../src/worker/inference/golden.ts';
import type { LoadedPack } from '../../src/worker/protocol/inference-protocol.ts';

const FLOAT = 1;
const INT_ATTRIBUTE = 2;
const INTS_ATTRIBUTE = 7;

type Field = [number: number, value: number | string | Uint8Array];

/** Protobuf: numbers as varints, everything else with its length before it. */
function message(...fields: Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3), varint(value)];
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return [varint((number << 3) | 2), varint(bytes.length), bytes];
  });
  return Buffer.concat(parts);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Uint8Array.from([...bytes, rest]);
}

function tensorInfo(name: string, dimensions: (number | string)[]): Uint8Array {
  const shape = message(
    ...dimensions.map((it): Field => [1, typeof it === 'number' ? message([1, it]) : message([2, it])]),
  );
  const type = message([1, message([1, FLOAT], [2, shape])]);
  return message([1, name], [2, type]);
}

function scalar(name: string, value: number): Uint8Array {
  return message([2, FLOAT], [8, name], [9, new Uint8Array(new Float32Array([value]).buffer)]);
}

/** `rounds` repeats a costly but neutral step, for tests that need a model which takes its time. */
export function tinyModelBytes(size: number, { gain = 1, rounds = 0 } = {}): Uint8Array {
  const axes = message([1, 'axes'], [8, 1], [8, 2], [8, 3], [20, INTS_ATTRIBUTE]);
  const keep = message([1, 'keepdims'], [3, 0], [20, INT_ATTRIBUTE]);
  const slow = Array.from({ length: rounds }, (_, index): Field => {
    const from = index === 0 ? 'pixels' : `slow${index - 1}`;
    const name = index % 2 === 0 ? 'Exp' : 'Log';
    return [1, message([1, from], [2, `slow${index}`], [4, name])];
  });
  const last = rounds === 0 ? 'pixels' : `slow${rounds - 1}`;
  const graph = message(
    ...slow,
    [1, message([1, last], [2, 'mean'], [4, 'ReduceMean'], [5, axes], [5, keep])],
    [1, message([1, 'mean'], [1, 'gain'], [2, 'logit'], [4, 'Mul'])],
    [2, 'tiny'],
    [5, scalar('gain', gain)],
    [11, tensorInfo('pixels', ['count', 3, size, size])],
    [12, tensorInfo('logit', ['count'])],
  );
  return message([1, 8], [7, graph], [8, message([2, 13])]);
}

/** Takes windows of a sound; its logit is the mean square of a window times `gain`, plus `offset`. */
export function tinySoundModelBytes(windowSamples: number, { gain = 1, offset = 0 } = {}): Uint8Array {
  const axes = message([1, 'axes'], [8, 1], [20, INTS_ATTRIBUTE]);
  const keep = message([1, 'keepdims'], [3, 0], [20, INT_ATTRIBUTE]);
  const graph = message(
    [1, message([1, 'sound'], [1, 'sound'], [2, 'square'], [4, 'Mul'])],
    [1, message([1, 'square'], [2, 'mean'], [4, 'ReduceMean'], [5, axes], [5, keep])],
    [1, message([1, 'mean'], [1, 'gain'], [2, 'scaled'], [4, 'Mul'])],
    [1, message([1, 'scaled'], [1, 'offset'], [2, 'logit'], [4, 'Add'])],
    [2, 'tiny'],
    [5, scalar('gain', gain)],
    [5, scalar('offset', offset)],
    [11, tensorInfo('sound', ['count', windowSamples])],
    [12, tensorInfo('logit', ['count'])],
  );
  return message([1, 8], [7, graph], [8, message([2, 13])]);
}

export interface TinyPackOptions {
  key?: string;
  size?: number;
  gain?: number;
  /** Must be even: the steps undo each other in pairs. */
  rounds?: number;
  /** Added to the golden outputs, so that the self-test fails. */
  goldenOffset?: number;
}

export async function writeTinyPack(folder: string, options: TinyPackOptions = {}): Promise<LoadedPack> {
  const { key = 'tiny@1.0.0', size = 16, gain = 1, rounds = 0, goldenOffset = 0 } = options;
  const modelPath = join(folder, `${key}.onnx`);
  const bytes = tinyModelBytes(size, { gain, rounds });
  await writeFile(modelPath, bytes);
  const expected = [0, 1, 2].map((index) => gain * meanOf(makeGoldenPatch(index, size)) + goldenOffset);
  return {
    key,
    modelPath,
    modelSha256: createHash('sha256').update(bytes).digest('hex'),
    input: { kind: 'patches', name: 'pixels', mean: [0, 0, 0], std: [1, 1, 1], size },
    outputName: 'logit',
    outputLength: 1,
    golden: { tolerance: 0.001, expected, items: expected.length },
  };
}

/** What the tiny model answers for a patch with a gain of 1. */
export function meanOf(patch: Uint8Array): number {
  return patch.reduce((sum, byte) => sum + byte, 0) / patch.length / 255;
}
