/** Writes invisible watermarks as the method `dwtDct` of the package invisible-watermark does, for tests of the decoder. */
import type { Picture } from '../../src/worker/media/picture.ts';

const BLOCK = 8;
const STEP = 36;

/** `floats`: what a generator hands over before it rounds; `bytes`: what a picture file holds. */
export function markPicture(
  { width, height, rgb }: Picture,
  bits: Uint8Array,
  layout: 'bytes' | 'floats',
): Picture {
  const marked = Buffer.from(rgb);
  const columns = Math.floor(width / BLOCK);
  const blocks = columns * Math.floor(height / BLOCK);
  for (let block = 0; block < blocks; block++) {
    const left = (block % columns) * BLOCK;
    const top = Math.floor(block / columns) * BLOCK;
    const at = (pixel: number, place: number): number =>
      ((top + (place >> 2) * 2 + (pixel >> 1)) * width + left + (place & 3) * 2 + (pixel & 1)) * 3;
    const zero = layout === 'floats' ? 0.5 : 128;
    const chroma = (place: number): number =>
      [0, 1, 2, 3].reduce((sum, pixel) => sum + chromaOf(rgb, at(pixel, place), zero), 0) / 2;
    const coefficients = Array.from({ length: 16 }, (_, place) => chroma(place));
    const sizes = coefficients.map((value, place) => (place === 0 ? -1 : Math.abs(value)));
    const most = sizes.indexOf(Math.max(...sizes));
    const value = coefficients[most] ?? 0;
    const bit = bits[block % bits.length] ?? 0;
    const size = (Math.floor(Math.abs(value) / STEP) + 0.25 + 0.5 * bit) * STEP;
    const change = ((value < 0 ? -size : size) - value) / 2;
    for (const pixel of [0, 1, 2, 3]) moveChroma(marked, at(pixel, most), change);
  }
  return { width, height, rgb: marked };
}

function lumaOf(rgb: Buffer, at: number): number {
  return 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0);
}

function chromaOf(rgb: Buffer, at: number, zero: number): number {
  return 0.492 * ((rgb[at + 2] ?? 0) - lumaOf(rgb, at)) + zero;
}

/** Luma and the other chroma stay: blue takes the change, green pays for it. */
function moveChroma(rgb: Buffer, at: number, change: number): void {
  rgb[at + 2] = clamp((rgb[at + 2] ?? 0) + change * 2.032);
  rgb[at + 1] = clamp((rgb[at + 1] ?? 0) - change * 0.395);
}

function clamp(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value)));
}
