/** The power of each tone in a short piece of sound (radix-2 FFT under a Hann window). */

export const WINDOW_SAMPLES = 256;
const BITS = Math.log2(WINDOW_SAMPLES);
const HANN = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW_SAMPLES),
);
const TURNS = Array.from({ length: WINDOW_SAMPLES / 2 }, (_, at) => {
  const angle = (-2 * Math.PI * at) / WINDOW_SAMPLES;
  return { cos: Math.cos(angle), sin: Math.sin(angle) };
});
const REVERSED = Uint16Array.from({ length: WINDOW_SAMPLES }, (_, at) => reversed(at));

/** Power of each of WINDOW_SAMPLES / 2 tones from 0 to half the rate; 1 for a tone of full scale. */
export function powersOf(samples: Float32Array): Float32Array {
  const real = new Float64Array(WINDOW_SAMPLES);
  const imaginary = new Float64Array(WINDOW_SAMPLES);
  for (let at = 0; at < WINDOW_SAMPLES; at += 1) {
    real[REVERSED[at] ?? 0] = (samples[at] ?? 0) * (HANN[at] ?? 0);
  }
  for (let size = 2; size <= WINDOW_SAMPLES; size *= 2) {
    for (let from = 0; from < WINDOW_SAMPLES; from += size) butterfly(real, imaginary, from, size);
  }
  return Float32Array.from({ length: WINDOW_SAMPLES / 2 }, (_, tone) => {
    const [a, b] = [(real[tone] ?? 0) / (WINDOW_SAMPLES / 4), (imaginary[tone] ?? 0) / (WINDOW_SAMPLES / 4)];
    return a * a + b * b;
  });
}

function butterfly(real: Float64Array, imaginary: Float64Array, from: number, size: number): void {
  const half = size / 2;
  for (let k = 0; k < half; k += 1) {
    const { cos, sin } = TURNS[(k * WINDOW_SAMPLES) / size] ?? { cos: 1, sin: 0 };
    const low = from + k;
    const high = low + half;
    const a = real[high] ?? 0;
    const b = imaginary[high] ?? 0;
    const turnedReal = a * cos - b * sin;
    const turnedImaginary = a * sin + b * cos;
    real[high] = (real[low] ?? 0) - turnedReal;
    imaginary[high] = (imaginary[low] ?? 0) - turnedImaginary;
    real[low] = (real[low] ?? 0) + turnedReal;
    imaginary[low] = (imaginary[low] ?? 0) + turnedImaginary;
  }
}

function reversed(index: number): number {
  let turned = 0;
  for (let bit = 0; bit < BITS; bit += 1) turned = (turned << 1) | ((index >> bit) & 1);
  return turned;
}
