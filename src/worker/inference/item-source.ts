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
  const patch = makePatch(input.size);
  return {
    write(first, taken, place) {
      for (let index = 0; index < taken; index++) {
        file.read((first + index) * patchBytes, patch.bytes);
        writePlanes(patch, tables, place, index);
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
    const patch = makePatch(input.size);
    patch.bytes.set(makeGoldenPatch(golden, input.size));
    writePlanes(patch, makeTables(input), place, index);
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

type Tables = readonly [red: Float32Array, green: Float32Array, blue: Float32Array];

/** Tables of 256 values halve the time. */
export function makeTables({ mean, std }: Normalisation): Tables {
  const table = (channel: 0 | 1 | 2) =>
    Float32Array.from({ length: 256 }, (_, byte) => (byte / 255 - mean[channel]) / std[channel]);
  return [table(0), table(1), table(2)];
}

interface Patch {
  bytes: Uint8Array;
  /** The same memory, as groups of three: four pixels each, the last ones filled up. */
  words: Uint32Array;
}

export function makePatch(size: number): Patch {
  const words = new Uint32Array(3 * Math.ceil(size ** 2 / 4));
  return { bytes: new Uint8Array(words.buffer, 0, size ** 2 * 3), words };
}

/**
 * Writes the patch into `planes` (NCHW) as item `index`. Pixels are read in words, which takes a third less time; those of the
 * filling lie past the ends of the planes, where typed arrays ignore a write.
 */
export function writePlanes(
  { bytes, words }: Patch,
  [reds, greens, blues]: Tables,
  planes: Float32Array,
  index: number,
): void {
  const area = bytes.length / 3;
  const start = index * bytes.length;
  const red = planes.subarray(start, start + area);
  const green = planes.subarray(start + area, start + 2 * area);
  const blue = planes.subarray(start + 2 * area, start + 3 * area);
  for (let at = 0, from = 0; at < area; at += 4, from += 3) {
    const first = words[from] as number;
    const second = words[from + 1] as number;
    const third = words[from + 2] as number;
    red[at] = reds[first & 255] as number;
    green[at] = greens[(first >>> 8) & 255] as number;
    blue[at] = blues[(first >>> 16) & 255] as number;
    red[at + 1] = reds[first >>> 24] as number;
    green[at + 1] = greens[second & 255] as number;
    blue[at + 1] = blues[(second >>> 8) & 255] as number;
    red[at + 2] = reds[(second >>> 16) & 255] as number;
    green[at + 2] = greens[second >>> 24] as number;
    blue[at + 2] = blues[third & 255] as number;
    red[at + 3] = reds[(third >>> 8) & 255] as number;
    green[at + 3] = greens[(third >>> 16) & 255] as number;
    blue[at + 3] = blues[third >>> 24] as number;
  }
}
