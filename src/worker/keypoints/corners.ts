/** Corners of a grey picture: FAST (Rosten and Drummond, 2006), ranked by Harris' measure, the best of each 3 × 3 only. */

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
const HARRIS_RADIUS = 3;
const HARRIS_K = 0.04;

/** None nearer to an edge than `margin` (at least 4) pixels. */
export function findCorners(grey: Grey, margin: number): Corner[] {
  const { width, height, values } = grey;
  const ring = Int32Array.from(CIRCLE, ([dx, dy]) => dy * width + dx);
  const strengths = new Float32Array(width * height);
  const found: number[] = [];
  for (let y = margin; y < height - margin; y++) {
    for (let at = y * width + margin, end = (y + 1) * width - margin; at < end; at++) {
      if (!isCorner(values, at, ring)) continue;
      strengths[at] = harris(values, at, width);
      found.push(at);
    }
  }
  return found
    .filter((at) => isPeak(strengths, at, width))
    .map((at) => ({ x: at % width, y: Math.floor(at / width), strength: strengths[at] as number }));
}

function isCorner(values: Uint8Array, at: number, ring: Int32Array): boolean {
  const centre = values[at] as number;
  const [low, high] = [centre - THRESHOLD, centre + THRESHOLD];
  // An arc of nine holds at least one of two opposite pixels: most pixels end here.
  const up = values[at + (ring[0] as number)] as number;
  const down = values[at + (ring[8] as number)] as number;
  if (up <= high && up >= low && down <= high && down >= low) return false;
  const right = values[at + (ring[4] as number)] as number;
  const left = values[at + (ring[12] as number)] as number;
  if (right <= high && right >= low && left <= high && left >= low) return false;
  let [brighter, darker] = [0, 0];
  for (let place = 0; place < CIRCLE.length; place++) {
    const value = values[at + (ring[place] as number)] as number;
    if (value > high) brighter |= 1 << place;
    else if (value < low) darker |= 1 << place;
  }
  return ARCS[brighter] === 1 || ARCS[darker] === 1;
}

/** For each set of pixels of the circle, a bit each: whether it holds an arc. */
const ARCS = Uint8Array.from({ length: 1 << CIRCLE.length }, (_, set) => {
  const twice = set * (1 + (1 << CIRCLE.length));
  let runs = twice;
  for (let shift = 1; shift < ARC; shift++) runs &= Math.floor(twice / 2 ** shift);
  return runs === 0 ? 0 : 1;
});

function harris(values: Uint8Array, at: number, width: number): number {
  let [xx, yy, xy] = [0, 0, 0];
  for (let dy = -HARRIS_RADIUS; dy <= HARRIS_RADIUS; dy++) {
    for (let dx = -HARRIS_RADIUS; dx <= HARRIS_RADIUS; dx++) {
      const place = at + dy * width + dx;
      const gx = (values[place + 1] as number) - (values[place - 1] as number);
      const gy = (values[place + width] as number) - (values[place - width] as number);
      xx += gx * gx;
      yy += gy * gy;
      xy += gx * gy;
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
