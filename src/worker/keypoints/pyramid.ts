/** A grey picture in smaller and smaller sizes, and blurred, in which keypoints are found and described. */
import { LEVEL_FACTOR, LEVELS } from '../../domain/media/keypoints.ts';
import { Scratch } from '../media/scratch.ts';
import { RADIUS } from './descriptor.ts';
import type { Grey } from './grey.ts';

/** Levels that are too small to hold a keypoint are left out. */
export function buildPyramid(grey: Grey): Grey[] {
  const levels = [grey];
  while (levels.length < LEVELS) {
    const scale = LEVEL_FACTOR ** levels.length;
    const [width, height] = [Math.round(grey.width / scale), Math.round(grey.height / scale)];
    if (Math.min(width, height) <= 2 * RADIUS + 4) break;
    levels.push(scaleDown(levels.at(-1) as Grey, width, height));
  }
  return levels;
}

/** Interpolates the four nearest pixels: enough if a level is hardly smaller than the one before. */
function scaleDown(from: Grey, width: number, height: number): Grey {
  const values = new Uint8Array(width * height);
  const columns = samplesOf(from.width, width);
  const rows = samplesOf(from.height, height);
  for (let y = 0; y < height; y++) {
    const share = rows.shares[y] as number;
    const start = (rows.starts[y] as number) * from.width;
    scaleRow(from, { start, share }, columns, values.subarray(y * width, (y + 1) * width));
  }
  return { width, height, values };
}

/** One row of two, in a function of its own: a loop within a loop stays slow for the first pictures of a process. */
function scaleRow(
  { width, values }: Grey,
  { start, share }: { start: number; share: number },
  { starts, shares }: Samples,
  to: Uint8Array,
): void {
  for (let x = 0; x < to.length; x++) {
    const shareX = shares[x] as number;
    const at = start + (starts[x] as number);
    const below = at + width;
    const upper = (values[at] as number) * (1 - shareX) + (values[at + 1] as number) * shareX;
    const lower = (values[below] as number) * (1 - shareX) + (values[below + 1] as number) * shareX;
    to[x] = upper * (1 - share) + lower * share + 0.5;
  }
}

interface Samples {
  starts: Int32Array;
  shares: Float64Array;
}

/** The pixel of `from` before each pixel of `to`, and how far it lies towards the next. */
function samplesOf(from: number, to: number): Samples {
  const samples = { starts: new Int32Array(to), shares: new Float64Array(to) };
  const step = from / to;
  for (let index = 0; index < to; index++) {
    const exact = Math.max(0, Math.min(from - 1.001, (index + 0.5) * step - 0.5));
    const start = Math.floor(exact);
    samples.starts[index] = start;
    samples.shares[index] = exact - start;
  }
  return samples;
}

const halfMemory = new Scratch();

/** A binomial filter of five pixels, in both directions. */
export function blur({ width, height, values }: Grey): Grey {
  // Whole numbers below 2^16.
  const half = halfMemory.shorts(values.length);
  const smooth = new Uint8Array(values);
  for (let y = 0; y < height; y++) blurAlong(values, half, y * width + 2, (y + 1) * width - 2);
  for (let y = 2; y < height - 2; y++)
    blurAcross(half, smooth, { from: y * width + 2, to: (y + 1) * width - 2, width });
  return { width, height, values: smooth };
}

function blurAlong(values: Uint8Array, half: Uint16Array, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    half[at] =
      (values[at - 2] as number) +
      (values[at + 2] as number) +
      4 * ((values[at - 1] as number) + (values[at + 1] as number)) +
      6 * (values[at] as number);
  }
}

function blurAcross(
  half: Uint16Array,
  smooth: Uint8Array,
  { from, to, width }: { from: number; to: number; width: number },
): void {
  for (let at = from; at < to; at++) {
    const sum =
      (half[at - 2 * width] as number) +
      (half[at + 2 * width] as number) +
      4 * ((half[at - width] as number) + (half[at + width] as number)) +
      6 * (half[at] as number);
    smooth[at] = (sum + 128) >> 8;
  }
}
