/**
 * The PDQ hash of a picture (domain/media/perceptual-hash.ts), as its authors describe it: brightness, two passes of a
 * box filter to 64 × 64, the 16 × 16 lowest frequencies of its cosine transform without the constant ones, and a bit for
 * each that lies above their median. Large pictures are averaged down before, which moves a bit or two.
 */
import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { Picture } from '../media/picture.ts';
import { Scratch } from '../media/scratch.ts';

const SIDE = 64;
const FREQUENCIES = 16;
/** Smaller pictures have too little for a hash of 256 bits. */
const SIDE_PIXELS_MIN = 5;
/**
 * Pictures of whole multiples of it are averaged: the filter's passes over twelve megapixels would take a third of a second.
 */
const REDUCED_SIDE = 512;
/** The authors' scale of quality: sums of steps in brightness, in hundredths of the range. */
const QUALITY_SCALE = 90;

interface Plane {
  width: number;
  height: number;
  values: Float32Array;
}

/** Null if the picture is too small. */
export function hashPicture(picture: Picture): PerceptualHash | null {
  if (Math.min(picture.width, picture.height) < SIDE_PIXELS_MIN) return null;
  const small = reduce(toLuma(picture));
  const frequencies = transform(small);
  const mirrored = frequencies.map((value, index) => (index % 2 === 0 ? -value : value));
  return { hash: toHash(frequencies), mirrored: toHash(mirrored), quality: measureQuality(small) };
}

const planeMemory = new Scratch();
const spareMemory = new Scratch();

/** Brightness by BT.601, averaged over blocks if the picture is large. */
function toLuma({ width, height, rgb }: Picture): Plane {
  const block = Math.max(1, Math.floor(Math.min(width, height) / REDUCED_SIDE));
  const [columns, rows] = [Math.floor(width / block), Math.floor(height / block)];
  const values = planeMemory.floats(columns * rows).fill(0);
  const share = 1 / (block * block);
  for (let y = 0; y < rows * block; y++) {
    const row = rgb.subarray(y * width * 3, (y + 1) * width * 3);
    const first = Math.floor(y / block) * columns;
    for (let column = 0, at = 0; column < columns; column++) {
      let sum = 0;
      for (const end = at + block * 3; at < end; at += 3) {
        sum += 0.299 * (row[at] as number) + 0.587 * (row[at + 1] as number);
        sum += 0.114 * (row[at + 2] as number);
      }
      values[first + column] = (values[first + column] as number) + sum * share;
    }
  }
  return { width: columns, height: rows, values };
}

/** Reduces to 64 × 64: a tent filter made of boxes, then the middle pixel of each part. */
function reduce(plane: Plane): Float32Array {
  const { width, height } = plane;
  const isFiltered = width !== SIDE || height !== SIDE;
  if (isFiltered) {
    const spare = spareMemory.floats(plane.values.length);
    for (let y = 0; y < height; y++) filterLine(plane.values, spare, y * width, width);
    filterColumns(spare, plane.values, width, height);
  }
  const columns = Int32Array.from({ length: SIDE }, (_, x) => Math.floor(((x + 0.5) * width) / SIDE));
  const narrow = takeColumns(plane, columns, isFiltered ? windowOf(width) : WHOLE);
  const small = new Float32Array(SIDE * SIDE);
  for (let y = 0; y < SIDE; y++) {
    const row = Math.floor(((y + 0.5) * height) / SIDE);
    meanOfRows(narrow, row, isFiltered ? windowOf(height) : WHOLE, small.subarray(y * SIDE, (y + 1) * SIDE));
  }
  return small;
}

/** Values before and after the one that a mean belongs to. */
interface Window {
  before: number;
  after: number;
}

const WHOLE: Window = { before: 0, after: 0 };

/** Aligned as the authors' moving mean. */
function windowOf(length: number): Window {
  const size = Math.ceil(length / (2 * SIDE));
  const after = Math.floor((size + 2) / 2) - 1;
  return { before: size - 1 - after, after };
}

/** The last pass, only for the 64 columns that are used. */
function takeColumns(
  { width, height, values }: Plane,
  columns: Int32Array,
  { before, after }: Window,
): Plane {
  const narrow = new Float32Array(SIDE * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < SIDE; x++) {
      const column = columns[x] as number;
      const from = y * width + Math.max(0, column - before);
      const to = y * width + Math.min(width - 1, column + after);
      let sum = 0;
      for (let at = from; at <= to; at++) sum += values[at] as number;
      narrow[y * SIDE + x] = sum / (to - from + 1);
    }
  }
  return { width: SIDE, height, values: narrow };
}

