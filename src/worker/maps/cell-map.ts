/**
 * Turns the values of tiles' cells into one value for every pixel of a map: bilinear between the centres of cells. Where no
 * tile lay there is no value: guessing between far tiles would show what no one has looked at.
 */
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
  /** NaN where no tile lay; the mean where several did. */
  values: Float32Array;
}

/** For a map of `width` × `height` whose pixels are `step` pixels of the whole picture apart. */
export function interpolateCells(
  cells: ScoredCells,
  map: { width: number; height: number; stepX: number; stepY: number },
): Float32Array {
  const grid = toGrid(cells, map.width * map.stepX, map.height * map.stepY);
  const out = new Float32Array(map.width * map.height);
  let index = 0;
  for (let y = 0; y < map.height; y++) {
    const down = ((y + 0.5) * map.stepY) / cells.cellPx - 0.5;
    for (let x = 0; x < map.width; x++) {
      out[index++] = sample(grid, ((x + 0.5) * map.stepX) / cells.cellPx - 0.5, down);
    }
  }
  return out;
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

/** The mean of the four cells around, weighed by nearness, of those that have a value. */
function sample({ columns, rows, values }: CellGrid, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  let sum = 0;
  let weights = 0;
  for (let row = top; row <= top + 1; row++) {
    for (let column = left; column <= left + 1; column++) {
      const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
      const value = values[clamp(row, rows) * columns + clamp(column, columns)] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      sum += weight * value;
      weights += weight;
    }
  }
  return weights > 0 ? sum / weights : Number.NaN;
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}
