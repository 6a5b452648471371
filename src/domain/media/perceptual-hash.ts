/** PDQ, the perceptual hash that Meta published (2019): 256 bits of the lowest frequencies, alike where pictures are. Pure. */

import { z } from 'zod';

export const PDQ_BITS = 256;

/** 64 hexadecimal characters, the highest bit first, as the reference implementation prints it. */
const bits = z.string().regex(/^[0-9a-f]{64}$/);

/** One picture's hash. */
export const perceptualHashSchema = z.strictObject({
  hash: bits,
  /** The hash of the picture with left and right exchanged. */
  mirrored: bits,
  /** How much there is to see. */
  quality: z.int().min(0).max(100),
});
export type PerceptualHash = z.infer<typeof perceptualHashSchema>;

/** Bits that differ between two hashes of 64 hexadecimal characters. */
export function hammingDistance(left: string, right: string): number {
  let distance = 0;
  for (let at = 0; at < left.length; at += 8) {
    const [a, b] = [left, right].map((hash) => Number.parseInt(hash.slice(at, at + 8), 16));
    distance += countBits((a ?? 0) ^ (b ?? 0));
  }
  return distance;
}

/** The bits that are set in a 32-bit number. */
export function countBits(value: number): number {
  const pairs = value - ((value >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
