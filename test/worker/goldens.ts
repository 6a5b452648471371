/**
 * What TensorFlow.js computed of inputs made by rule. It is 300 MB that nothing else needs, so its answers are kept
 * and it is not installed: models/training/originals writes them anew.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const FOLDER = join(import.meta.dirname, 'goldens');

/** What a golden output is of. */
export const GOLDEN_NAMES = [
  ...['nsfw', 'face-detector', 'mixed0', 'mixed2'],
  ...['mean-4-1', 'mean-4-2', 'mean-5-2'],
] as const;
export type GoldenName = (typeof GOLDEN_NAMES)[number];

export const goldenPath = (name: GoldenName): string => join(FOLDER, `${name}.f32`);

/** Versions of the packages that computed them, or whose weights they are of. */
export const GOLDEN_VERSIONS_PATH = join(FOLDER, 'versions.json');
export const goldenVersionsSchema = z.strictObject({
  '@tensorflow/tfjs': z.string(),
  nsfwjs: z.string(),
  '@vladmandic/human': z.string(),
});

export function readGolden(name: GoldenName): Float32Array {
  const bytes = readFileSync(goldenPath(name));
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

export const PICTURES = 3;
export const NSFW_SIDE = 224;
export const FACE_SIDE = 256;

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

export const ITEMS = 2;
export const ITEM_SIDE = 64;

/** Planes, 0..1. */
export function makeItem(index: number): Float32Array {
  return Float32Array.from({ length: 3 * ITEM_SIDE * ITEM_SIDE }, (_, at) => {
    const wave =
      Math.sin(at / (5 + 4 * index)) * Math.cos(at / ITEM_SIDE / (7 + index)) +
      Math.sin(at * (index + 1)) / 2;
    return Math.min(1, Math.max(0, 0.5 + wave / 3));
  });
}

/** Side of the picture, and how far apart the means are taken. */
export const MEANS = [
  { side: 4, stride: 1, name: 'mean-4-1' },
  { side: 4, stride: 2, name: 'mean-4-2' },
  { side: 5, stride: 2, name: 'mean-5-2' },
] as const;

/** Three planes of whole numbers. */
export function makeSteps(side: number): Float32Array {
  return Float32Array.from({ length: 3 * side * side }, (_, at) => ((at * at) % 17) + at);
}
