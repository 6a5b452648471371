/** Turns a model's answers for tiles into one for the picture. Pure. */
import { type PatchPosition, placePatches } from './patches.ts';

/** A model's answers for a picture's tiles, row by row; logits. */
export interface TileAnswers {
  tiles: Float32Array;
  cells: Float32Array;
  trust: Float32Array;
}

export function splitTiles(
  values: Float32Array,
  { size, cell }: { size: number; cell: number },
): TileAnswers {
  const area = (size / cell) ** 2;
  const count = values.length / (1 + 2 * area);
  if (!Number.isInteger(count)) throw new Error(`${values.length} values are no whole number of tiles`);
  const answers = {
    tiles: new Float32Array(count),
    cells: new Float32Array(count * area),
    trust: new Float32Array(count * area),
  };
  for (let tile = 0; tile < count; tile++) {
    const at = tile * (1 + 2 * area);
    answers.tiles[tile] = values[at] ?? Number.NaN;
    answers.cells.set(values.subarray(at + 1, at + 1 + area), tile * area);
    answers.trust.set(values.subarray(at + 1 + area, at + 1 + 2 * area), tile * area);
  }
  return answers;
}

/** A picture smaller than a tile gets one, filled up by its mirror image. */
export function placeTiles(
  width: number,
  height: number,
  { size, align, countMax }: { size: number; align: number; countMax: number },
): PatchPosition[] {
  return placePatches(Math.max(width, size), Math.max(height, size), { size, align, countMax });
}

/** The share of the picture that the tiles cover, 0..1. */
export function coverageOf(
  positions: readonly PatchPosition[],
  size: number,
  { width, height }: { width: number; height: number },
): number {
  const across = coveredLength(
    positions.map(({ x }) => x),
    size,
    width,
  );
  const down = coveredLength(
    positions.map(({ y }) => y),
    size,
    height,
  );
  return (across * down) / (width * height);
}

function coveredLength(starts: readonly number[], size: number, length: number): number {
  let covered = 0;
  let end = 0;
  for (const start of starts.toSorted((a, b) => a - b)) {
    const until = Math.min(length, start + size);
    covered += Math.max(0, until - Math.max(start, end));
    end = Math.max(end, until);
  }
  return covered;
}
