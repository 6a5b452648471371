/** The golden inputs, made by rule (as in models/training) so that a pack carries none. */

/** Patch `index`: size × size RGB bytes, row by row. */
export function makeGoldenPatch(index: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size * size * 3);
  let at = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const texture = ((x * y) % (11 + index)) * 5;
      for (let channel = 0; channel < 3; channel++) {
        bytes[at++] = (x * (7 + index) + y * (13 + 2 * index) + channel * 29 + texture) % 256;
      }
    }
  }
  return bytes;
}

/** Window `index`: a tone in noise. Every product is exact in a double for fewer than 2^20 samples. */
export function makeGoldenSound(index: number, sampleCount: number): Float32Array {
  return Float32Array.from({ length: sampleCount }, (_, time) => {
    const noise = ((time * 1_103_515_245 + 12_345 * (index + 1)) % 2 ** 31) / 2 ** 30 - 1;
    return 0.1 * Math.sin(0.05 * (index + 1) * time) + 0.05 * noise;
  });
}

export function pickEvenly(values: Float32Array, count: number): Float32Array {
  return Float32Array.from(
    { length: count },
    (_, index) => values[Math.floor((index * values.length) / count)] ?? Number.NaN,
  );
}
