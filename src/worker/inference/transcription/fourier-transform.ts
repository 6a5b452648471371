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
      const [a = 0, b = 0] = [this.#real[bin], this.#imaginary[bin]];
      const [c = 0, d = 0] = [this.#real[mirrored], this.#imaginary[mirrored]];
      this.#powers.first[bin] = ((a + c) ** 2 + (b - d) ** 2) / 4;
      this.#powers.second[bin] = ((a - c) ** 2 + (b + d) ** 2) / 4;
    }
    return this.#powers;
  }

  /** Index = 20 a + b, bin = p + 20 q: first over a, then the twiddle, then over b. */
  #transform(real: Float64Array, imaginary: Float64Array): void {
    for (let b = 0; b < SIDE; b++) {
      for (let p = 0; p < SIDE; p++) {
        let [sumReal, sumImaginary] = [0, 0];
        for (let a = 0; a < SIDE; a++) {
          const turn = ((a * p) % SIDE) * SIDE;
          const [x = 0, y = 0] = [real[SIDE * a + b], imaginary[SIDE * a + b]];
          const [cosine = 0, sine = 0] = [COSINES[turn], SINES[turn]];
          sumReal += x * cosine - y * sine;
          sumImaginary += x * sine + y * cosine;
        }
        const [cosine = 0, sine = 0] = [COSINES[b * p], SINES[b * p]];
        this.#innerReal[b * SIDE + p] = sumReal * cosine - sumImaginary * sine;
        this.#innerImaginary[b * SIDE + p] = sumReal * sine + sumImaginary * cosine;
      }
    }
    for (let p = 0; p < SIDE; p++) {
      for (let q = 0; q < SIDE; q++) {
        let [sumReal, sumImaginary] = [0, 0];
        for (let b = 0; b < SIDE; b++) {
          const turn = ((b * q) % SIDE) * SIDE;
          const [x = 0, y = 0] = [this.#innerReal[b * SIDE + p], this.#innerImaginary[b * SIDE + p]];
          const [cosine = 0, sine = 0] = [COSINES[turn], SINES[turn]];
          sumReal += x * cosine - y * sine;
          sumImaginary += x * sine + y * cosine;
        }
        this.#real[p + SIDE * q] = sumReal;
        this.#imaginary[p + SIDE * q] = sumImaginary;
      }
    }
  }
}
