/** A value for every pixel of a map, bilinear between centres of cells; none without a tile, which was not looked at. */
import type { PatchPosition } from '../../domain/media/patches.ts';

export interface ScoredCells {
  /** Side of a tile and of a cell in pixels of the picture. */
  size: number;
  cellPx: number;
  /** Multiples of `cellPx`. */
  positions: readonly PatchPosition[];
  /** (size / cellPx)² per tile, row by row, 0..1. */
  probabilities: readonly number[];
}

interface CellGrid {
  columns: number;
  rows: number;
  /** NaN without a tile, the mean of several. */
  values: Float32Array;
}

/** For a map of `width` × `height` whose pixels are `step` pixels of the whole picture apart. */
export function interpolateCells(
  cells: ScoredCells,
  map: { width: number; height: number; stepX: number; stepY: number },
): Float32Array {
  const grid = toGrid(cells, map.width * map.stepX, map.height * map.stepY);
  const columns = spreadOver(grid.columns, map.width, { stepPx: map.stepX, cellPx: cells.cellPx });
  const rows = spreadOver(grid.rows, map.height, { stepPx: map.stepY, cellPx: cells.cellPx });
  const out = new Float32Array(map.width * map.height);
  const [sums, weights] = [new Float64Array(grid.columns), new Float64Array(grid.columns)];
  for (let y = 0; y < map.height; y++) {
    weighRows(grid, rows, y, { sums, weights });
    blend(columns, { sums, weights }, out.subarray(y * map.width, (y + 1) * map.width));
  }
  return out;
}

/** A value for each column: two rows of cells, weighed by nearness. A cell without a value weighs nothing. */
interface Weighed {
  sums: Float64Array;
  weights: Float64Array;
}

function weighRows({ columns, values }: CellGrid, rows: Spread, y: number, { sums, weights }: Weighed): void {
  const [before, after] = [(rows.before[y] as number) * columns, (rows.after[y] as number) * columns];
  const [beforeShare, afterShare] = [rows.beforeShare[y] as number, rows.afterShare[y] as number];
  for (let column = 0; column < columns; column++) {
    const above = values[before + column] as number;
    const below = values[after + column] as number;
    const aboveWeight = Number.isNaN(above) ? 0 : beforeShare;
    const belowWeight = Number.isNaN(below) ? 0 : afterShare;
    weights[column] = aboveWeight + belowWeight;
    sums[column] =
      (aboveWeight === 0 ? 0 : aboveWeight * above) + (belowWeight === 0 ? 0 : belowWeight * below);
  }
}

/** The mean of the four cells around each pixel, weighed by nearness, of those that have a value; NaN if none has. */
function blend(
  { before, after, beforeShare, afterShare }: Spread,
  { sums, weights }: Weighed,
  line: Float32Array,
): void {
  for (let x = 0; x < line.length; x++) {
    const left = before[x] as number;
    const right = after[x] as number;
    const leftShare = beforeShare[x] as number;
    const rightShare = afterShare[x] as number;
    const weight = leftShare * (weights[left] as number) + rightShare * (weights[right] as number);
    line[x] = (leftShare * (sums[left] as number) + rightShare * (sums[right] as number)) / weight;
  }
}

function toGrid(
  { size, cellPx, positions, probabilities }: ScoredCells,
  width: number,
  height: number,
): CellGrid {
  const perSide = size / cellPx;
  if (positions.length === 0 || probabilities.length !== positions.length * perSide ** 2) {
    throw new Error(`${positions.length} tiles with ${probabilities.length} values make no map`);
  }
  const columns = Math.max(1, Math.floor(Math.round(width) / cellPx));
  const rows = Math.max(1, Math.floor(Math.round(height) / cellPx));
  const sums = new Float32Array(columns * rows);
  const counts = new Uint16Array(columns * rows);
  for (const [tile, { x, y }] of positions.entries()) {
    const [left, top] = [x / cellPx, y / cellPx];
    for (let row = 0; row < perSide && top + row < rows; row++) {
      for (let column = 0; column < perSide && left + column < columns; column++) {
        const at = (top + row) * columns + left + column;
        sums[at] = (sums[at] ?? 0) + (probabilities[(tile * perSide + row) * perSide + column] ?? Number.NaN);
        counts[at] = (counts[at] ?? 0) + 1;
      }
    }
  }
  return { columns, rows, values: sums.map((sum, index) => sum / (counts[index] ?? 0)) };
}

/** For each pixel of a side of the map the two cells between whose centres it lies, and how near it is to each. */
interface Spread {
  before: Int32Array;
  after: Int32Array;
  beforeShare: Float64Array;
  afterShare: Float64Array;
}

function spreadOver(
  cells: number,
  pixels: number,
  { stepPx, cellPx }: { stepPx: number; cellPx: number },
): Spread {
  const spread = {
    before: new Int32Array(pixels),
    after: new Int32Array(pixels),
    beforeShare: new Float64Array(pixels),
    afterShare: new Float64Array(pixels),
  };
  for (let pixel = 0; pixel < pixels; pixel++) {
    const exact = ((pixel + 0.5) * stepPx) / cellPx - 0.5;
    const cell = Math.floor(exact);
    spread.before[pixel] = clamp(cell, cells);
    spread.after[pixel] = clamp(cell + 1, cells);
    spread.beforeShare[pixel] = 1 - Math.abs(exact - cell);
    spread.afterShare[pixel] = 1 - Math.abs(exact - (cell + 1));
  }
  return spread;
}

const clamp = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index));
