/** Memory that is reused or given back at once: the collector's walks were a fifth of the time of decoding. */
import type { Picture } from './picture.ts';

/** More than this is for one large picture, and is not kept after it. */
const KEPT_BYTES_MAX = 4 * 1024 ** 2;

/** Makes reads of returned memory throw: they would otherwise see an empty picture. */
const GIVEN_BACK: PropertyDescriptor = {
  get(): never {
    throw new Error('the pixels of this picture were given back');
  },
};

/** Memory for one step, which is done with it before it takes more. It still holds its old bytes. */
export class Scratch {
  #kept = new ArrayBuffer(0);

  floats(count: number): Float32Array {
    return new Float32Array(this.#take(count * Float32Array.BYTES_PER_ELEMENT), 0, count);
  }

  doubles(count: number): Float64Array {
    return new Float64Array(this.#take(count * Float64Array.BYTES_PER_ELEMENT), 0, count);
  }

  words(count: number): Int32Array {
    return new Int32Array(this.#take(count * Int32Array.BYTES_PER_ELEMENT), 0, count);
  }

  shorts(count: number): Uint16Array {
    return new Uint16Array(this.#take(count * Uint16Array.BYTES_PER_ELEMENT), 0, count);
  }

  #take(bytes: number): ArrayBuffer {
    if (bytes <= this.#kept.byteLength) return this.#kept;
    const fresh = new ArrayBuffer(bytes);
    if (bytes <= KEPT_BYTES_MAX) this.#kept = fresh;
    return fresh;
  }
}

/** Gives the memory back: the bytes are gone. Does nothing to a small buffer, which shares its memory with others. */
export function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Gives a picture's memory back: reading its pixels after that is an error. */
export function giveBackPicture(picture: Picture): void {
  giveBack(picture.rgb);
  Object.defineProperty(picture, 'rgb', GIVEN_BACK);
}