function meanOfRows(
  { height, values }: Plane,
  row: number,
  { before, after }: Window,
  into: Float32Array,
): void {
  const [first, last] = [Math.max(0, row - before), Math.min(height - 1, row + after)];
  for (let x = 0; x < SIDE; x++) {
    let sum = 0;
    for (let y = first; y <= last; y++) sum += values[y * SIDE + x] as number;
    into[x] = sum / (last - first + 1);
  }
}

/** A moving mean over `length` values from `start` on; at the ends over the existing ones. */
function filterLine(from: Float32Array, to: Float32Array, start: number, length: number): void {
  const { before, after } = windowOf(length);
  const last = start + length - 1;
  let [sum, size] = [0, 0];
  for (let at = start; at < Math.min(last + 1, start + after); at++, size++) sum += from[at] as number;
  for (let at = start; at <= last; at++) {
    if (at + after <= last) {
      sum += from[at + after] as number;
      size += 1;
    }
    if (at - before > start) {
      sum -= from[at - before - 1] as number;
      size -= 1;
    }
    to[at] = sum / size;
  }
}

/** Filters every column, side by side, as memory holds them. */
function filterColumns(from: Float32Array, to: Float32Array, width: number, height: number): void {
  const { before, after } = windowOf(height);
  const sums = new Float64Array(width);
  let size = 0;
  for (let y = -after; y < height; y++) {
    const [entering, leaving] = [y + after < height, y - before > 0];
    if (entering) addRow(sums, from, (y + after) * width, 1);
    if (y < 0) {
      size += entering ? 1 : 0;
      continue;
    }
    if (leaving) addRow(sums, from, (y - before - 1) * width, -1);
    size += (entering ? 1 : 0) - (leaving ? 1 : 0);
    for (let x = 0; x < width; x++) to[y * width + x] = (sums[x] as number) / size;
  }
}

function addRow(sums: Float64Array, from: Float32Array, row: number, sign: 1 | -1): void {
  for (let x = 0; x < sums.length; x++) sums[x] = (sums[x] as number) + sign * (from[row + x] as number);
}

function measureQuality(small: Float32Array): number {
  let steps = 0;
  const step = (from: number, to: number): number =>
    Math.abs(Math.trunc((((small[from] as number) - (small[to] as number)) * 100) / 255));
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = y * SIDE + x;
      if (y + 1 < SIDE) steps += step(at, at + SIDE);
      if (x + 1 < SIDE) steps += step(at, at + 1);
    }
  }
  return Math.min(100, Math.floor(steps / QUALITY_SCALE));
}

const COSINES = Float32Array.from({ length: FREQUENCIES * SIDE }, (_, index) => {
  const [frequency, place] = [Math.floor(index / SIDE) + 1, index % SIDE];
  return Math.sqrt(2 / SIDE) * Math.cos((Math.PI / (2 * SIDE)) * frequency * (2 * place + 1));
});

/** The frequencies 1 to 16 of both directions, row by row. */
function transform(small: Float32Array): Float32Array {
  const half = new Float32Array(FREQUENCIES * SIDE);
  for (let row = 0; row < FREQUENCIES; row++) {
    for (let x = 0; x < SIDE; x++) {
      let sum = 0;
      for (let y = 0; y < SIDE; y++) {
        sum += (COSINES[row * SIDE + y] as number) * (small[y * SIDE + x] as number);
      }
      half[row * SIDE + x] = sum;
    }
  }
  const frequencies = new Float32Array(FREQUENCIES * FREQUENCIES);
  for (let row = 0; row < FREQUENCIES; row++) {
    for (let column = 0; column < FREQUENCIES; column++) {
      let sum = 0;
      for (let x = 0; x < SIDE; x++) {
        sum += (half[row * SIDE + x] as number) * (COSINES[column * SIDE + x] as number);
      }
      frequencies[row * FREQUENCIES + column] = sum;
    }
  }
  return frequencies;
}

function toHash(frequencies: Float32Array): string {
  const median = frequencies.toSorted()[frequencies.length / 2 - 1] as number;
  let hash = '';
  for (let nibble = frequencies.length / 4 - 1; nibble >= 0; nibble--) {
    let digit = 0;
    for (let bit = 3; bit >= 0; bit--) {
      digit = digit * 2 + ((frequencies[nibble * 4 + bit] as number) > median ? 1 : 0);
    }
    hash += digit.toString(16);
  }
  return hash;
}
