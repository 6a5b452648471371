/**
 * Finds parts of a picture that lie in it twice, pixel for pixel but for compression: what a clone brush and a pasted
 * copy leave. Every place gets a code of 25 signs of band-passed detail; places of one code vote for the shift between
 * them, and a copied part gives its shift hundreds of votes close together. Pure.
 */
import { boxMean } from './box-mean.ts';

/** A shift from a part to its likeness, in pixels of the picture, `dy` ≥ 0. */
export interface RepeatedShift {
  dx: number;
  dy: number;
  /** Places that agree on it. */
  votes: number;
  /** Most votes in one square of WINDOW_CELLS cells. */
  crowd: number;
  /** How far its votes exceed those of the shifts about it, in deviations of a count. */
  sharpness: number;
}

/** Larger pictures are halved until they fit: time and memory grow with the pixels. */
const PIXELS_MAX = 1_500_000;
const SHIFTS_MAX = 5;
const SIGNS_PER_SIDE = 5;
const SIGN_PX = 4;
const SPAN = (SIGNS_PER_SIDE - 1) * SIGN_PX;
const DETAIL_PX = 13;
const TEXTURE_PX = 21;
/** In grey levels: where detail deviates less, signs are noise. */
const DEVIATION_MIN = 1.5;
/** Nearer likenesses are mostly texture. */
const SHIFT_MIN = 24;
/** Codes of more places are patterns, such as a smooth slope. */
const PLACES_PER_CODE_MAX = 24;
const NEIGHBOURS = 4;
/** Shifts nearer than this are one shift, blurred by scaling. */
const SHIFT_TOLERANCE = 3;
const SURROUNDINGS_PX = 15;
const CELL_PX = 16;
const WINDOW_CELLS = 4;
/** Codes are sorted together with their places: places stay below this, and both fit into 53 bits. */
const PLACES_MAX = 2 ** 21;
const REC601 = [0.299, 0.587, 0.114] as const;

interface Plane {
  values: Float32Array;
  width: number;
  height: number;
}

interface Pairs {
  /** Index of the pair's shift in the table of votes, and the place of its first part. */
  shifts: Int32Array;
  places: Int32Array;
  count: number;
}

/** `rgb`: 3 bytes a pixel, row by row. The sharpest shift comes first; at most SHIFTS_MAX. */
export function findRepeatedParts(rgb: Uint8Array, width: number, height: number): RepeatedShift[] {
  let step = 1;
  while ((width / step) * (height / step) > PIXELS_MAX) step *= 2;
  const luma = shrinkToLuma(rgb, width, height, step);
  const sides = { width: luma.width - SPAN, height: luma.height - SPAN };
  if (sides.width < SHIFT_MIN || sides.height < SHIFT_MIN) return [];
  const sorted = sortByCode(luma, sides);
  const pairs = pairLikenesses(sorted, sides);
  return countVotes(pairs, sides).map(({ dx, dy, ...shift }) => ({ dx: dx * step, dy: dy * step, ...shift }));
}

function shrinkToLuma(rgb: Uint8Array, width: number, height: number, step: number): Plane {
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)];
  const values = new Float32Array(columns * rows);
  const share = 1 / (step * step);
  for (let y = 0; y < rows * step; y++) {
    const to = Math.floor(y / step) * columns;
    for (let x = 0; x < columns * step; x++) {
      const from = (y * width + x) * 3;
      const [red = 0, green = 0, blue = 0] = [rgb[from], rgb[from + 1], rgb[from + 2]];
      const at = to + Math.floor(x / step);
      const grey = REC601[0] * red + REC601[1] * green + REC601[2] * blue;
      values[at] = (values[at] ?? 0) + share * grey;
    }
  }
  return { values, width: columns, height: rows };
}

type Sides = Pick<Plane, 'width' | 'height'>;

/** Places with texture, sorted by their code: code × PLACES_MAX + place. */
function sortByCode({ values, width, height }: Plane, sides: Sides): Float64Array {
  const calm = boxMean(values, width, height, 3);
  const mean = boxMean(calm, width, height, DETAIL_PX);
  const detail = calm.map((value, index) => value - (mean[index] ?? 0));
  const power = boxMean(
    detail.map((value) => value * value),
    width,
    height,
    TEXTURE_PX,
  );
  const signs = boxMean(detail, width, height, SIGN_PX);
  const keys = new Float64Array(sides.width * sides.height);
  let count = 0;
  for (let y = 0; y < sides.height; y++) {
    for (let x = 0; x < sides.width; x++) {
      const middle = (y + SPAN / 2) * width + x + SPAN / 2;
      if ((power[middle] ?? 0) <= DEVIATION_MIN ** 2) continue;
      keys[count++] = codeAt(signs, width, y * width + x) * PLACES_MAX + y * sides.width + x;
    }
  }
  return keys.subarray(0, count).sort();
}

