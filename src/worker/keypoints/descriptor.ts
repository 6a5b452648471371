/** A keypoint's direction, and 256 comparisons of brightness turned with it (rotated BRIEF). */
import { ANGLES, DESCRIPTOR_WORDS, UNSURE_BITS, WORD_BITS } from '../../domain/media/keypoints.ts';
import type { Grey } from './grey.ts';

/**
 * The points of brightness that a keypoint's bits compare: x and y of both, in pixels around it. Chosen once, among 2,500 random
 * pairs on 12,000 corners of 393 pictures, so that each bit is set about as often as not and says little of another; the first
 * ones say the least of each other. Stored bits are compared with later ones: another choice would make them worthless.
 */
const CHOSEN = [
  'AwoD+AAFAPf8/vwFCAUJ/Qf8DPz0//kC9QT2/wD+AwIA+AH0+/v8/wT+BfoFBQoD+/f6+/sA/wD8BPgGBQcEC/oE/gkAAgP+9vr++/kK',
  '+/gEBAUI9wD5/AIGAwIE/AYACPYE+QH1BvkDCP4L/fwB/AX0AwUJAQr5APz+9wkABQAB+v4I/QEABPz5AAj0Bf329v/9BwEL/QcHBAIC',
  'APf79gb+AfkICQEL/AH6CwD6Af4D/AP3A/0EBfYC+gAGCQoI//z+A/kF9Qb59vgCBPgKBf8D/Af6/v0CAgr+/gL8Bvv5///2BwECBfv1',
  'AgX9AwIA/gMDBgsFCwH++f0L+QH6BQYGBQH5A/n+9v34+QIBAfz4+fsGBAMH+wj6CAoJ+gb9//QCCPkD/QAACQMFBAoJ/gT5AQb8/vf+',
  'AAsE/AP5APwD9P4E/gb6Bvr7//3/+fgIBQcABf4D/fQI/QwFBQsF9QECAAv5APf6AQQC/////gb+/f8B9gb8/foH+gMA+wIIBP4KB//7',
  '/f/3/foK+gP9+QMIB/kHCQMGAwwA9wP1BgECAAX8APX9+v8L+vUB+AYF/gACAfsKAv0C+f0CAwD9+PUD/wP9CQULAfcBCQP8Bgv5+fcG',
  'BQIJBP4F/An69v7+AgcBDPgG9gH//AEEAfoG9QEABAX6+f32+gH9BAgEBvX5//37CQMGCQwCBPwK/gX5AwIIAAP9Cf78+PX/9P/9DPX8',
  '/vQAA/z+BP8A//0GAgX+BQP8AgQC+Qj7CQMDAQP3/vz+Cf/+/wMG9QX+/Ab89/r9+gcE9wUHAf0ACf/9APMI9wUC+vz6AP79//gF/QgC',
  '/Qb8AfsG9wkK+gYF/QL/CvUB+wQABAMKCf0GAP0K/AYGAwT/Bf4DCfj++/T9Cvv6/wAC/P8E/Pr8A/f9/vz6Bgb5BAwICgP2AvkG+QX9',
  'AvT8Av/+AfsGCAD/BvcCBgYFAwQL/vcJAAAK+AL+9vv+//0G+AQE9gAIAv4GAfsFAPkB//3///sD/vkE//T+/fQBAQcH/QEC+vj6BAAD',
  '+v8ACvwE/PsC9AID/P37CggHB//+Bv/6/gH9+fkA9gUB/AMMAfkAAvv3+wEDAwIJAQj/Av0C+vkE/QP5AwcC9AoACQQD+wf4AAb+/Qb8',
  'BAYDAADzBAQHAPf6/PgE/QIE/wYCAgMFCgb9+wD++/b/9AID//kICQL/Avf+APcJ/wYCBAj4AwAI/fwMAgULAAUI+wgABQQBAQT5Af79',
  'AvsJBQH6/Pb7/P/7/gUFDPsGAf7+AgL+AAb8AwME/gAE/AD9BQIAAfwBAQIFCQX6/vX+/wALAPv/9AD59gj7A/8K//j/DP8EAvcDCAQA',
  'BfwA/wEDBAID/A==',
].join('');

/** Four for each bit. */
const COMPARISONS = new Int8Array(Buffer.from(CHOSEN, 'base64'));

/** Pixels around a keypoint that count. */
export const RADIUS = 15;
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
