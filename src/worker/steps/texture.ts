/** Measures what a model must not be asked about: pictures that are flat, noise, or drawn in flat colours. */
import type { Texture } from '../../domain/media/resized-view.ts';
import { Scratch } from '../media/scratch.ts';

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
    let sum = 0;
    for (let at = 0; at < luma.length; at++) sum += luma[at] as number;
    const mean = sum / luma.length;
    let [squares, products, pairs, equal] = [this.#squares, this.#products, this.#pairs, this.#equal];
    for (let start = 0; start < luma.length; start += width) {
      const last = Math.min(start + width, luma.length) - 1;
      let value = (luma[start] as number) - mean;
      for (let at = start; at < last; at++) {
        squares += value * value;
        const next = (luma[at + 1] as number) - mean;
        products += value * next;
        if (isEqual(bytes, at * 3)) equal += 1;
        value = next;
      }
      squares += value * value;
      pairs += last - start;
    }
    [this.#squares, this.#products, this.#pairs, this.#equal] = [squares, products, pairs, equal];
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

const lumaMemory = new Scratch();

function lumaOf(bytes: Uint8Array): Float64Array {
  const luma = lumaMemory.doubles(bytes.length / 3);
  for (let pixel = 0; pixel < luma.length; pixel++) {
    const at = pixel * 3;
    luma[pixel] =
      RED * (bytes[at] as number) + GREEN * (bytes[at + 1] as number) + BLUE * (bytes[at + 2] as number);
  }
  return luma;
}

/** Whether a pixel has the colour of its right neighbour. */
function isEqual(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === bytes[at + 3] && bytes[at + 1] === bytes[at + 4] && bytes[at + 2] === bytes[at + 5];
}
