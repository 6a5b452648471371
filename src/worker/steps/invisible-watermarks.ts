/**
 * Looks for the invisible watermarks of open generators (domain/media/open-watermarks.ts), which the method `dwtDct` of
 * invisible-watermark 0.2.0 writes: one Haar level of the U plane, blocks of 4 × 4 of its approximation, of each block the
 * largest coefficient but the first, and of that coefficient the half of a step of 36 in which it lies. Bits repeat over
 * the blocks, so each is a vote. Blind to anything that moves the blocks or smooths the colours: scaling, turning,
 * cropping other than at the right and at the bottom, and nearly every JPEG.
 *
 * The package's own decoder counts votes against a half and loses a third of what its encoder wrote: a plain surface
 * votes for one side everywhere. Here a vote weighs by how clearly it falls, and the bits with the most weight are the
 * ones, as many as the message has: what all bits have in common falls out (docs/marks.md has the figures of both).
 */
import {
  MARKED_PIXELS_MIN,
  WATERMARK_MESSAGES,
  type WatermarkFind,
  type WatermarkMessage,
} from '../../domain/media/open-watermarks.ts';
import type { Picture } from '../media/picture.ts';

/** Pixels of a block: four coefficients of one level. */
const BLOCK = 8;
/** Twice the package's step of 36: here a coefficient is the sum of its four pixels, there half of it. */
const STEP = 72;
/** Blocks of a picture of 1024 × 1024; of a larger one as many rows of blocks are read, evenly spread. */
const BLOCKS_MAX = 16_384;

/** The messages found; none for most. Null if the picture is smaller than the scheme marks. */
export function findWatermarks(picture: Picture): WatermarkFind[] | null {
  const { width, height } = picture;
  if (width * height < MARKED_PIXELS_MIN || Math.min(width, height) < BLOCK) return null;
  const errors = countErrors(picture);
  return WATERMARK_MESSAGES.flatMap(({ id, bits, errorsMax }, index) => {
    const wrong = errors[index] as number;
    return wrong > errorsMax ? [] : [{ id, bits: bits.length, errors: wrong }];
  });
}

/** Wrong bits of each message, in order, in the layout that fits it best. */
export function countErrors(picture: Picture): number[] {
  const votes = readVotes(picture);
  return WATERMARK_MESSAGES.map((message) => Math.min(...votes.map((read) => countWrong(read, message))));
}

/** One vote a block, from -1 for a clear zero to 1, with the block's number in the picture, by which it belongs to a bit. */
interface Votes {
  numbers: Uint32Array;
  weights: Float32Array;
}

/**
 * Four lines of sums of 2 × 2 pixels of the U plane, of one row of blocks. What the encoder was handed decides what the decoder
 * must compute: `bytes` as a picture file holds them, or `floats` straight from the generator, around zero; the channels in the
 * order that the package asks for, or forgotten to turn (`swapped`).
 */
class Sums {
  readonly bytes: Float32Array;
  readonly floats: Float32Array;
  readonly swapped: Float32Array;

  constructor(columns: number) {
    this.bytes = new Float32Array(columns * 16);
    this.floats = new Float32Array(columns * 16);
    this.swapped = new Float32Array(columns * 16);
  }

  get layouts(): readonly Float32Array[] {
    return [this.bytes, this.floats, this.swapped];
  }
}

function readVotes(picture: Picture): Votes[] {
  const columns = Math.floor(picture.width / BLOCK);
  const rows = Math.floor(picture.height / BLOCK);
  const rowsRead = Math.min(rows, Math.max(1, Math.floor(BLOCKS_MAX / columns)));
  const numbers = new Uint32Array(columns * rowsRead);
  const sums = new Sums(columns);
  const votes = sums.layouts.map(() => ({ numbers, weights: new Float32Array(columns * rowsRead) }));
  for (let index = 0; index < rowsRead; index++) {
    const row = Math.floor((index * rows) / rowsRead);
    sumRow(picture, row * BLOCK, columns, sums);
    for (let column = 0; column < columns; column++)
      numbers[index * columns + column] = row * columns + column;
    for (const [layout, { weights }] of votes.entries()) {
      voteRow(sums.layouts[layout] as Float32Array, weights.subarray(index * columns, (index + 1) * columns));
    }
  }
  return votes;
}

