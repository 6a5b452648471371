/** A probability for every pixel: bilinear between the centres of patches, the outermost score beyond them. */
import type { PatchPosition } from '../../domain/media/patches.ts';

export interface ScoredPatches {
  size: number;
  positions: readonly PatchPosition[];
  /** One per position, 0..1. */
  probabilities: readonly number[];
}

interface Grid {
  /** Centres of columns and rows in pixels of the whole picture, ascending. */
  xs: number[];
  ys: number[];
  /** Row by row. */
  values: Float64Array;
}

/** For a map of `width` × `height` whose pixels are `step` pixels of the whole picture apart. */
export function interpolateMap(
  patches: ScoredPatches,
  map: { width: number; height: number; stepX: number; stepY: number },
): Float32Array {
  const grid = toGrid(patches);
  const columns = weigh(grid.xs, map.width, map.stepX);
  const rows = weigh(grid.ys, map.height, map.stepY);
  const stride = grid.xs.length;
  const out = new Float32Array(map.width * map.height);
  let index = 0;
  for (const row of rows) {
    for (const column of columns) {
      const at = (y: number, x: number) => grid.values[y * stride + x] ?? 0;
      const above = at(row.low, column.low) * (1 - column.share) + at(row.low, column.high) * column.share;
      const below = at(row.high, column.low) * (1 - column.share) + at(row.high, column.high) * column.share;
      out[index++] = above * (1 - row.share) + below * row.share;
    }
  }
  return out;
}

/** Positions are a full grid (`placePatches`); on small pictures neighbours may coincide. */
function toGrid({ size, positions, probabilities }: ScoredPatches): Grid {
  if (positions.length === 0 || positions.length !== probabilities.length) {
    throw new Error(`${positions.length} patches with ${probabilities.length} probabilities make no map`);
  }
  const lefts = distinct(positions.map(({ x }) => x));
  const tops = distinct(positions.map(({ y }) => y));
  const values = new Float64Array(lefts.length * tops.length).fill(Number.NaN);
  for (const [index, { x, y }] of positions.entries()) {
    values[tops.indexOf(y) * lefts.length + lefts.indexOf(x)] = probabilities[index] ?? Number.NaN;
  }
  if (values.some(Number.isNaN)) throw new Error('the patches of the map do not fill a grid');
  return { xs: lefts.map((x) => x + size / 2), ys: tops.map((y) => y + size / 2), values };
}

const distinct = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

interface Weight {
  low: number;
  high: number;
  /** Weight of `high`, 0..1. */
  share: number;
}

function weigh(centres: number[], length: number, step: number): Weight[] {
  let high = 0;
  return Array.from({ length }, (_, index) => {
    const position = (index + 0.5) * step;
    while (high < centres.length && (centres[high] ?? 0) <= position) high++;
    if (high === 0) return { low: 0, high: 0, share: 0 };
    if (high === centres.length) return { low: high - 1, high: high - 1, share: 0 };
    const start = centres[high - 1] ?? 0;
    return { low: high - 1, high, share: (position - start) / ((centres[high] ?? 0) - start) };
  });
}
