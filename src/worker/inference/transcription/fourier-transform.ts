/** The Fourier transform of 400 samples, in 20 by 20: a power of two would give other bins than those that a model learned. */

const SIDE = 20;
export const TRANSFORM_SIZE = SIDE * SIDE;

/** Cosine and sine of -2π k / 400. */
const COSINES = Float64Array.from({ length: TRANSFORM_SIZE }, (_, k) =>
  Math.cos((-2 * Math.PI * k) / TRANSFORM_SIZE),
);
const SINES = Float64Array.from({ length: TRANSFORM_SIZE }, (_, k) =>
  Math.sin((-2 * Math.PI * k) / TRANSFORM_SIZE),
);

export class FourierTransform {
  readonly #real = new Float64Array(TRANSFORM_SIZE);
  readonly #imaginary = new Float64Array(TRANSFORM_SIZE);
  readonly #innerReal = new Float64Array(TRANSFORM_SIZE);
  readonly #innerImaginary = new Float64Array(TRANSFORM_SIZE);

  /** Squared magnitudes of the first 201 bins of two real frames; overwritten by the next call. */
  readonly #powers = {
    first: new Float64Array(TRANSFORM_SIZE / 2 + 1),
    second: new Float64Array(TRANSFORM_SIZE / 2 + 1),
  };

  powers(first: Float64Array, second: Float64Array): { first: Float64Array; second: Float64Array } {
    this.#transform(first, second);
    for (let bin = 0; bin <= TRANSFORM_SIZE / 2; bin++) {
      const mirrored = (TRANSFORM_SIZE - bin) % TRANSFORM_SIZE;
      const a = this.#real[bin] as number;
      const b = this.#imaginary[bin] as number;
      const c = this.#real[mirrored] as number;
      const d = this.#imaginary[mirrored] as number;
      this.#powers.first[bin] = ((a + c) ** 2 + (b - d) ** 2) / 4;
      this.#powers.second[bin] = ((a - c) ** 2 + (b + d) ** 2) / 4;
    }
    return this.#powers;
  }

  /** Index = 20 a + b, bin = p + 20 q: first over a, then the twiddle, then over b. */
  #transform(real: Float64Array, imaginary: Float64Array): void {
    for (let b = 0; b < SIDE; b++) {
      for (let p = 0; p < SIDE; p++) {
        let sumReal = 0;
        let sumImaginary = 0;
        for (let a = 0; a < SIDE; a++) {
          const turn = ((a * p) % SIDE) * SIDE;
          const x = real[SIDE * a + b] as number;
          const y = imaginary[SIDE * a + b] as number;
          const cosine = COSINES[turn] as number;
          const sine = SINES[turn] as number;
          sumReal += x * cosine - y * sine;
          sumImaginary += x * sine + y * cosine;
        }
        const cosine = COSINES[b * p] as number;
        const sine = SINES[b * p] as number;
        this.#innerReal[b * SIDE + p] = sumReal * cosine - sumImaginary * sine;
        this.#innerImaginary[b * SIDE + p] = sumReal * sine + sumImaginary * cosine;
      }
    }
    for (let p = 0; p < SIDE; p++) {
      for (let q = 0; q < SIDE; q++) {
        let sumReal = 0;
        let sumImaginary = 0;
        for (let b = 0; b < SIDE; b++) {
          const turn = ((b * q) % SIDE) * SIDE;
          const x = this.#innerReal[b * SIDE + p] as number;
          const y = this.#innerImaginary[b * SIDE + p] as number;
          const cosine = COSINES[turn] as number;
          const sine = SINES[turn] as number;
          sumReal += x * cosine - y * sine;
          sumImaginary += x * sine + y * cosine;
        }
        this.#real[p + SIDE * q] = sumReal;
        this.#imaginary[p + SIDE * q] = sumImaginary;
      }
    }
  }
}
