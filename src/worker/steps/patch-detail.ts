/** The sum of steps in brightness at a place. Whole numbers only, so that placement.py of training chooses the same. */
import {
  chooseByDetail,
  type PatchLayout,
  type PatchPosition,
  placePatches,
} from '../../domain/media/patches.ts';
import type { Picture } from '../media/picture.ts';

/** ITU-R BT.601, in thousandths. */
const [RED, GREEN, BLUE] = [299, 587, 114];

/** The places that models look at: evenly spread, or those of the layout's candidates with the most detail. */
export function choosePatches(picture: Picture, layout: PatchLayout): PatchPosition[] {
  const { size, align, countMax, candidateCountMax, candidateStep, detailShareMin } = layout;
  const { width, height } = picture;
  if (candidateCountMax === undefined) return placePatches(width, height, layout);
  const places = { size, align, countMax: candidateCountMax, candidateStep };
  const candidates = placePatches(width, height, places);
  return chooseByDetail(candidates, detailsOf(picture, candidates, places), countMax, detailShareMin);
}

/** Details of the present picture: its own patches and those of each copy use the same candidates. */
const measured = new WeakMap<Picture, Map<string, number[]>>();

function detailsOf(picture: Picture, candidates: readonly PatchPosition[], places: PatchLayout): number[] {
  const known = measured.get(picture) ?? new Map<string, number[]>();
  measured.set(picture, known);
  const key = JSON.stringify(places);
  const details = known.get(key) ?? new BlockDetails(picture, places).at(candidates);
  known.set(key, details);
  return details;
}

/** Measures each block once; a place has no neighbours beyond its left and upper edge, so those steps are kept apart. */
class BlockDetails {
  readonly #picture: Picture;
  /** A place is this many blocks long and begins on one. */
  readonly #blocks: number;
  readonly #side: number;
  readonly #columns: number;
  /** Brightness of the line above the present one. */
  readonly #above: Int32Array;
  readonly #isKnown: Uint8Array;
  /** Steps within each block and into it, and those across its left and upper edge. */
  readonly #steps: Uint32Array;
  readonly #leftSteps: Uint32Array;
  readonly #upperSteps: Uint32Array;

  constructor(picture: Picture, { size, align }: Pick<PatchLayout, 'size' | 'align'>) {
    this.#picture = picture;
    this.#side = size % align === 0 ? align : 1;
    this.#blocks = size / this.#side;
    this.#columns = Math.ceil(picture.width / this.#side);
    const count = this.#columns * Math.ceil(picture.height / this.#side);
    this.#above = new Int32Array(this.#side);
    this.#isKnown = new Uint8Array(count);
    this.#steps = new Uint32Array(count);
    this.#leftSteps = new Uint32Array(count);
    this.#upperSteps = new Uint32Array(count);
  }

  at(places: readonly PatchPosition[]): number[] {
    return places.map(({ x, y }) => this.#detailAt(x / this.#side, y / this.#side));
  }

  #detailAt(left: number, top: number): number {
    let detail = 0;
    for (let row = top; row < top + this.#blocks; row++) {
      for (let column = left; column < left + this.#blocks; column++) {
        const block = row * this.#columns + column;
        if (this.#isKnown[block] === 0) this.#measure(block, column * this.#side, row * this.#side);
        detail += this.#steps[block] as number;
        if (column === left) detail -= this.#leftSteps[block] as number;
        if (row === top) detail -= this.#upperSteps[block] as number;
      }
    }
    return detail;
  }

  #measure(block: number, x: number, y: number): void {
    const { width, rgb } = this.#picture;
    const side = this.#side;
    const above = this.#above;
    let at = (y * width + x) * 3;
    for (let column = 0; column < side; column++) {
      above[column] = lumaAt(rgb, at + 3 * column - (y > 0 ? 3 * width : 0));
    }
    let across = 0;
    let down = 0;
    let leftSteps = 0;
    let upperSteps = 0;
    for (let row = 0; row < side; row++, at += 3 * (width - side)) {
      let left = lumaAt(rgb, x > 0 ? at - 3 : at);
      leftSteps += Math.abs(lumaAt(rgb, at) - left);
      for (let column = 0; column < side; column++, at += 3) {
        const luma = lumaAt(rgb, at);
        across += Math.abs(luma - left);
        down += Math.abs(luma - (above[column] as number));
        above[column] = luma;
        left = luma;
      }
      if (row === 0) upperSteps = down;
    }
    this.#isKnown[block] = 1;
    this.#steps[block] = across + down;
    this.#leftSteps[block] = leftSteps;
    this.#upperSteps[block] = upperSteps;
  }
}

function lumaAt(rgb: Buffer, at: number): number {
  return RED * (rgb[at] as number) + GREEN * (rgb[at + 1] as number) + BLUE * (rgb[at + 2] as number);
}
