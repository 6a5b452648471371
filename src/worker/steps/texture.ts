/** Measures what a model must not be asked about: pictures that are flat, noise, or drawn in flat colours. */
import type { Texture } from '../../domain/media/resized-view.ts';

/** ITU-R BT.601, as the models' makers weigh it, in thousandths: whole numbers add up exactly. */
const [RED, GREEN, BLUE] = [299, 587, 114];
const THOUSAND = 1000;

/** Regions of one picture, each measured about its own mean. */
export class TextureMeter {
  #pixels = 0;
  #squares = 0;
  #products = 0;
  #pairs = 0;
  #equal = 0;

  /** RGB bytes, row by row. */
  add(bytes: Uint8Array, width: number): void {
    const pixels = bytes.length / 3;
    // About the first pixel, so that little is lost where a region is nearly flat.
    const first = lumaAt(bytes, 0);
    let [sum, squares, products, equal, firsts, lasts] = [0, 0, 0, 0, 0, 0];
    for (let start = 0; start < pixels; start += width) {
      const last = Math.min(start + width, pixels) - 1;
      let value = lumaAt(bytes, start * 3) - first;
      firsts += value;
      for (let at = start * 3; at < last * 3; at += 3) {
        const next = lumaAt(bytes, at + 3) - first;
        sum += value;
        squares += value * value;
        products += value * next;
        if (isEqual(bytes, at)) equal += 1;
        value = next;
      }
      sum += value;
      squares += value * value;
      lasts += value;
    }
    const pairs = pixels - Math.ceil(pixels / width);
    const mean = sum / pixels;
    this.#squares += (squares - mean * sum) / THOUSAND ** 2;
    // Each pixel is the left one of a pair but the last of a row, and the right one but the first.
    this.#products += (products - mean * (2 * sum - firsts - lasts) + pairs * mean * mean) / THOUSAND ** 2;
    this.#equal += equal;
    this.#pairs += pairs;
    this.#pixels += pixels;
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

function lumaAt(bytes: Uint8Array, at: number): number {
  return RED * (bytes[at] as number) + GREEN * (bytes[at + 1] as number) + BLUE * (bytes[at + 2] as number);
}

/** Whether a pixel has the colour of its right neighbour. */
function isEqual(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === bytes[at + 3] && bytes[at + 1] === bytes[at + 4] && bytes[at + 2] === bytes[at + 5];
}