function sumRow(picture: Picture, top: number, columns: number, sums: Sums): void {
  for (let line = 0; line < 4; line++) {
    sumLine(
      picture,
      (top + line * 2) * picture.width * 3,
      { from: line * columns * 4, count: columns * 4 },
      sums,
    );
  }
}

/** All layouts in one loop, which reads each pixel once. For floats the chroma of a sum is the sum of the pixels' own. */
function sumLine(
  { width, rgb }: Picture,
  start: number,
  { from, count }: { from: number; count: number },
  { bytes, floats, swapped }: Sums,
): void {
  for (let column = 0; column < count; column++) {
    const upper = start + column * 6;
    const lower = upper + width * 3;
    const ofBytes =
      byteChroma(rgb, upper) +
      byteChroma(rgb, upper + 3) +
      byteChroma(rgb, lower) +
      byteChroma(rgb, lower + 3);
    const red = fourOf(rgb, upper, lower);
    const green = fourOf(rgb, upper + 1, lower + 1);
    const blue = fourOf(rgb, upper + 2, lower + 2);
    bytes[from + column] = ofBytes;
    floats[from + column] = floatChroma(red, green, blue);
    swapped[from + column] = floatChroma(blue, green, red);
  }
}

/** U of 8-bit pixels exactly as OpenCV computes it. */
function byteChroma(rgb: Buffer, at: number): number {
  const blue = rgb[at + 2] as number;
  const luma = (1868 * blue + 9617 * (rgb[at + 1] as number) + 4899 * (rgb[at] as number) + 8192) >> 14;
  return ((blue - luma) * 8061 + 2_105_344) >> 14;
}

function fourOf(rgb: Buffer, upper: number, lower: number): number {
  return (
    (rgb[upper] as number) + (rgb[upper + 3] as number) + (rgb[lower] as number) + (rgb[lower + 3] as number)
  );
}

/** U of floats, of four at a time, each around a half instead of 128. */
function floatChroma(red: number, green: number, blue: number): number {
  return (blue - (0.114 * blue + 0.587 * green + 0.299 * red)) * 0.492 + 2;
}

function voteRow(sums: Float32Array, weights: Float32Array): void {
  const length = weights.length * 4;
  for (let column = 0; column < weights.length; column++) {
    const coefficient = largestOf(sums, length, column * 4);
    weights[column] = -Math.sin((coefficient / STEP) * 2 * Math.PI);
  }
}

/** The largest coefficient of a block but the first. */
function largestOf(sums: Float32Array, length: number, left: number): number {
  let most = 0;
  for (let place = 1; place < 16; place++) {
    const size = Math.abs(sums[(place >> 2) * length + left + (place & 3)] as number);
    if (size > most) most = size;
  }
  return most;
}

function countWrong({ numbers, weights }: Votes, { bits, ones }: WatermarkMessage): number {
  const counts = new Uint32Array(bits.length);
  const sums = new Float64Array(bits.length);
  for (let vote = 0; vote < numbers.length; vote++) {
    const bit = (numbers[vote] as number) % bits.length;
    counts[bit] = (counts[bit] as number) + 1;
    sums[bit] = (sums[bit] as number) + (weights[vote] as number);
  }
  const means = sums.map((sum, bit) => sum / Math.max(1, counts[bit] as number));
  const threshold = means.toSorted()[bits.length - ones - 1] as number;
  return bits.reduce((wrong, bit, index) => {
    const isOne = (means[index] as number) > threshold;
    return wrong + (isOne === (bit === 1) ? 0 : 1);
  }, 0);
}
