/** Corners of a grey picture: FAST (Rosten and Drummond, 2006), ranked by Harris' measure, the best of each 3 × 3 only. */

import { Scratch } from '../media/scratch.ts';

export interface Grey {
  width: number;
  height: number;
  values: Uint8Array;
}

export interface Corner {
  x: number;
  y: number;
  strength: number;
}

/** Steps of brightness that a corner stands out by. */
const THRESHOLD = 12;
/** Pixels of the circle in a row that must all be brighter, or all be darker. */
const ARC = 9;
const CIRCLE: readonly (readonly [number, number])[] = [
  [0, -3],
  [1, -3],
  [2, -2],
  [3, -1],
  [3, 0],
  [3, 1],
  [2, 2],
  [1, 3],
  [0, 3],
  [-1, 3],
  [-2, 2],
  [-3, 1],
  [-3, 0],
  [-3, -1],
  [-2, -2],
  [-1, -3],
];
const RING = CIRCLE.length;
const HARRIS_RADIUS = 3;
const HARRIS_K = 0.04;

const strengthMemory = new Scratch();
const foundMemory = new Scratch();

/** None nearer to an edge than `margin` (at least 4) pixels. */
export function findCorners(grey: Grey, margin: number): Corner[] {
  const { width, height, values } = grey;
  const ring = Int32Array.from(CIRCLE, ([dx, dy]) => dy * width + dx);
  const strengths = strengthMemory.floats(width * height).fill(0);
  const found = foundMemory.words(width * height);
  let count = 0;
  for (let y = margin; y < height - margin; y++) {
    for (let at = y * width + margin, end = (y + 1) * width - margin; at < end; at++) {
      if (!isCorner(values, at, ring)) continue;
      strengths[at] = harris(values, at, width);
      found[count++] = at;
    }
  }
  const corners: Corner[] = [];
  for (const at of found.subarray(0, count)) {
    if (!isPeak(strengths, at, width)) continue;
    corners.push({ x: at % width, y: Math.floor(at / width), strength: strengths[at] as number });
  }
  return corners;
}

function isCorner(values: Uint8Array, at: number, ring: Int32Array): boolean {
  // An arc of nine holds at least one of two opposite pixels, each as bright: most pixels end at the first pairs.
  const equal = 255 - (values[at] as number);
  let sides = BRIGHTER | DARKER;
  for (let pair = 0; pair < RING / 2 && sides !== 0; pair++) {
    const place = PAIR_ORDER[pair] as number;
    const one = SIDES[equal + (values[at + (ring[place] as number)] as number)] as number;
    const opposite = SIDES[equal + (values[at + (ring[place + RING / 2] as number)] as number)] as number;
    sides &= one | opposite;
  }
  if (sides === 0) return false;
  let [brighter, darker] = [0, 0];
  for (let place = 0; place < RING; place++) {
    const side = SIDES[equal + (values[at + (ring[place] as number)] as number)] as number;
    brighter |= (side & BRIGHTER) << place;
    darker |= (side >> 1) << place;
  }
  return ARCS[brighter] === 1 || ARCS[darker] === 1;
}

const BRIGHTER = 1;
const DARKER = 2;
/** For each difference of brightness, from -255 on, whether a pixel stands out. */
const SIDES = Uint8Array.from({ length: 511 }, (_, index) =>
  index - 255 > THRESHOLD ? BRIGHTER : index - 255 < -THRESHOLD ? DARKER : 0,
);
/** Far from each other first: neighbours are alike. */
const PAIR_ORDER = Uint8Array.of(0, 4, 2, 6, 1, 3, 5, 7);

/** For each set of pixels of the circle, a bit each: whether it holds an arc. */
const ARCS = Uint8Array.from({ length: 1 << RING }, (_, set) => {
  const twice = set * (1 + (1 << RING));
  let runs = twice;
  for (let shift = 1; shift < ARC; shift++) runs &= Math.floor(twice / 2 ** shift);
  return runs === 0 ? 0 : 1;
});

function harris(values: Uint8Array, at: number, width: number): number {
  let [xx, yy, xy] = [0, 0, 0];
  for (let dy = -HARRIS_RADIUS; dy <= HARRIS_RADIUS; dy++) {
    const middle = at + dy * width;
    for (let place = middle - HARRIS_RADIUS; place <= middle + HARRIS_RADIUS; place++) {
      // Whole numbers of at most 49 × 255².
      const gx = (values[place + 1] as number) - (values[place - 1] as number);
      const gy = (values[place + width] as number) - (values[place - width] as number);
      xx = (xx + gx * gx) | 0;
      yy = (yy + gy * gy) | 0;
      xy = (xy + gx * gy) | 0;
    }
  }
  const trace = xx + yy;
  return xx * yy - xy * xy - HARRIS_K * trace * trace;
}

function isPeak(strengths: Float32Array, at: number, width: number): boolean {
  const own = strengths[at] as number;
  if (own <= 0) return false;
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) {
      const place = at + dy * width + dx;
      const other = strengths[place] as number;
      // The first of two that are alike.
      if (other > own || (other === own && place < at)) return false;
    }
  }
  return true;
}
