/**
 * Describes a keypoint's surroundings: their direction, and 256 comparisons of brightness, turned with it (rotated BRIEF).
 */
import { ANGLES, DESCRIPTOR_WORDS, UNSURE_BITS, WORD_BITS } from '../../domain/media/keypoints.ts';
import { COMPARISONS } from './comparisons.ts';
import type { Grey } from './grey.ts';

/** Pixels around a keypoint that count. */
export const RADIUS = 15;
/** Widths of the rows of a circle. */
const ROW_HALVES = Array.from({ length: RADIUS + 1 }, (_, dy) =>
  Math.floor(Math.sqrt(RADIUS ** 2 - dy ** 2)),
);

/** The direction from a place to the centre of brightness of its surroundings, as steps of a full turn. */
export function directionAt({ width, values }: Grey, x: number, y: number): number {
  let [sumX, sumY] = [0, 0];
  for (let dy = -RADIUS; dy <= RADIUS; dy++) {
    const half = ROW_HALVES[Math.abs(dy)] as number;
    const line = (y + dy) * width + x;
    let row = 0;
    for (let dx = -half; dx <= half; dx++) {
      const value = values[line + dx] as number;
      row += value;
      sumX += dx * value;
    }
    sumY += dy * row;
  }
  const turn = Math.atan2(sumY, sumX) / (2 * Math.PI);
  return Math.round((turn + 1) * ANGLES) % ANGLES;
}

/** The pairs of points turned by each angle, as whole pixels. */
const TURNED: readonly Int8Array[] = Array.from({ length: ANGLES }, (_, angle) => turnPairs(angle));

/** Writes DESCRIPTOR_WORDS; `smooth` is the blurred level. */
export function describeAt(
  { width, values }: Grey,
  { x, y, angle }: { x: number; y: number; angle: number },
  words: Int32Array,
  offset: number,
): void {
  const points = TURNED[angle] as Int8Array;
  const at = y * width + x;
  for (let word = 0; word < DESCRIPTOR_WORDS; word++) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) {
      const pair = (word * 32 + bit) * 4;
      const first = values[at + (points[pair + 1] as number) * width + (points[pair] as number)] as number;
      const second = values[
        at + (points[pair + 3] as number) * width + (points[pair + 2] as number)
      ] as number;
      if (first < second) bits |= 1 << bit;
    }
    words[offset + word] = bits;
  }
}

/** The word's bits, 0 the highest, whose brightnesses differ the least, and which noise turns first; the least sure first. */
export function unsureBitsAt(
  { width, values }: Grey,
  { x, y, angle }: { x: number; y: number; angle: number },
): number[] {
  const points = TURNED[angle] as Int8Array;
  const at = y * width + x;
  const valueAt = (point: number) =>
    values[at + (points[point + 1] as number) * width + (points[point] as number)] as number;
  const differences = Array.from({ length: WORD_BITS }, (_, bit) => {
    const pair = (31 - bit) * 4;
    return Math.abs(valueAt(pair) - valueAt(pair + 2));
  });
  const bits = Array.from(differences.keys());
  return bits.sort((a, b) => (differences[a] as number) - (differences[b] as number)).slice(0, UNSURE_BITS);
}

function turnPairs(angle: number): Int8Array {
  const turn = (angle / ANGLES) * 2 * Math.PI;
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  const turned = new Int8Array(COMPARISONS.length);
  for (let at = 0; at < COMPARISONS.length; at += 2) {
    const x = COMPARISONS[at] as number;
    const y = COMPARISONS[at + 1] as number;
    turned[at] = Math.round(x * cos - y * sin);
    turned[at + 1] = Math.round(x * sin + y * cos);
  }
  return turned;
}
