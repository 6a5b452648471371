/**
 * How much of a sound lies above the band of a telephone, measured as it comes: every fourth piece of 16 ms is enough, and
 * loud pieces count most, so that pauses say nothing.
 */
import { powersOf, WINDOW_SAMPLES } from '../renditions/sound-spectrum.ts';

/** A tone of sound at 16 kHz is 62.5 Hz wide: 0.3 to 3.4 kHz, and 4.5 to 7.5 kHz, where a telephone carries nothing. */
const LOWER_TONES = { from: 5, to: 54 };
const UPPER_TONES = { from: 72, to: 120 };
const PIECE_STEP = 4;
/** A band that is wholly empty. */
export const BAND_DB_MIN = -120;
const BAND_DB_MAX = 120;

export class BandMeter {
  readonly #piece = new Float32Array(WINDOW_SAMPLES);
  #filled = 0;
  #pieces = 0;
  #lower = 0;
  #upper = 0;

  feed(samples: Float32Array): void {
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + WINDOW_SAMPLES - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === WINDOW_SAMPLES) this.#measure();
    }
  }

  /** Power of a tone above the telephone's band against one inside it, decibels; null for silence. */
  get upperBandDb(): number | null {
    if (this.#lower === 0) return null;
    const decibels = 10 * Math.log10(this.#upper / this.#lower);
    return Math.min(BAND_DB_MAX, Math.max(BAND_DB_MIN, Math.round(decibels * 10) / 10));
  }

  #measure(): void {
    this.#filled = 0;
    if (this.#pieces++ % PIECE_STEP !== 0) return;
    const powers = powersOf(this.#piece);
    this.#lower += meanOf(powers, LOWER_TONES);
    this.#upper += meanOf(powers, UPPER_TONES);
  }
}

function meanOf(powers: Float32Array, { from, to }: { from: number; to: number }): number {
  let sum = 0;
  for (let tone = from; tone <= to; tone += 1) sum += powers[tone] ?? 0;
  return sum / (to - from + 1);
}
