/** Sources of a batch's items (patches, windows, golden inputs), each in the model's form. */
import type { SampleRange } from '../../domain/verdicts/speech.ts';
import type { InferRequest, PatchInput, WindowCut, WindowInput } from '../protocol/inference-protocol.ts';
import { SlotFile } from '../protocol/slot-file.ts';
import { makeGoldenPatch, makeGoldenSound } from './golden.ts';
import { SoundFile } from './sound-file.ts';

export type BatchInput = PatchInput | WindowInput;

export interface ItemSource extends Disposable {
  /** Writes items `first` … `first + count - 1` to the beginning of `place`. */
  write(first: number, count: number, place: Float32Array): void;
}

/** More items than any layout may place. */
const COUNT_MAX = 65_536;

export function itemShapeOf(input: BatchInput): number[] {
  return input.kind === 'patches' ? [3, input.size, input.size] : [input.windowSamples];
}

/** Throws if the file is not what the request says. */
export function openSource(input: BatchInput, { path, count, windows }: InferRequest): ItemSource {
  if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
    throw new Error(`a request must have 1 to ${COUNT_MAX} patches or windows, not ${count}`);
  }
  if (input.kind === 'patches') return openPatches(input, path, count);
  if (windows?.ranges.length !== count) throw new Error(`a request must say what its ${count} windows hold`);
  return openWindows(input, path, windows);
}

function openPatches(input: PatchInput, path: string, count: number): ItemSource {
  const patchBytes = input.size ** 2 * 3;
  const what = { file: 'patch file', content: `${count} patches` };
  const file = SlotFile.openWhole(path, count * patchBytes, what);
  const tables = makeTables(input);
  const patch = new Uint8Array(patchBytes);
  return {
    write(first, taken, place) {
      for (let index = 0; index < taken; index++) {
        file.read((first + index) * patchBytes, patch);
        writePlanes(patch, tables, input.size, place, index);
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function openWindows({ windowSamples }: WindowInput, path: string, cut: WindowCut): ItemSource {
  const file = SoundFile.open(path, cut.sampleCount);
  const wrong = cut.ranges.find((range) => !isRangeOf(cut.sampleCount, windowSamples, range));
  if (wrong !== undefined) {
    file[Symbol.dispose]();
    const found = `${wrong.length} samples from ${wrong.offset} on`;
    throw new Error(`a window must be 1 to ${windowSamples} of the ${cut.sampleCount} samples, not ${found}`);
  }
  return {
    write(first, taken, place) {
      for (const [index, { offset, length }] of cut.ranges.slice(first, first + taken).entries()) {
        const window = place.subarray(index * windowSamples, (index + 1) * windowSamples);
        file.read(offset, window.subarray(0, length));
        for (let end = length; end < windowSamples; end += length) window.copyWithin(end, 0, length);
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function isRangeOf(sampleCount: number, windowSamples: number, { offset, length }: SampleRange): boolean {
  const isWhole = Number.isInteger(offset) && Number.isInteger(length);
  return isWhole && offset >= 0 && length >= 1 && length <= windowSamples && offset + length <= sampleCount;
}

export function goldenSource(input: BatchInput): ItemSource {
  return {
    write(first, count, place) {
      for (let index = 0; index < count; index++) writeGolden(input, first + index, place, index);
    },
    [Symbol.dispose]: () => {},
  };
}

function writeGolden(input: BatchInput, golden: number, place: Float32Array, index: number): void {
  if (input.kind === 'patches') {
    writePlanes(makeGoldenPatch(golden, input.size), makeTables(input), input.size, place, index);
  } else {
    place.set(makeGoldenSound(golden, input.windowSamples), index * input.windowSamples);
  }
}

/** Converts patches as pictures store them (RGB bytes, row by row) to the model's planes of normalised floats. */

interface Normalisation {
  /** Per channel, for values scaled to 0..1. */
  mean: readonly [number, number, number];
  std: readonly [number, number, number];
}

/** Three tables of 256 values halve the time (0.39 against 0.93 ms for 384 × 384). */
export function makeTables({ mean, std }: Normalisation): Float32Array[] {
  return mean.map((centre, channel) =>
    Float32Array.from({ length: 256 }, (_, byte) => (byte / 255 - centre) / (std[channel] ?? 1)),
  );
}

/** Writes `bytes` (patches, HWC) into `planes` (NCHW) beginning at patch `first`. */
export function writePlanes(
  bytes: Uint8Array,
  tables: readonly Float32Array[],
  size: number,
  planes: Float32Array,
  first: number,
): void {
  const area = size * size;
  const count = bytes.length / (area * 3);
  for (const [channel, table] of tables.entries()) {
    for (let patch = 0; patch < count; patch++) {
      let from = patch * area * 3 + channel;
      const start = ((first + patch) * 3 + channel) * area;
      for (let to = start; to < start + area; to++, from += 3)
        planes[to] = table[bytes[from] as number] as number;
    }
  }
}
