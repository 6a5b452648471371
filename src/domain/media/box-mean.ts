/** Means over squares of a plane by running sums, which take the same time for every size of square. Pure. */

/** Shares its buffers among planes of one size. */
export class BoxMean {
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
