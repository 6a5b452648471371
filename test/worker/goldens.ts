/** What TensorFlow.js (300 MB) computed of inputs made by rule; models/training/originals writes its answers anew. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'goldens');

/** What a golden output is of. */
export const GOLDEN_NAMES = ['nsfw', 'face-detector', 'assay-faces'] as const;
export type GoldenName = (typeof GOLDEN_NAMES)[number];

export const goldenPath = (name: GoldenName): string => join(FOLDER, `${name}.f32`);

export function readGolden(name: GoldenName): Float32Array {
  const bytes = readFileSync(goldenPath(name));
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

export const PICTURES = 3;
export const NSFW_SIDE = 224;
export const FACE_SIDE = 256;
export const FACE_ORIGIN_SIDE = 224;

/** Rows of pixels with a texture, values between the bounds. */
export function makePixels(index: number, side: number, [low, high]: [number, number]): Float32Array {
  return Float32Array.from({ length: side * side * 3 }, (_, at) => {
    const x = Math.floor(at / 3) % side;
    const y = Math.floor(at / 3 / side);
    const wave =
      Math.sin(x / (9 + 7 * index)) * Math.cos(y / (13 + 3 * index)) + Math.sin(at * (index + 1)) / 3;
    return low + (high - low) * Math.min(1, Math.max(0, 0.5 + wave / 2));
  });
}
