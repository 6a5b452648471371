/** How much changes between frames, on thumbnails: in colours (cuts, other light) or in motion. */
import { AV_PIX_FMT_GRAY8, AV_PIX_FMT_RGB24, type AVPixelFormat, SWS_FAST_BILINEAR } from 'node-av/constants';
import { Frame, SoftwareScaleContext } from 'node-av/lib';
import { assertDone, assertMedia } from '../libav/av-fault.ts';

const WIDTH = 64;
const HEIGHT = 36;
/** Histogram cells per channel. */
const SHADES = 8;
const BLOCK = 8;
/** Thumbnail pixels around a block in which it is looked for: an eighth of the picture's width in one frame. */
const REACH = 4;
/** A block that matches another place no better than this (per pixel, of 255) stands still: that is noise, not motion. */
const GAIN_MIN = 1;

export interface ChangeMeter extends Disposable {
  /** The difference from the frame before; 0 for the first. */
  measure: (frame: Frame) => number;
}

/** The share of pixels whose colour moved to another cell of the histogram, 0..1. */
export function colourMeter(): ChangeMeter {
  const thumbnails = new Thumbnails(WIDTH, HEIGHT, AV_PIX_FMT_RGB24);
  let before: Float64Array | null = null;
  return {
    measure: (frame) => {
      const now = histogramOf(thumbnails.shrink(frame));
      const change = before === null ? 0 : differenceOf(before, now);
      before = now;
      return change;
    },
    [Symbol.dispose]: () => thumbnails[Symbol.dispose](),
  };
}

function histogramOf(rgb: Buffer): Float64Array {
  const histogram = new Float64Array(SHADES ** 3);
  const cell = (at: number) => ((rgb[at] ?? 0) * SHADES) >> 8;
  for (let at = 0; at < rgb.length; at += 3) {
    const index = (cell(at) * SHADES + cell(at + 1)) * SHADES + cell(at + 2);
    histogram[index] = (histogram[index] ?? 0) + 3 / rgb.length;
  }
  return histogram;
}

function differenceOf(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += Math.abs((one[index] ?? 0) - (other[index] ?? 0));
  return sum / 2;
}

/** The mean shift of 8 × 8 blocks in thumbnail pixels, by exhaustive matching of absolute differences. */
export function motionMeter(): ChangeMeter {
  const thumbnails = new Thumbnails(WIDTH, HEIGHT, AV_PIX_FMT_GRAY8);
  let before: Buffer | null = null;
  return {
    measure: (frame) => {
      const now = thumbnails.shrink(frame);
      const motion = before === null ? 0 : meanShift(before, now);
      before = now;
      return motion;
    },
    [Symbol.dispose]: () => thumbnails[Symbol.dispose](),
  };
}

function meanShift(before: Buffer, now: Buffer): number {
  let sum = 0;
  let blocks = 0;
  for (let y = 0; y + BLOCK <= HEIGHT; y += BLOCK) {
    for (let x = 0; x + BLOCK <= WIDTH; x += BLOCK) {
      sum += blockShift(before, now, x, y);
      blocks += 1;
    }
  }
  return sum / blocks;
}

function blockShift(before: Buffer, now: Buffer, x: number, y: number): number {
  const still = blockError(before, now, [x, y, 0, 0], Number.POSITIVE_INFINITY);
  let best = still - GAIN_MIN * BLOCK * BLOCK;
  if (best <= 0) return 0;
  let shift = 0;
  for (let dy = -REACH; dy <= REACH; dy++) {
    for (let dx = -REACH; dx <= REACH; dx++) {
      if (x + dx < 0 || x + dx + BLOCK > WIDTH || y + dy < 0 || y + dy + BLOCK > HEIGHT) continue;
      const error = blockError(before, now, [x, y, dx, dy], best);
      if (error >= best) continue;
      best = error;
      shift = Math.hypot(dx, dy);
    }
  }
  return shift;
}

/** Stops once the error is no better than `limit`. */
function blockError(
  before: Buffer,
  now: Buffer,
  [x, y, dx, dy]: readonly [number, number, number, number],
  limit: number,
): number {
  let sum = 0;
  for (let row = 0; row < BLOCK && sum < limit; row++) {
    const here = (y + row) * WIDTH + x;
    const there = (y + dy + row) * WIDTH + x + dx;
    for (let column = 0; column < BLOCK; column++)
      sum += Math.abs((now[here + column] ?? 0) - (before[there + column] ?? 0));
  }
  return sum;
}

/** Frames shrunk to a few pixels, hundreds a second, to compare one with the next. */
class Thumbnails implements Disposable {
  readonly #width: number;
  readonly #height: number;
  readonly #format: AVPixelFormat;
  readonly #small = new Frame();
  #scaler: SoftwareScaleContext | null = null;
  #source = '';

  constructor(width: number, height: number, format: AVPixelFormat) {
    this.#width = width;
    this.#height = height;
    this.#format = format;
    this.#small.alloc();
    Object.assign(this.#small, { width, height, format });
    assertDone(this.#small.getBuffer(), 'a thumbnail cannot be made');
  }

  shrink(frame: Frame): Buffer {
    assertMedia(this.#scalerFor(frame).scaleFrameSync(this.#small, frame), 'a frame cannot be scaled');
    return this.#small.toBuffer();
  }

  [Symbol.dispose](): void {
    this.#scaler?.freeContext();
    this.#small.free();
  }

  #scalerFor({ width, height, format }: Frame): SoftwareScaleContext {
    const source = `${width} ${height} ${format}`;
    if (this.#scaler !== null && source === this.#source) return this.#scaler;
    this.#scaler?.freeContext();
    this.#scaler = new SoftwareScaleContext();
    const from = format as AVPixelFormat;
    this.#scaler.getContext(width, height, from, this.#width, this.#height, this.#format, SWS_FAST_BILINEAR);
    this.#source = source;
    return this.#scaler;
  }
}
