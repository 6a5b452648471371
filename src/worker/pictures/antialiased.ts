/**
 * Pillow's antialiased bilinear scaling of 8-bit pictures, to the bit: a triangle widened by the scale, columns
 * before rows, 22-bit coefficients, rounded to whole grey levels between the two. Models were trained on exactly this.
 */
import type { Picture } from '../media/picture.ts';

const PRECISION_BITS = 22;
const HALF = 1 << (PRECISION_BITS - 1);
const CHANNELS = 3;

interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part `region` of the picture scaled to width × height; only what it needs is computed. */
export function scaleAntialiased(
  picture: Picture,
  { width, height }: { width: number; height: number },
  region: Region,
): Buffer {
  const rows = weightsOf(picture.height, height).slice(region.y, region.y + region.height);
  const first = rows[0]?.start ?? 0;
  const last = Math.max(...rows.map(({ start, weights }) => start + weights.length));
  const columns = weightsOf(picture.width, width).slice(region.x, region.x + region.width);
  const lines = scaleColumns(picture, columns, { first, last });
  return scaleRows(lines, rows, { first, width: region.width });
}

interface Weights {
  /** The first weighted pixel. */
  start: number;
  weights: Int32Array;
}

function weightsOf(from: number, to: number): Weights[] {
  const scale = from / to;
  const reach = Math.max(1, scale);
  return Array.from({ length: to }, (_, index) => {
    const centre = (index + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - reach + 0.5));
    const end = Math.min(from, Math.trunc(centre + reach + 0.5));
    const exact = Array.from({ length: end - start }, (_unused, at) =>
      Math.max(0, 1 - Math.abs((at + start - centre + 0.5) / reach)),
    );
    const sum = exact.reduce((total, weight) => total + weight, 0);
    const weights = Int32Array.from(exact, (weight) =>
      Math.trunc(0.5 + (weight / sum) * 2 ** PRECISION_BITS),
    );
    return { start, weights };
  });
}

/** Lines `first` to `last` of the picture, scaled across. */
function scaleColumns(
  { width, rgb }: Picture,
  columns: readonly Weights[],
  { first, last }: { first: number; last: number },
): Buffer {
  const lines = Buffer.alloc((last - first) * columns.length * CHANNELS);
  let at = 0;
  for (let y = first; y < last; y++) {
    for (const { start, weights } of columns) {
      const from = (y * width + start) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel++) {
        lines[at++] = weigh(rgb, from + channel, CHANNELS, weights);
      }
    }
  }
  return lines;
}

function scaleRows(
  lines: Buffer,
  rows: readonly Weights[],
  { first, width }: { first: number; width: number },
): Buffer {
  const stride = width * CHANNELS;
  const scaled = Buffer.alloc(rows.length * stride);
  let at = 0;
  for (const { start, weights } of rows) {
    for (let column = 0; column < stride; column++) {
      scaled[at++] = weigh(lines, (start - first) * stride + column, stride, weights);
    }
  }
  return scaled;
}

/** Weights are never negative, so the sum stays below 255.5 and fits 31 bits. */
function weigh(bytes: Buffer, from: number, step: number, weights: Int32Array): number {
  let sum = HALF;
  for (let index = 0; index < weights.length; index++) {
    sum += (weights[index] ?? 0) * (bytes[from + index * step] ?? 0);
  }
  return Math.min(255, sum >> PRECISION_BITS);
}
