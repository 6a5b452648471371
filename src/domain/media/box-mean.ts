/** Means over squares of a plane, by running sums: as quick for a large square as for a small one. Pure. */

/** A plane's mean over the square of `side` around every value; beyond the border its last values go on. */
export function boxMean(values: Float32Array, width: number, height: number, side: number): Float32Array {
  const across = new Float32Array(values.length);
  for (let y = 0; y < height; y++) slide(values, across, { start: y * width, step: 1, count: width, side });
  const mean = new Float32Array(values.length);
  for (let x = 0; x < width; x++) slide(across, mean, { start: x, step: width, count: height, side });
  return mean;
}

interface Line {
  start: number;
  step: number;
  count: number;
  side: number;
}

function slide(from: Float32Array, to: Float32Array, { start, step, count, side }: Line): void {
  const before = Math.floor(side / 2);
  const at = (index: number) => from[start + Math.min(count - 1, Math.max(0, index)) * step] ?? 0;
  let sum = 0;
  for (let index = -before; index < side - before; index++) sum += at(index);
  for (let index = 0; index < count; index++) {
    to[start + index * step] = sum / side;
    sum += at(index + side - before) - at(index - before);
  }
}
