/** The order in which the numbers of a kernel lie: TensorFlow and ONNX name its dimensions differently. */

type Four = readonly [number, number, number, number];

/** A copy whose dimension `i` is dimension `order[i]` of the original. */
export function reorder(values: Float32Array, dimensions: Four, order: Four): Float32Array {
  const strides = [
    dimensions[1] * dimensions[2] * dimensions[3],
    dimensions[2] * dimensions[3],
    dimensions[3],
    1,
  ];
  const sides = order.map((from) => dimensions[from] ?? 0);
  const steps = order.map((from) => strides[from] ?? 0);
  const turned = new Float32Array(values.length);
  let at = 0;
  for (let a = 0; a < (sides[0] ?? 0); a++)
    for (let b = 0; b < (sides[1] ?? 0); b++)
      for (let c = 0; c < (sides[2] ?? 0); c++)
        for (let d = 0; d < (sides[3] ?? 0); d++) {
          const from = a * (steps[0] ?? 0) + b * (steps[1] ?? 0) + c * (steps[2] ?? 0) + d * (steps[3] ?? 0);
          turned[at++] = values[from] ?? Number.NaN;
        }
  return turned;
}
