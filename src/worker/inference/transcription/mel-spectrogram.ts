/** The logarithm of 80 mel bands each 10 ms, as OpenAI's `log_mel_spectrogram`: Hann window of 25 ms, Slaney's scale. */

const SIDE = 20;
const TRANSFORM_SIZE = SIDE * SIDE;

/** Cosine and sine of -2π k / 400. */
const COSINES = Float64Array.from({ length: TRANSFORM_SIZE }, (_, k) =>
  Math.cos((-2 * Math.PI * k) / TRANSFORM_SIZE),
);
const SINES = Float64Array.from({ length: TRANSFORM_SIZE }, (_, k) =>
  Math.sin((-2 * Math.PI * k) / TRANSFORM_SIZE),
);

/** The Fourier transform of 400 samples, in 20 by 20: a power of two would give other bins than those that a model learned. */
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

export const BANDS = 80;
export const FRAMES = 3000;
const HOP_SAMPLES = 160;
export const WINDOW_SAMPLES = FRAMES * HOP_SAMPLES;
const SAMPLE_RATE = 16_000;
const BINS = TRANSFORM_SIZE / 2 + 1;
/** Power of digital silence. */
const POWER_MIN = 1e-10;
/** Bands further below the loudest one are cut off. */
const DECADES = 8;

/** Slaney's scale: straight up to 1 kHz, logarithmic above. */
const STRAIGHT_HERTZ = 200 / 3;
const BEND_HERTZ = 1000;
const BEND_MEL = BEND_HERTZ / STRAIGHT_HERTZ;
const MEL_STEP = Math.log(6.4) / 27;

const HANN = Float64Array.from(
  { length: TRANSFORM_SIZE },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / TRANSFORM_SIZE),
);
const FILTERS = makeFilters();

/** Bands × frames, row by row; `samples` holds at most thirty seconds, silence follows. */
export function melSpectrogram(samples: Float32Array): Float32Array {
  if (samples.length > WINDOW_SAMPLES) throw new Error(`a window has at most ${WINDOW_SAMPLES} samples`);
  const features = new Float32Array(BANDS * FRAMES).fill(Math.log10(POWER_MIN));
  const transform = new FourierTransform();
  const [first, second] = [new Float64Array(TRANSFORM_SIZE), new Float64Array(TRANSFORM_SIZE)];
  // Two real frames go through one complex transform.
  const heard = Math.min(FRAMES, Math.ceil((samples.length + TRANSFORM_SIZE / 2) / HOP_SAMPLES));
  for (let frame = 0; frame < heard; frame += 2) {
    cutFrame(samples, frame, first);
    cutFrame(samples, frame + 1, second);
    const powers = transform.powers(first, second);
    writeColumn(features, frame, powers.first);
    if (frame + 1 < FRAMES) writeColumn(features, frame + 1, powers.second);
  }
  return scaled(features);
}

/** A frame is centred at its hop; before the first sample the sound is mirrored. */
function cutFrame(samples: Float32Array, frame: number, into: Float64Array): void {
  const begin = frame * HOP_SAMPLES - TRANSFORM_SIZE / 2;
  for (let index = 0; index < TRANSFORM_SIZE; index++) {
    into[index] = (samples[Math.abs(begin + index)] ?? 0) * (HANN[index] ?? 0);
  }
}

function writeColumn(features: Float32Array, frame: number, powers: Float64Array): void {
  for (const [band, { firstBin, weights }] of FILTERS.entries()) {
    let sum = 0;
    for (let index = 0; index < weights.length; index++) {
      sum += (weights[index] ?? 0) * (powers[firstBin + index] ?? 0);
    }
    features[band * FRAMES + frame] = Math.log10(Math.max(POWER_MIN, sum));
  }
}

function scaled(features: Float32Array): Float32Array {
  let loudest = Number.NEGATIVE_INFINITY;
  for (const value of features) loudest = Math.max(loudest, value);
  return features.map((value) => (Math.max(value, loudest - DECADES) + 4) / 4);
}

interface Filter {
  firstBin: number;
  weights: Float64Array;
}

function makeFilters(): Filter[] {
  const top = toMel(SAMPLE_RATE / 2);
  const edges = Array.from({ length: BANDS + 2 }, (_, index) => toHertz((top * index) / (BANDS + 1)));
  return Array.from({ length: BANDS }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = edges.slice(band, band + 3);
    const weights = Array.from({ length: BINS }, (_, bin) => {
      const hertz = (bin * SAMPLE_RATE) / TRANSFORM_SIZE;
      const slope = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      return Math.max(0, slope) * (2 / (high - low));
    });
    const firstBin = weights.findIndex((weight) => weight > 0);
    const end = weights.findLastIndex((weight) => weight > 0) + 1;
    return { firstBin, weights: Float64Array.from(weights.slice(firstBin, end)) };
  });
}

function toMel(hertz: number): number {
  if (hertz < BEND_HERTZ) return hertz / STRAIGHT_HERTZ;
  return BEND_MEL + Math.log(hertz / BEND_HERTZ) / MEL_STEP;
}

function toHertz(mel: number): number {
  if (mel < BEND_MEL) return mel * STRAIGHT_HERTZ;
  return BEND_HERTZ * Math.exp(MEL_STEP * (mel - BEND_MEL));
}
