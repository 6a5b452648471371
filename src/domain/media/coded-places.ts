/** Codes each textured place by 25 signs of band-passed detail, sorted so that repeated parts lie side by side. Pure. */

const SIGNS_PER_SIDE = 5;
const SIGN_PX = 4;
/** Pixels from the first sign of a code to its last, on each side. */
export const SPAN = (SIGNS_PER_SIDE - 1) * SIGN_PX;
const CALM_PX = 3;
const DETAIL_PX = 13;
const TEXTURE_PX = 21;
/** In grey levels: with less deviation signs are noise. */
const DEVIATION_MIN = 1.5;
/** Position of a code's first row of signs. */
const CODE_SHIFT = SIGNS_PER_SIDE * (SIGNS_PER_SIDE - 1);
/** A code is sorted by its lower and then by its upper half. */
const HALF_BITS = 13;
const HALVES = 2 ** HALF_BITS;
/** A place packs its column into the lower bits and its row above. `repeated-parts.ts` halves pictures with longer sides. */
export const COLUMN_BITS = 16;
export const COLUMNS = 2 ** COLUMN_BITS - 1;
const REC601 = [0.299, 0.587, 0.114] as const;

/** In grey levels, row by row. */
interface Plane {
  values: Float32Array;
  width: number;
  height: number;
}

export type Sides = Pick<Plane, 'width' | 'height'>;

/** Places with texture, in the order of their codes and of the picture. */
export interface CodedPlaces {
  codes: Uint32Array;
  places: Uint32Array;
  count: number;
}

/** Only places whose code lies wholly within the plane, so each of `sides` is SPAN less than the plane's own. */
export function findCodes({ values, width, height }: Plane, sides: Sides): CodedPlaces {
  const box = new BoxMean(width, height);
  const detail = box.of(values, CALM_PX);
  const mean = box.of(detail, DETAIL_PX);
  const squares = new Float32Array(detail.length);
  for (let at = 0; at < detail.length; at++) {
    detail[at] = (detail[at] as number) - (mean[at] as number);
    squares[at] = (detail[at] as number) * (detail[at] as number);
  }
  const power = box.of(squares, TEXTURE_PX, mean);
  const codes = codesOf(box.of(detail, SIGN_PX, squares), width, height);
  const found = { codes: new Uint32Array(codes.length), places: new Uint32Array(codes.length), count: 0 };
  for (let y = 0; y < sides.height; y++) {
    const [row, middle] = [y * width, (y + SPAN / 2) * width + SPAN / 2];
    for (let x = 0; x < sides.width; x++) {
      if ((power[middle + x] as number) <= DEVIATION_MIN ** 2) continue;
      found.codes[found.count] = codes[row + x] as number;
      found.places[found.count++] = (y << COLUMN_BITS) | x;
    }
  }
  return found;
}

/** Each place's own sign and those to the right and below, row by row, computed from the code of the place before. */
function codesOf(signs: Float32Array, width: number, height: number): Uint32Array {
  const lines = new Uint8Array(signs.length);
  const lineMask = 2 ** SIGNS_PER_SIDE - 1;
  for (let at = signs.length - 1; at >= 0; at--) {
    const next = at + SIGN_PX < signs.length ? (lines[at + SIGN_PX] as number) : 0;
    const sign = (signs[at] as number) > 0 ? 1 << (SIGNS_PER_SIDE - 1) : 0;
    lines[at] = (sign | (next >> 1)) & lineMask;
  }
  const codes = new Uint32Array(signs.length);
  for (let y = height - 1; y >= 0; y--) {
    const below = y + SIGN_PX < height ? SIGN_PX * width : null;
    for (let at = y * width; at < (y + 1) * width; at++) {
      const next = below === null ? 0 : (codes[at + below] as number);
      codes[at] = ((lines[at] as number) << CODE_SHIFT) | (next >> SIGNS_PER_SIDE);
    }
  }
  return codes;
}

