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
import type { Picture } from '../media/picture.ts';

/** ITU-R BT.601, in thousandths. */
const [RED, GREEN, BLUE] = [299, 587, 114];

/** Where the models look: everywhere alike, or where the layout's candidates show the most detail. */
export function choosePatches(picture: Picture, layout: PatchLayout): PatchPosition[] {
  const { size, align, countMax, candidateCountMax, candidateStep, detailShareMin } = layout;
  const { width, height } = picture;
  if (candidateCountMax === undefined) return placePatches(width, height, layout);
  const places = { size, align, countMax: candidateCountMax, candidateStep };
  const candidates = placePatches(width, height, places);
  return chooseByDetail(candidates, detailsOf(picture, candidates, places), countMax, detailShareMin);
}

/** Details of the picture that is at work: its own patches and those of each copy are looked for at the same candidates. */
const measured = new WeakMap<Picture, Map<string, number[]>>();

function detailsOf(picture: Picture, candidates: readonly PatchPosition[], places: PatchLayout): number[] {
  const known = measured.get(picture) ?? new Map<string, number[]>();
  measured.set(picture, known);
  const key = JSON.stringify(places);
  const details = known.get(key) ?? candidates.map((position) => detailAt(picture, position, places.size));
  known.set(key, details);
  return details;
}

function detailAt({ width, rgb }: Picture, { x, y }: PatchPosition, size: number): number {
  let above = new Int32Array(size);
  let current = new Int32Array(size);
  let detail = 0;
  for (let row = 0; row < size; row++) {
    let at = ((y + row) * width + x) * 3;
    for (let column = 0; column < size; column++) {
      current[column] =
        RED * (rgb[at] as number) + GREEN * (rgb[at + 1] as number) + BLUE * (rgb[at + 2] as number);
      at += 3;
    }
    // Apart for each direction: whole numbers below 2^53 add up alike in any order.
    for (let column = 1; column < size; column++) {
      detail += Math.abs((current[column] as number) - (current[column - 1] as number));
    }
    if (row > 0) {
      for (let column = 0; column < size; column++) {
        detail += Math.abs((current[column] as number) - (above[column] as number));
      }
    }
    [above, current] = [current, above];
  }
  return detail;
}
