/**
 * Where patches lie on a picture. The same rule is used in training (models/training) and here: a patch moved
 * off the 8×8 grid of a JPEG original scores differently, so both sides must agree to the pixel.
 */

export interface PatchLayout {
  /** Side of a patch in pixels; the picture's short side must reach it. */
  size: number;
  /** Positions are multiples of this, 8 for the JPEG block grid. */
  align: number;
  /** Most patches that may be placed. */
  countMax: number;
}

export interface PatchPosition {
  x: number;
  y: number;
}

/** Evenly spread positions, row by row, at most `countMax`; neighbours overlap on pictures under two patches wide. */
export function placePatches(width: number, height: number, layout: PatchLayout): PatchPosition[] {
  const { size, countMax } = layout;
  const columnsWanted = clampCount(Math.floor(Math.sqrt((countMax * width) / height)), width, size);
  const rows = clampCount(Math.floor(countMax / columnsWanted), height, size);
  const columns = clampCount(Math.floor(countMax / rows), width, size);
  return spread(height, rows, layout).flatMap((y) => spread(width, columns, layout).map((x) => ({ x, y })));
}

function clampCount(count: number, length: number, size: number): number {
  return Math.max(1, Math.min(Math.ceil(length / size), count));
}

function spread(length: number, count: number, { size, align }: PatchLayout): number[] {
  return Array.from({ length: count }, (_, index) => {
    const exact = count === 1 ? (length - size) / 2 : (index * (length - size)) / (count - 1);
    return Math.floor(exact / align) * align;
  });
}
