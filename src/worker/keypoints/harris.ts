/**
 * Harris' measure of corners, over the 7 × 7 pixels around each. Sums of a column's seven rows are moved on from row to row: they
 * are whole numbers, so they are the same as sums of each window by itself, which take longer where corners lie close.
 */
import { Scratch } from '../media/scratch.ts';
import type { Grey } from './grey.ts';

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
export function measureHarris(grey: Grey, found: Int32Array, strengths: Float32Array): void {
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
