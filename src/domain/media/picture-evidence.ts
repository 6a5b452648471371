/** Weighs the strongest coherent region: a mean drowns a small edit, and the largest of many tiles accuses any picture. */
import type { PatchPosition } from './patches.ts';
import type { RepeatedShift } from './repeated-parts.ts';
import type { TileAnswers } from './tampering-score.ts';

export const PICTURE_FEATURES = [
  'tileMean',
  'tileStrongest',
  'regionStrongest',
  'regionExcess',
  'cellSpread',
  'cellShare',
  'repeatSharpness',
  'repeatCrowd',
  'repeatVotes',
  'repeatExcess',
] as const;
export type PictureFeature = (typeof PICTURE_FEATURES)[number];
export type PictureFeatures = Record<PictureFeature, number>;

/** A regression on standardised features. */
export interface PictureWeights {
  intercept: number;
  features: Record<PictureFeature, { centre: number; deviation: number; weight: number }>;
}

/** In deviations: a feature far outside of the training's range must not decide alone. */
const DEVIATIONS_MAX = 5;

/** Side of a region in cells: 56 pixels, the smallest edit that can be seen. */
const REGION_CELLS = 7;
/** Log-odds of p = 0.7. */
const SUSPICIOUS = Math.log(0.7 / 0.3);

export interface TilePlaces {
  positions: readonly PatchPosition[];
  /** Side of a tile and of a cell in pixels. */
  size: number;
  cell: number;
}

/** The picture's logit; the pack's calibration makes log-odds of it. */
export function weighPicture(measured: PictureFeatures, { intercept, features }: PictureWeights): number {
  return PICTURE_FEATURES.reduce((sum, name) => {
    const { centre, deviation, weight } = features[name];
    const standardised = (measured[name] - centre) / deviation;
    return sum + weight * Math.max(-DEVIATIONS_MAX, Math.min(DEVIATIONS_MAX, standardised));
  }, intercept);
}

export function measurePicture(
  places: TilePlaces,
  { tiles, cells }: Pick<TileAnswers, 'tiles' | 'cells'>,
  repeats: readonly RepeatedShift[],
): PictureFeatures {
  const grid = joinTiles(places, cells);
  const regions = meanOfRegions(grid).sort();
  const regionStrongest = regions.at(-1) ?? 0;
  const covered = grid.values.filter((_, index) => grid.counts[index] !== 0);
  const mean = average(covered);
  return {
    tileMean: average(tiles),
    tileStrongest: tiles.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY),
    regionStrongest,
    regionExcess: regionStrongest - medianOf(regions),
    cellSpread: Math.sqrt(average(covered.map((logit) => (logit - mean) ** 2))),
    cellShare: average(covered.map((logit) => (logit > SUSPICIOUS ? 1 : 0))),
    ...measureRepeats(repeats),
  };
}

function measureRepeats(repeats: readonly RepeatedShift[]) {
  const most = (name: 'sharpness' | 'crowd' | 'votes') =>
    Math.log1p(repeats.reduce((sum, shift) => Math.max(sum, shift[name]), 0));
  const crowds = Float64Array.from(repeats, ({ crowd }) => crowd).sort();
  return {
    repeatSharpness: most('sharpness'),
    repeatCrowd: most('crowd'),
    repeatVotes: most('votes'),
    repeatExcess: most('crowd') - Math.log1p(medianOf(crowds)),
  };
}

interface Grid {
  /** Mean logit of the tiles that cover a cell. */
  values: Float64Array;
  counts: Uint16Array;
  columns: number;
  rows: number;
}

function joinTiles({ positions, size, cell }: TilePlaces, cells: Float32Array): Grid {
  const side = size / cell;
  const columns = Math.max(...positions.map(({ x }) => x)) / cell + side;
  const rows = Math.max(...positions.map(({ y }) => y)) / cell + side;
  const values = new Float64Array(columns * rows);
  const counts = new Uint16Array(columns * rows);
  for (const [tile, { x, y }] of positions.entries()) {
    for (let index = 0; index < side * side; index++) {
      const at = (y / cell + Math.floor(index / side)) * columns + x / cell + (index % side);
      values[at] = (values[at] ?? 0) + (cells[tile * side * side + index] ?? 0);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return { values: values.map((sum, at) => sum / Math.max(1, counts[at] ?? 0)), counts, columns, rows };
}

/** Mean over the square around every measured cell, within the picture. */
function meanOfRegions({ values, counts, columns, rows }: Grid): Float64Array {
  const sums = integrate(values, columns, rows);
  const seen = integrate(
    Float64Array.from(counts, (count) => Math.min(1, count)),
    columns,
    rows,
  );
  const reach = Math.floor(REGION_CELLS / 2);
  const means: number[] = [];
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      if (counts[y * columns + x] === 0) continue;
      const box = {
        left: Math.max(0, x - reach),
        top: Math.max(0, y - reach),
        right: Math.min(columns, x + reach + 1),
        bottom: Math.min(rows, y + reach + 1),
      };
      means.push(sumOf(sums, columns, box) / sumOf(seen, columns, box));
    }
  }
  return Float64Array.from(means);
}

/** Sums of all cells above and left of each corner, (columns + 1) × (rows + 1). */
function integrate(values: Float64Array, columns: number, rows: number): Float64Array {
  const sums = new Float64Array((columns + 1) * (rows + 1));
  for (let y = 0; y < rows; y++) {
    let line = 0;
    for (let x = 0; x < columns; x++) {
      line += values[y * columns + x] ?? 0;
      sums[(y + 1) * (columns + 1) + x + 1] = (sums[y * (columns + 1) + x + 1] ?? 0) + line;
    }
  }
  return sums;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function sumOf(sums: Float64Array, columns: number, { left, top, right, bottom }: Box): number {
  const at = (x: number, y: number) => sums[y * (columns + 1) + x] ?? 0;
  return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
}

function average(values: Float32Array | Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / Math.max(1, values.length);
}

function medianOf(sorted: Float64Array): number {
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
