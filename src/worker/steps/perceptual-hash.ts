/**
 * The PDQ hash of a picture (domain/media/perceptual-hash.ts), as its authors describe it: brightness, two passes of a
 * box filter to 64 × 64, the 16 × 16 lowest frequencies of its cosine transform without the constant ones, and a bit for
 * each that lies above their median. Large pictures are averaged down before, which moves a bit or two.
 */
import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { Picture } from '../media/picture.ts';

const SIDE = 64;
const FREQUENCIES = 16;
/** Smaller pictures have too little for a hash of 256 bits. */
const SIDE_PIXELS_MIN = 5;
/** Multiples of it are averaged: filtering twelve megapixels would take a third of a second. */
const REDUCED_SIDE = 512;
/** The authors' scale of quality: sums of steps in brightness, in hundredths of the range. */
const QUALITY_SCALE = 90;

/** Null if the picture is too small. */
export function hashPicture(picture: Picture): PerceptualHash | null {
  if (Math.min(picture.width, picture.height) < SIDE_PIXELS_MIN) return null;
  const small = reduce(picture);
  const frequencies = transform(small);
  const mirrored = frequencies.map((value, index) => (index % 2 === 0 ? -value : value));
  return { hash: toHash(frequencies), mirrored: toHash(mirrored), quality: measureQuality(small) };
}

/** Brightness at 64 × 64: a tent filter made of boxes, first along, so that only 64 columns are filtered down. */
function reduce(picture: Picture): Float32Array {
  const block = Math.max(1, Math.floor(Math.min(picture.width, picture.height) / REDUCED_SIDE));
  const [width, height] = [Math.floor(picture.width / block), Math.floor(picture.height / block)];
  const isFiltered = width !== SIDE || height !== SIDE;
  const [along, down] = isFiltered ? [windowOf(width), windowOf(height)] : [WHOLE, WHOLE];
  const columns = Int32Array.from({ length: SIDE }, (_, x) => Math.floor(((x + 0.5) * width) / SIDE));
  const [line, filtered] = [new Float32Array(width), new Float32Array(width)];
  const narrow = new Float32Array(SIDE * height);
  for (let y = 0; y < height; y++) {
    readLuma(picture, y, block, line);
    filterLine(line, filtered, along);
    takeColumns(filtered, columns, along, narrow.subarray(y * SIDE, (y + 1) * SIDE));
  }
  const filteredDown = filterColumns(narrow, height, down);
  const small = new Float32Array(SIDE * SIDE);
  for (let y = 0; y < SIDE; y++) {
    const row = Math.floor(((y + 0.5) * height) / SIDE);
    meanOfRows(filteredDown, row, down, small.subarray(y * SIDE, (y + 1) * SIDE));
  }
  return small;
}

/** Brightness of a row by BT.601, averaged over blocks if the picture is large. */
function readLuma({ width, rgb }: Picture, y: number, block: number, line: Float32Array): void {
  // Most pictures are not averaged; without the inner loop their hash takes a third less time.
  if (block === 1) {
    for (let x = 0, at = y * width * 3; x < line.length; x++, at += 3) line[x] = lumaAt(rgb, at);
    return;
  }
  line.fill(0);
  const share = 1 / (block * block);
  for (let row = y * block; row < (y + 1) * block; row++) {
    for (let x = 0, at = row * width * 3; x < line.length; x++) {
      let sum = 0;
      for (const end = at + block * 3; at < end; at += 3) sum += lumaAt(rgb, at);
      line[x] = (line[x] as number) + sum * share;
    }
  }
}

function lumaAt(rgb: Buffer, at: number): number {
  return 0.299 * (rgb[at] as number) + 0.587 * (rgb[at + 1] as number) + 0.114 * (rgb[at + 2] as number);
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

/** The second pass along, only for the 64 columns that are used. */
function takeColumns(
  line: Float32Array,
  columns: Int32Array,
  { before, after }: Window,
  into: Float32Array,
): void {
  for (let x = 0; x < SIDE; x++) {
    const column = columns[x] as number;
    const first = Math.max(0, column - before);
    const last = Math.min(line.length - 1, column + after);
    let sum = 0;
    for (let at = first; at <= last; at++) sum += line[at] as number;
    into[x] = sum / (last - first + 1);
  }
}

/** The second pass down, only for the 64 rows that are used. */
function meanOfRows(narrow: Float32Array, row: number, { before, after }: Window, into: Float32Array): void {
  const [first, last] = [Math.max(0, row - before), Math.min(narrow.length / SIDE - 1, row + after)];
  for (let x = 0; x < SIDE; x++) {
    let sum = 0;
    for (let y = first; y <= last; y++) sum += narrow[y * SIDE + x] as number;
    into[x] = sum / (last - first + 1);
  }
}

/** A moving mean; at the ends over the existing values. */
function filterLine(from: Float32Array, to: Float32Array, { before, after }: Window): void {
  const { length } = from;
  let [sum, size] = [0, 0];
  for (let at = 0; at < Math.min(length, after); at++, size++) sum += from[at] as number;
  for (let at = 0; at < length; at++) {
    if (at + after < length) {
      sum += from[at + after] as number;
      size += 1;
    }
    if (at > before) {
      sum -= from[at - before - 1] as number;
      size -= 1;
    }
    to[at] = sum / size;
  }
}

/** The same down the 64 columns, side by side, as memory holds them. */
function filterColumns(from: Float32Array, height: number, { before, after }: Window): Float32Array {
  const to = new Float32Array(from.length);
  const sums = new Float64Array(SIDE);
  let size = 0;
  for (let y = -after; y < height; y++) {
    if (y + after < height) size += addRow(sums, from, y + after, 1);
    if (y > before) size += addRow(sums, from, y - before - 1, -1);
    if (y >= 0) for (let x = 0; x < SIDE; x++) to[y * SIDE + x] = (sums[x] as number) / size;
  }
  return to;
}

/** Returns how many rows more the sums hold. */
function addRow(sums: Float64Array, from: Float32Array, row: number, sign: 1 | -1): number {
  for (let x = 0; x < SIDE; x++) sums[x] = (sums[x] as number) + sign * (from[row * SIDE + x] as number);
  return sign;
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