function codeAt(signs: Float32Array, width: number, corner: number): number {
  let code = 0;
  for (let row = 0; row < SIGNS_PER_SIDE; row++) {
    const start = corner + row * SIGN_PX * width;
    for (let column = 0; column < SIGNS_PER_SIDE; column++) {
      code = (code << 1) | ((signs[start + column * SIGN_PX] ?? 0) > 0 ? 1 : 0);
    }
  }
  return code;
}

/** Each place with the next NEIGHBOURS of its code, where there are few enough. */
function pairLikenesses(keys: Float64Array, { width }: Sides): Pairs {
  const shifts = new Int32Array(keys.length * NEIGHBOURS);
  const places = new Int32Array(keys.length * NEIGHBOURS);
  let count = 0;
  const codeOf = (index: number) => Math.floor((keys[index] ?? 0) / PLACES_MAX);
  for (let first = 0; first < keys.length; ) {
    const code = codeOf(first);
    let end = first + 1;
    while (end < keys.length && codeOf(end) === code) end++;
    if (end - first <= PLACES_PER_CODE_MAX) {
      for (let one = first; one < end; one++) {
        const place = (keys[one] ?? 0) % PLACES_MAX;
        for (let other = one + 1; other < end && other <= one + NEIGHBOURS; other++) {
          const likeness = (keys[other] ?? 0) % PLACES_MAX;
          const dy = Math.floor(likeness / width) - Math.floor(place / width);
          const dx = (likeness % width) - (place % width);
          if (dx * dx + dy * dy < SHIFT_MIN ** 2) continue;
          shifts[count] = dy * 2 * width + dx + width;
          places[count++] = place;
        }
      }
    }
    first = end;
  }
  return { shifts, places, count };
}

/**
 * How far each shift stands out from those about it, in deviations of a count: texture spreads its votes over
 * neighbouring shifts, a copy gives them to one.
 */
function measureSharpness(votes: Int32Array, { width, height }: Sides): Float32Array {
  const around = boxMean(Float32Array.from(votes), 2 * width, height, SURROUNDINGS_PX);
  return around.map((mean, shift) => ((votes[shift] ?? 0) - mean) / Math.sqrt(Math.max(0, mean) + 1));
}

function countVotes({ shifts, places, count }: Pairs, { width, height }: Sides): RepeatedShift[] {
  const votes = new Int32Array(height * 2 * width);
  for (let index = 0; index < count; index++) {
    const shift = shifts[index] ?? 0;
    votes[shift] = (votes[shift] ?? 0) + 1;
  }
  const sharpness = measureSharpness(votes, { width, height });
  const chosen: RepeatedShift[] = [];
  while (chosen.length < SHIFTS_MAX) {
    const best = findMost(sharpness);
    if ((votes[best] ?? 0) === 0) break;
    const [dx, dy] = [(best % (2 * width)) - width, Math.floor(best / (2 * width))];
    const near: number[] = [];
    for (let index = 0; index < count; index++) {
      const shift = shifts[index] ?? 0;
      const [x, y] = [(shift % (2 * width)) - width, Math.floor(shift / (2 * width))];
      if (Math.abs(x - dx) <= 1 && Math.abs(y - dy) <= 1) near.push(places[index] ?? 0);
    }
    const crowd = findCrowd(near, width, height);
    chosen.push({ dx, dy, votes: near.length, crowd, sharpness: sharpness[best] ?? 0 });
    clearAround(sharpness, { dx, dy }, { width, height });
  }
  return chosen;
}

function findMost(values: Float32Array): number {
  let best = 0;
  for (let index = 1; index < values.length; index++) {
    if ((values[index] ?? 0) > (values[best] ?? 0)) best = index;
  }
  return best;
}

function clearAround(
  sharpness: Float32Array,
  { dx, dy }: { dx: number; dy: number },
  { width, height }: Sides,
): void {
  for (let y = Math.max(0, dy - SHIFT_TOLERANCE); y <= Math.min(height - 1, dy + SHIFT_TOLERANCE); y++) {
    for (let x = dx - SHIFT_TOLERANCE; x <= dx + SHIFT_TOLERANCE; x++) {
      if (x >= -width && x < width) sharpness[y * 2 * width + x + width] = 0;
    }
  }
}

function findCrowd(places: readonly number[], width: number, height: number): number {
  const [columns, rows] = [Math.ceil(width / CELL_PX), Math.ceil(height / CELL_PX)];
  const cells = new Int32Array(columns * rows);
  for (const place of places) {
    const at =
      Math.floor(Math.floor(place / width) / CELL_PX) * columns + Math.floor((place % width) / CELL_PX);
    cells[at] = (cells[at] ?? 0) + 1;
  }
  let crowd = 0;
  for (let top = 0; top < rows; top++) {
    for (let left = 0; left < columns; left++) {
      let sum = 0;
      for (let y = top; y < Math.min(rows, top + WINDOW_CELLS); y++) {
        for (let x = left; x < Math.min(columns, left + WINDOW_CELLS); x++)
          sum += cells[y * columns + x] ?? 0;
      }
      crowd = Math.max(crowd, sum);
    }
  }
  return crowd;
}