/** Counting sort, half a code at a time; places of one code keep their order. */
export function sortByCode({ codes, places, count }: CodedPlaces): CodedPlaces {
  let sorted: CodedPlaces = { codes, places, count };
  for (const shift of [0, HALF_BITS]) {
    const starts = new Uint32Array(HALVES + 1);
    for (let index = 0; index < count; index++) {
      const half = ((sorted.codes[index] as number) >>> shift) & (HALVES - 1);
      starts[half + 1] = (starts[half + 1] as number) + 1;
    }
    for (let half = 0; half < HALVES; half++) {
      starts[half + 1] = (starts[half + 1] as number) + (starts[half] as number);
    }
    const next = { codes: new Uint32Array(count), places: new Uint32Array(count), count };
    for (let index = 0; index < count; index++) {
      const code = sorted.codes[index] as number;
      const half = (code >>> shift) & (HALVES - 1);
      const at = starts[half] as number;
      starts[half] = at + 1;
      next.codes[at] = code;
      next.places[at] = sorted.places[index] as number;
    }
    sorted = next;
  }
  return sorted;
}

/** Grey levels of RGB pixels, averaged over squares of `step`. */
export function shrinkToLuma(rgb: Uint8Array, width: number, height: number, step: number): Plane {
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)];
  const values = new Float32Array(columns * rows);
  const share = 1 / (step * step);
  const [red, green, blue] = REC601;
  for (let y = 0; y < rows * step; y++) {
    const end = (Math.floor(y / step) + 1) * columns;
    let from = y * width * 3;
    for (let at = end - columns; at < end; at++) {
      for (let part = 0; part < step; part++, from += 3) {
        const grey =
          red * (rgb[from] as number) + green * (rgb[from + 1] as number) + blue * (rgb[from + 2] as number);
        values[at] = (values[at] as number) + share * grey;
      }
    }
  }
  return { values, width: columns, height: rows };
}

/**
 * Means over squares of a plane by running sums, which take the same time for every size of square. Pure. Shares its buffers
 * among planes of one size.
 */
class BoxMean {
  readonly #width: number;
  readonly #height: number;
  readonly #across: Float32Array;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#across = new Float32Array(width * height);
  }

  /** A plane's mean over the square of `side` around every value; border values are repeated outwards. */
  of(values: Float32Array, side: number, into?: Float32Array): Float32Array {
    const mean = into ?? new Float32Array(values.length);
    const [width, height] = [this.#width, this.#height];
    for (let y = 0; y < height; y++)
      slideAlong(values, this.#across, { start: y * width, count: width, side });
    slideDown(this.#across, mean, { width, height, side });
    return mean;
  }
}

function slideAlong(
  from: Float32Array,
  to: Float32Array,
  { start, count, side }: { start: number; count: number; side: number },
): void {
  const before = Math.floor(side / 2);
  const after = side - before;
  const last = start + count - 1;
  let sum = 0;
  for (let index = -before; index < after; index++) {
    sum += from[Math.min(last, Math.max(start, start + index))] as number;
  }
  // If the square lies inside, no index has to be clamped at the border.
  const inside = Math.max(start + before, last + 1 - after);
  for (let at = start; at <= last; at++) {
    to[at] = sum / side;
    const isInside = at >= start + before && at < inside;
    const entering = isInside ? at + after : Math.min(last, at + after);
    const leaving = isInside ? at - before : Math.max(start, at - before);
    sum += (from[entering] as number) - (from[leaving] as number);
  }
}

/** Slides all columns side by side, as memory holds them. */
function slideDown(
  from: Float32Array,
  to: Float32Array,
  { width, height, side }: { width: number; height: number; side: number },
): void {
  const before = Math.floor(side / 2);
  const after = side - before;
  const rowAt = (y: number) => Math.min(height - 1, Math.max(0, y)) * width;
  const sums = new Float64Array(width);
  for (let y = -before; y < after; y++) {
    const row = rowAt(y);
    for (let x = 0; x < width; x++) sums[x] = (sums[x] as number) + (from[row + x] as number);
  }
  for (let y = 0; y < height; y++) {
    const row = y * width;
    const [entering, leaving] = [rowAt(y + after), rowAt(y - before)];
    for (let x = 0; x < width; x++) {
      const sum = sums[x] as number;
      to[row + x] = sum / side;
      sums[x] = sum + ((from[entering + x] as number) - (from[leaving + x] as number));
    }
  }
}
