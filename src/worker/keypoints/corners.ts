/** Corners of a grey picture: FAST (Rosten and Drummond, 2006), ranked by Harris' measure, the best of each 3 × 3 only. */

import { Scratch } from '../media/scratch.ts';
import type { Grey } from './grey.ts';
import { measureHarris } from './harris.ts';

/** Difference of brightness that makes a corner. */
const THRESHOLD = 12;

const strengthMemory = new Scratch();
const foundMemory = new Scratch();
const keyMemory = new Scratch();

/** More than the pixels of any level; with a strength's 31 bits it still fits into a double's whole numbers. */
const PLACES = 2 ** 21;
const STRENGTHS = 2 ** 31;

/** Places of corners, the strongest first, none nearer to an edge than `margin` (≥ 5) pixels. Valid until the next call. */
export function findCorners(grey: Grey, margin: number): Int32Array {
  const { width, height, values } = grey;
  if (width * height >= PLACES) throw new Error(`a level of ${width} × ${height} pixels is too large`);
  const found = foundMemory.words(width * height);
  let count = 0;
  for (let y = margin; y < height - margin; y++) {
    const row = { from: y * width + margin, to: (y + 1) * width - margin };
    count += findInRow(values, width, row, found.subarray(count));
  }
  const strengths = strengthMemory.floats(width * height).fill(0);
  measureHarris(grey, found.subarray(0, count), strengths);
  return strongestFirst(found.subarray(0, count), strengths, width);
}

function findInRow(
  values: Uint8Array,
  width: number,
  { from, to }: { from: number; to: number },
  found: Int32Array,
): number {
  let count = 0;
  for (let at = from; at < to; at++) if (isCorner(values, at, width)) found[count++] = at;
  return count;
}

/** An arc of nine of sixteen pixels holds one of each opposite pair, so most pixels end at the first pairs. */
function isCorner(values: Uint8Array, at: number, width: number): boolean {
  const equal = 255 - (values[at] as number);
  const two = 2 * width;
  const three = two + width;
  const p0 = SIDES[equal + (values[at - three] as number)] as number;
  const p8 = SIDES[equal + (values[at + three] as number)] as number;
  let sides = p0 | p8;
  if (sides === 0) return false;
  const p4 = SIDES[equal + (values[at + 3] as number)] as number;
  const p12 = SIDES[equal + (values[at - 3] as number)] as number;
  sides &= p4 | p12;
  if (sides === 0) return false;
  const p2 = SIDES[equal + (values[at - two + 2] as number)] as number;
  const p10 = SIDES[equal + (values[at + two - 2] as number)] as number;
  sides &= p2 | p10;
  if (sides === 0) return false;
  const p6 = SIDES[equal + (values[at + two + 2] as number)] as number;
  const p14 = SIDES[equal + (values[at - two - 2] as number)] as number;
  sides &= p6 | p14;
  if (sides === 0) return false;
  const p1 = SIDES[equal + (values[at - three + 1] as number)] as number;
  const p9 = SIDES[equal + (values[at + three - 1] as number)] as number;
  sides &= p1 | p9;
  if (sides === 0) return false;
  const p3 = SIDES[equal + (values[at - width + 3] as number)] as number;
  const p11 = SIDES[equal + (values[at + width - 3] as number)] as number;
  sides &= p3 | p11;
  if (sides === 0) return false;
  const p5 = SIDES[equal + (values[at + width + 3] as number)] as number;
  const p13 = SIDES[equal + (values[at - width - 3] as number)] as number;
  sides &= p5 | p13;
  if (sides === 0) return false;
  const p7 = SIDES[equal + (values[at + three + 1] as number)] as number;
  const p15 = SIDES[equal + (values[at - three - 1] as number)] as number;
  const first = p0 | (p1 << 2) | (p2 << 4) | (p3 << 6) | (p4 << 8) | (p5 << 10) | (p6 << 12) | (p7 << 14);
  const second =
    p8 | (p9 << 2) | (p10 << 4) | (p11 << 6) | (p12 << 8) | (p13 << 10) | (p14 << 12) | (p15 << 14);
  return hasArc(first | (second << 16));
}

/** Two bits for each pixel of the circle, one for each side; nine in a row of one side are an arc. */
function hasArc(circle: number): boolean {
  const two = circle & turn(circle, 2);
  const four = two & turn(two, 4);
  const eight = four & turn(four, 8);
  return (eight & turn(circle, 16)) !== 0;
}

const turn = (bits: number, by: number): number => (bits >>> by) | (bits << (32 - by));

const BRIGHTER = 1;
const DARKER = 2;
/** Whether a pixel stands out, for each difference of brightness from -255 on. */
const SIDES = Uint8Array.from({ length: 511 }, (_, index) =>
  index - 255 > THRESHOLD ? BRIGHTER : index - 255 < -THRESHOLD ? DARKER : 0,
);

/** The best of each 3 × 3, sorted as numbers, which the platform does without callbacks. */
function strongestFirst(found: Int32Array, strengths: Float32Array, width: number): Int32Array {
  const bits = new Int32Array(strengths.buffer, strengths.byteOffset, strengths.length);
  const keys = keyMemory.doubles(found.length);
  let count = 0;
  for (const at of found) {
    // Positive numbers sort as their bits do.
    if (isPeak(strengths, at, width)) keys[count++] = (STRENGTHS - (bits[at] as number)) * PLACES + at;
  }
  const sorted = keys.subarray(0, count).sort();
  const places = found.subarray(0, count);
  for (let index = 0; index < count; index++) places[index] = (sorted[index] as number) % PLACES;
  return places;
}

function isPeak(strengths: Float32Array, at: number, width: number): boolean {
  const own = strengths[at] as number;
  if (own <= 0) return false;
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) {
      const place = at + dy * width + dx;
      const other = strengths[place] as number;
      // The first of two equal ones counts.
      if (other > own || (other === own && place < at)) return false;
    }
  }
  return true;
}
