/** The keypoints of a picture (domain/media/keypoints.ts): the strongest corners of each size, spread over the picture. */

import sharp from 'sharp';
import {
  type AskedKeypoints,
  DESCRIPTOR_WORDS,
  emptyKeypoints,
  type Keypoints,
  LEVEL_FACTOR,
  LEVELS,
  UNSURE_BITS,
} from '../../domain/media/keypoints.ts';
import { Scratch } from '../media/scratch.ts';
import { findCorners } from './corners.ts';
import { describeAt, directionAt, RADIUS, unsureBitsAt } from './descriptor.ts';
import type { Grey } from './grey.ts';

/** Columns and rows of the grid whose cells each give at most their share. */
const CELLS = 8;
/** A cell's bound, in even shares. */
const CELL_SHARE = 2;

/** Upright, 8-bit RGB, row by row. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Buffer;
}

export interface Wanted {
  /** The picture is reduced to this long side. */
  side: number;
  countMax: number;
}

export async function findKeypoints(picture: Pixels, wanted: Wanted): Promise<Keypoints> {
  return describeGrey(await reduce(picture, wanted, false), wanted.countMax).keypoints;
}

export async function findAskedKeypoints(
  picture: Pixels,
  wanted: Wanted,
  mirrored = false,
): Promise<AskedKeypoints> {
  const { keypoints, smooth } = describeGrey(await reduce(picture, wanted, mirrored), wanted.countMax);
  const unsure = new Uint8Array(keypoints.count * UNSURE_BITS);
  for (let index = 0; index < keypoints.count; index++) {
    const level = keypoints.level[index] as number;
    const scale = LEVEL_FACTOR ** level;
    const [x, y] = [(keypoints.x[index] as number) / scale, (keypoints.y[index] as number) / scale];
    const place = { x: Math.round(x), y: Math.round(y), angle: keypoints.angle[index] as number };
    unsure.set(unsureBitsAt(smooth[level] as Grey, place), index * UNSURE_BITS);
  }
  return { ...keypoints, unsure };
}

async function reduce(picture: Pixels, wanted: Wanted, mirrored: boolean): Promise<Grey> {
  const { width, height, rgb } = picture;
  const turned = sharp(rgb, { raw: { width, height, channels: 3 } }).flop(mirrored);
  const { data, info } = await turned
    .resize(wanted.side, wanted.side, { fit: 'inside', withoutEnlargement: true, kernel: 'linear' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  // The array type of the smaller levels: loops over two types are slower.
  const values = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { width: info.width, height: info.height, values };
}

interface Placed {
  x: number;
  y: number;
  level: number;
}

/** `smooth` are the blurred levels in which they were described. */
interface Described {
  keypoints: Keypoints;
  smooth: Grey[];
}

function describeGrey(grey: Grey, countMax: number): Described {
  if (Math.min(grey.width, grey.height) <= 2 * RADIUS + 4)
    return { keypoints: emptyKeypoints(grey.width, grey.height, 0), smooth: [] };
  const levels = buildPyramid(grey);
  const chosen = levels.flatMap((level, index) =>
    chooseOf(level, index, shareOf(index, levels.length, countMax)),
  );
  const keypoints = emptyKeypoints(grey.width, grey.height, chosen.length);
  const smooth = levels.map(blur);
  for (const [index, { x, y, level }] of chosen.entries()) {
    const angle = directionAt(levels[level] as Grey, x, y);
    const scale = LEVEL_FACTOR ** level;
    keypoints.x[index] = x * scale;
    keypoints.y[index] = y * scale;
    keypoints.angle[index] = angle;
    keypoints.level[index] = level;
    describeAt(smooth[level] as Grey, { x, y, angle }, keypoints.words, index * DESCRIPTOR_WORDS);
  }
  return { keypoints, smooth };
}

/** Smaller levels get fewer places. */
function shareOf(index: number, levels: number, countMax: number): number {
  const weight = (level: number) => LEVEL_FACTOR ** -level;
  const sum = Array.from({ length: levels }, (_, level) => weight(level)).reduce((a, b) => a + b, 0);
  return Math.floor((countMax * weight(index)) / sum);
}

function chooseOf(grey: Grey, level: number, count: number): Placed[] {
  const { width, height } = grey;
  const cellMax = Math.max(1, Math.ceil((count * CELL_SHARE) / CELLS ** 2));
  const taken = new Uint16Array(CELLS ** 2);
  const [spread, rest]: [number[], number[]] = [[], []];
  for (const at of findCorners(grey, RADIUS + 1)) {
    const column = Math.floor(((at % width) * CELLS) / width);
    const cell = column + CELLS * Math.floor((Math.floor(at / width) * CELLS) / height);
    const isFree = (taken[cell] as number) < cellMax;
    if (isFree) taken[cell] = (taken[cell] as number) + 1;
    (isFree ? spread : rest).push(at);
    if (spread.length === count) break;
  }
  const chosen = [...spread, ...rest.slice(0, count - spread.length)];
  return chosen.map((at) => ({ x: at % width, y: Math.floor(at / width), level }));
}

/**
 * A grey picture in smaller and smaller sizes, and blurred, in which keypoints are found and described. Levels that are too
 * small to hold a keypoint are left out.
 */
function buildPyramid(grey: Grey): Grey[] {
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
function blur({ width, height, values }: Grey): Grey {
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
