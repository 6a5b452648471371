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
/** All of a picture of 1024 × 1024; of a larger one as many rows of blocks, evenly spread. */
const BLOCKS_MAX = 16_384;

/**
 * What the encoder was handed decides what the decoder must compute: `bytes` as a picture file holds them, or `floats`
 * straight from the generator, around zero; the channels in the order that the package asks for, or forgotten to turn.
 */
interface Layout {
  isFloat: boolean;
  isSwapped: boolean;
}

const LAYOUTS: readonly Layout[] = [
  { isFloat: false, isSwapped: false },
  { isFloat: true, isSwapped: false },
  { isFloat: true, isSwapped: true },
];

/** The messages that a picture carries; none for most. Null where it is smaller than what the scheme marks. */
export function findWatermarks(picture: Picture): WatermarkFind[] | null {
  const { width, height } = picture;
  if (width * height < MARKED_PIXELS_MIN || Math.min(width, height) < BLOCK) return null;
  const errors = countErrors(picture);
  return WATERMARK_MESSAGES.flatMap(({ id, bits, errorsMax }, index) => {
    const wrong = errors[index] as number;
    return wrong > errorsMax ? [] : [{ id, bits: bits.length, errors: wrong }];
  });
}

/** Wrong bits of each message, in their order, in the layout that fits it best. */
export function countErrors(picture: Picture): number[] {
  const votes = LAYOUTS.map((layout) => readVotes(picture, layout));
  return WATERMARK_MESSAGES.map((message) => Math.min(...votes.map((read) => countWrong(read, message))));
}

/** One vote a block, from -1 for a clear zero to 1, with the block's number in the picture, by which it belongs to a bit. */
interface Votes {
  numbers: Uint32Array;
  weights: Float32Array;
}

function readVotes(picture: Picture, layout: Layout): Votes {
  const columns = Math.floor(picture.width / BLOCK);
  const rows = Math.floor(picture.height / BLOCK);
  const rowsRead = Math.min(rows, Math.max(1, Math.floor(BLOCKS_MAX / columns)));
  const numbers = new Uint32Array(columns * rowsRead);
  const weights = new Float32Array(columns * rowsRead);
  const sums = new Float32Array(columns * BLOCK * 2);
  for (let index = 0; index < rowsRead; index++) {
    const row = Math.floor((index * rows) / rowsRead);
    sumRow(picture, layout, row * BLOCK, sums);
    for (let column = 0; column < columns; column++) {
      const coefficient = largestOf(sums, columns * 4, column * 4);
      numbers[index * columns + column] = row * columns + column;
      weights[index * columns + column] = -Math.sin((coefficient / STEP) * 2 * Math.PI);
    }
  }
  return { numbers, weights };
}

/**
 * The approximation of one row of blocks, four lines of it, as sums of 2 × 2 pixels of the U plane. One loop for bytes and
 * one for floats: a call for each pixel would take three times as long.
 */
function sumRow(picture: Picture, layout: Layout, top: number, sums: Float32Array): void {
  const length = Math.floor(picture.width / BLOCK) * 4;
  for (let line = 0; line < 4; line++) {
    const start = (top + line * 2) * picture.width * 3;
    const place = sums.subarray(line * length, (line + 1) * length);
    if (layout.isFloat) sumFloats(picture, start, layout.isSwapped ? 2 : 0, place);
    else sumBytes(picture, start, place);
  }
}

function sumBytes({ width, rgb }: Picture, start: number, sums: Float32Array): void {
  for (let column = 0; column < sums.length; column++) {
    const upper = start + column * 6;
    const lower = upper + width * 3;
    sums[column] =
      byteChroma(rgb, upper) +
      byteChroma(rgb, upper + 3) +
      byteChroma(rgb, lower) +
      byteChroma(rgb, lower + 3);
  }
}

function sumFloats({ width, rgb }: Picture, start: number, red: number, sums: Float32Array): void {
  for (let column = 0; column < sums.length; column++) {
    const upper = start + column * 6;
    const lower = upper + width * 3;
    sums[column] =
      floatChroma(rgb, upper, red) +
      floatChroma(rgb, upper + 3, red) +
      floatChroma(rgb, lower, red) +
      floatChroma(rgb, lower + 3, red);
  }
}

/** As OpenCV computes U of 8-bit pixels, to the last bit. */
function byteChroma(rgb: Buffer, at: number): number {
  const blue = rgb[at + 2] as number;
  const luma = (1868 * blue + 9617 * (rgb[at + 1] as number) + 4899 * (rgb[at] as number) + 8192) >> 14;
  return ((blue - luma) * 8061 + 2_105_344) >> 14;
}

/** And of floating point ones, which lie around a half instead of 128. */
function floatChroma(rgb: Buffer, at: number, red: number): number {
  const blue = rgb[at + 2 - red] as number;
  const luma = 0.114 * blue + 0.587 * (rgb[at + 1] as number) + 0.299 * (rgb[at + red] as number);
  return (blue - luma) * 0.492 + 0.5;
}

/** The size of the largest coefficient of a block but the first. */
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
