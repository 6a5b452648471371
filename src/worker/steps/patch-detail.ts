/**
 * How much there is to see at a place of a picture: the sum of the steps in brightness between neighbouring pixels.
 * Whole numbers only, so that training (models/training/placement.py) chooses the same places to the last one.
 */
import {
  chooseByDetail,
  type PatchLayout,
  type PatchPosition,
  placePatches,
} from '../../domain/media/patches.ts';
import type { Picture } from '../pictures/picture.ts';

/** ITU-R BT.601, in thousandths. */
const [RED, GREEN, BLUE] = [299, 587, 114];

/** Where the models look: everywhere alike, or where the layout's candidates show the most detail. */
export function choosePatches(picture: Picture, layout: PatchLayout): PatchPosition[] {
  const { size, align, countMax, candidateCountMax } = layout;
  const { width, height } = picture;
  if (candidateCountMax === undefined) return placePatches(width, height, layout);
  const candidates = placePatches(width, height, { size, align, countMax: candidateCountMax });
  const details = candidates.map((position) => detailAt(picture, position, size));
  return chooseByDetail(candidates, details, countMax);
}

function detailAt({ width, rgb }: Picture, { x, y }: PatchPosition, size: number): number {
  let above = new Int32Array(size);
  let current = new Int32Array(size);
  let detail = 0;
  for (let row = 0; row < size; row++) {
    const start = ((y + row) * width + x) * 3;
    for (let column = 0; column < size; column++) {
      const at = start + column * 3;
      const luma = RED * (rgb[at] ?? 0) + GREEN * (rgb[at + 1] ?? 0) + BLUE * (rgb[at + 2] ?? 0);
      current[column] = luma;
      if (column > 0) detail += Math.abs(luma - (current[column - 1] ?? 0));
      if (row > 0) detail += Math.abs(luma - (above[column] ?? 0));
    }
    [above, current] = [current, above];
  }
  return detail;
}
