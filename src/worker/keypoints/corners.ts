/** Corners of a grey picture: FAST (Rosten and Drummond, 2006), ranked by Harris' measure, the best of each 3 × 3 only. */
import { Scratch } from '../media/scratch.ts';
import type { Grey } from './grey.ts';

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

/** Harris' corners over 7 × 7 pixels: sums of whole numbers move on exactly from row to row, fast for close corners. */
const RADIUS = 3;
const ROWS = 2 * RADIUS + 1;
const K = 0.04;

const columnMemory = new Scratch();

/** For each column the sums over seven rows of the gradient's squares and product: at most 7 × 255². */
interface Columns {
  xx: Int32Array;
  yy: Int32Array;
  xy: Int32Array;
}

/** Writes the strength of each place of `found`, which are in order and no nearer to an edge than 5 pixels. */
function measureHarris(grey: Grey, found: Int32Array, strengths: Float32Array): void {
  const { width } = grey;
  const columns = takeColumns(width);
  // The row whose window the columns hold; starts far before the first.
  let middle = -2 * ROWS;
  for (let next = 0; next < found.length; ) {
    const row = Math.floor((found[next] as number) / width);
    moveTo(grey, columns, middle, row);
    middle = row;
    next = measureRow(columns, { found, next, start: row * width, end: (row + 1) * width }, strengths);
  }
}

function takeColumns(width: number): Columns {
  const memory = columnMemory.words(3 * width);
  return {
    xx: memory.subarray(0, width),
    yy: memory.subarray(width, 2 * width),
    xy: memory.subarray(2 * width),
  };
}

function moveTo(grey: Grey, columns: Columns, from: number, to: number): void {
  if (to - from < ROWS) {
    for (let row = from; row < to; row++) moveRow(grey, columns, row - RADIUS, row + RADIUS + 1);
    return;
  }
  for (const sums of [columns.xx, columns.yy, columns.xy]) sums.fill(0);
  for (let row = to - RADIUS; row <= to + RADIUS; row++) addRow(grey, columns, row);
}

function addRow({ width, values }: Grey, { xx, yy, xy }: Columns, row: number): void {
  for (let x = 1, at = row * width + 1; x < width - 1; x++, at++) {
    const gx = (values[at + 1] as number) - (values[at - 1] as number);
    const gy = (values[at + width] as number) - (values[at - width] as number);
    xx[x] = (xx[x] as number) + gx * gx;
    yy[x] = (yy[x] as number) + gy * gy;
    xy[x] = (xy[x] as number) + gx * gy;
  }
}

/** Adds the new row and removes the one left behind. */
function moveRow({ width, values }: Grey, { xx, yy, xy }: Columns, left: number, entered: number): void {
  const further = (entered - left) * width;
  for (let x = 1, at = left * width + 1; x < width - 1; x++, at++) {
    const gx = (values[at + 1] as number) - (values[at - 1] as number);
    const gy = (values[at + width] as number) - (values[at - width] as number);
    const to = at + further;
    const hx = (values[to + 1] as number) - (values[to - 1] as number);
    const hy = (values[to + width] as number) - (values[to - width] as number);
    xx[x] = (xx[x] as number) + hx * hx - gx * gx;
    yy[x] = (yy[x] as number) + hy * hy - gy * gy;
    xy[x] = (xy[x] as number) + hx * hy - gx * gy;
  }
}

interface RowOfFound {
  found: Int32Array;
  /** Index of the row's first place. */
  next: number;
  /** Places in the picture. */
  start: number;
  end: number;
}

/** Returns the index of the next row's first place. */
function measureRow(
  { xx, yy, xy }: Columns,
  { found, next, start, end }: RowOfFound,
  strengths: Float32Array,
): number {
  let last = -1;
  let sumXx = 0;
  let sumYy = 0;
  let sumXy = 0;
  let index = next;
  for (; index < found.length && (found[index] as number) < end; index++) {
    const at = found[index] as number;
    const x = at - start;
    if (at === last + 1) {
      sumXx += (xx[x + RADIUS] as number) - (xx[x - RADIUS - 1] as number);
      sumYy += (yy[x + RADIUS] as number) - (yy[x - RADIUS - 1] as number);
      sumXy += (xy[x + RADIUS] as number) - (xy[x - RADIUS - 1] as number);
    } else {
      sumXx = 0;
      sumYy = 0;
      sumXy = 0;
      for (let column = x - RADIUS; column <= x + RADIUS; column++) {
        sumXx += xx[column] as number;
        sumYy += yy[column] as number;
        sumXy += xy[column] as number;
      }
    }
    last = at;
    const trace = sumXx + sumYy;
    strengths[at] = sumXx * sumYy - sumXy * sumXy - K * trace * trace;
  }
  return index;
}
