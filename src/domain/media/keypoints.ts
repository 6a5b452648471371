/** Keypoints: places that are found again in cut, turned or scaled copies (ORB, Rublee et al., 2011), packed. Pure. */

/** A picture is reduced to this long side before it is described; smaller ones stay as they are. */
export const STORED_SIDE = 512;
/** Bound per stored picture or frame: with half as many, a cut to 40 % of each side is found half as often. */
export const STORED_KEYPOINTS_MAX = 400;
/** Per frame of a film, of which there are many. */
export const FRAME_KEYPOINTS_MAX = 100;
/** A search's picture is described in more detail, since the shared part may be small. */
export const ASKED_SIDE = 768;
export const ASKED_KEYPOINTS_MAX = 600;

/** Each level of the pyramid is so much smaller than the one before. */
export const LEVEL_FACTOR = 1.25;
export const LEVELS = 7;
export const ANGLES = 256;
/** 256 bits in 32-bit words. */
export const DESCRIPTOR_WORDS = 8;
/** The first bits of a keypoint are its word in an index. */
export const WORD_BITS = 20;
/** Bits of the word that noise turns first: half of all turned ones of two copies are among the first four. */
export const UNSURE_BITS = 7;

/** Fractions of a pixel in which a place is stored. */
const PLACE_STEPS = 32;
const HEAD_BYTES = 4;
/** Place (2 × 2), angle, level, bits. */
const KEYPOINT_BYTES = 6 + DESCRIPTOR_WORDS * 4;

/** Bytes of so many packed keypoints. */
export const packedBytes = (count: number): number => HEAD_BYTES + count * KEYPOINT_BYTES;
export const packedAskedBytes = (count: number): number => packedBytes(count) + count * UNSURE_BITS;

export interface Keypoints {
  /** Sides of the reduced picture, which places refer to. */
  width: number;
  height: number;
  count: number;
  x: Float32Array;
  y: Float32Array;
  /** Steps of a full turn, 0..ANGLES - 1. */
  angle: Uint8Array;
  level: Uint8Array;
  /** DESCRIPTOR_WORDS for each. */
  words: Int32Array;
}

export interface AskedKeypoints extends Keypoints {
  /** For each keypoint its word's UNSURE_BITS bits (0 is the highest) whose brightnesses differ the least, these first. */
  unsure: Uint8Array;
}

export function emptyKeypoints(width: number, height: number, count: number): Keypoints {
  return {
    width,
    height,
    count,
    x: new Float32Array(count),
    y: new Float32Array(count),
    angle: new Uint8Array(count),
    level: new Uint8Array(count),
    words: new Int32Array(count * DESCRIPTOR_WORDS),
  };
}

export function packKeypoints(keypoints: Keypoints): Uint8Array {
  const { width, height, count, x, y, angle, level, words } = keypoints;
  const bytes = new Uint8Array(HEAD_BYTES + count * KEYPOINT_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, width);
  view.setUint16(2, height);
  for (let index = 0; index < count; index++) {
    const at = HEAD_BYTES + index * KEYPOINT_BYTES;
    view.setUint16(at, Math.round((x[index] as number) * PLACE_STEPS));
    view.setUint16(at + 2, Math.round((y[index] as number) * PLACE_STEPS));
    view.setUint8(at + 4, angle[index] as number);
    view.setUint8(at + 5, level[index] as number);
    for (let word = 0; word < DESCRIPTOR_WORDS; word++) {
      view.setInt32(at + 6 + word * 4, words[index * DESCRIPTOR_WORDS + word] as number);
    }
  }
  return bytes;
}

/** Undefined if `packKeypoints` did not write the bytes. */
export function unpackKeypoints(bytes: Uint8Array): Keypoints | undefined {
  const count = (bytes.length - HEAD_BYTES) / KEYPOINT_BYTES;
  if (!Number.isInteger(count) || count < 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const keypoints = emptyKeypoints(view.getUint16(0), view.getUint16(2), count);
  const { width, height } = keypoints;
  for (let index = 0; index < count; index++) {
    const at = HEAD_BYTES + index * KEYPOINT_BYTES;
    keypoints.x[index] = view.getUint16(at) / PLACE_STEPS;
    keypoints.y[index] = view.getUint16(at + 2) / PLACE_STEPS;
    keypoints.angle[index] = view.getUint8(at + 4);
    keypoints.level[index] = view.getUint8(at + 5);
    const isInside = (keypoints.x[index] as number) < width && (keypoints.y[index] as number) < height;
    if (!isInside || (keypoints.level[index] as number) >= LEVELS) return undefined;
    for (let word = 0; word < DESCRIPTOR_WORDS; word++) {
      keypoints.words[index * DESCRIPTOR_WORDS + word] = view.getInt32(at + 6 + word * 4);
    }
  }
  return keypoints;
}

export function packAskedKeypoints(keypoints: AskedKeypoints): Uint8Array {
  return Buffer.concat([packKeypoints(keypoints), keypoints.unsure]);
}

/** Undefined if `packAskedKeypoints` did not write the bytes. */
export function unpackAskedKeypoints(bytes: Uint8Array): AskedKeypoints | undefined {
  const count = (bytes.length - HEAD_BYTES) / (KEYPOINT_BYTES + UNSURE_BITS);
  if (!Number.isInteger(count) || count < 0) return undefined;
  const keypoints = unpackKeypoints(bytes.subarray(0, packedBytes(count)));
  const unsure = Uint8Array.from(bytes.subarray(packedBytes(count)));
  if (keypoints === undefined || unsure.some((bit) => bit >= WORD_BITS)) return undefined;
  return { ...keypoints, unsure };
}
