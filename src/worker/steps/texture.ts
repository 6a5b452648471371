/** Measures what a model must not be asked about: pictures that are flat, noise, or drawn in flat colours. */
import type { Texture } from '../../domain/media/resized-view.ts';

/** ITU-R BT.601, as the models' makers weigh it. */
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114];

/** Regions of one picture, each measured about its own mean. */
export class TextureMeter {
  #pixels = 0;
  #squares = 0;
  #products = 0;
  #pairs = 0;
  #equal = 0;

  /** RGB bytes, row by row. */
  add(bytes: Uint8Array, width: number): void {
    const luma = lumaOf(bytes);
    const mean = luma.reduce((sum, value) => sum + value, 0) / luma.length;
    for (let at = 0; at < luma.length; at++) {
      const value = (luma[at] ?? 0) - mean;
      this.#squares += value * value;
      if (at % width === width - 1) continue;
      this.#products += value * ((luma[at + 1] ?? 0) - mean);
      this.#pairs += 1;
      if (isEqual(bytes, at * 3)) this.#equal += 1;
    }
    this.#pixels += luma.length;
  }

  get texture(): Texture {
    const lumaVariance = this.#pixels === 0 ? 0 : this.#squares / this.#pixels;
    const equalShare = this.#pairs === 0 ? 1 : this.#equal / this.#pairs;
    if (lumaVariance === 0 || this.#pairs === 0) {
      return { lumaVariance, neighbourCorrelation: 0, equalShare };
    }
    const correlation = this.#products / this.#pairs / lumaVariance;
    return { lumaVariance, neighbourCorrelation: Math.max(-1, Math.min(1, correlation)), equalShare };
  }
}

function lumaOf(bytes: Uint8Array): Float64Array {
  return Float64Array.from(
    { length: bytes.length / 3 },
    (_, at) =>
      RED * (bytes[at * 3] ?? 0) + GREEN * (bytes[at * 3 + 1] ?? 0) + BLUE * (bytes[at * 3 + 2] ?? 0),
  );
}

/** Whether a pixel has the colour of its right neighbour. */
function isEqual(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === bytes[at + 3] && bytes[at + 1] === bytes[at + 4] && bytes[at + 2] === bytes[at + 5];
}
