/** PDQ, the perceptual hash that Meta published (2019): 256 bits of the lowest frequencies, close for like pictures. Pure. */
import { z } from 'zod';
import {
  ASKED_KEYPOINTS_MAX,
  packedAskedBytes,
  packedBytes,
  STORED_KEYPOINTS_MAX,
  unpackAskedKeypoints,
  unpackKeypoints,
} from './keypoints.ts';

export const PDQ_BITS = 256;

/** 64 hexadecimal characters, the highest bit first, as the reference implementation prints it. */
const bits = z.string().regex(/^[0-9a-f]{64}$/);

/** Base64 of packed keypoints (keypoints.ts). */
export const packedKeypoints = (countMax: number) =>
  z
    .base64()
    .max(Math.ceil(packedBytes(countMax) / 3) * 4)
    .refine(
      (packed) => unpackKeypoints(Buffer.from(packed, 'base64')) !== undefined,
      'expected packed keypoints',
    );

const packedAskedKeypoints = z
  .base64()
  .max(Math.ceil(packedAskedBytes(ASKED_KEYPOINTS_MAX) / 3) * 4)
  .refine(
    (packed) => unpackAskedKeypoints(Buffer.from(packed, 'base64')) !== undefined,
    'expected packed keypoints with their unsure bits',
  );

export const perceptualHashSchema = z.strictObject({
  hash: bits,
  /** The hash of the mirrored picture. */
  mirrored: bits,
  quality: z.int().min(0).max(100),
});
export type PerceptualHash = z.infer<typeof perceptualHashSchema>;

export const describedPictureSchema = perceptualHashSchema.extend({
  /** For searches by a part; absent if the picture has too little detail. */
  keypoints: packedKeypoints(STORED_KEYPOINTS_MAX).optional(),
});
export type DescribedPicture = z.infer<typeof describedPictureSchema>;

/** A search's picture: in more detail, and mirrored too. */
export const askedPictureSchema = perceptualHashSchema.extend({
  keypoints: packedAskedKeypoints,
  mirroredKeypoints: packedAskedKeypoints,
});
export type AskedPicture = z.infer<typeof askedPictureSchema>;

/** Bits that differ between two hashes of 64 hexadecimal characters. */
export function hammingDistance(left: string, right: string): number {
  let distance = 0;
  for (let at = 0; at < left.length; at += 8) {
    const [a, b] = [left, right].map((hash) => Number.parseInt(hash.slice(at, at + 8), 16));
    distance += countBits((a ?? 0) ^ (b ?? 0));
  }
  return distance;
}

export function countBits(value: number): number {
  const pairs = value - ((value >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
