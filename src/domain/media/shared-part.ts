/** Whether two pictures share a part: keypoints look alike and their places agree, which chance hardly makes. Pure. */
import { number, type ValuesOf } from '../field.ts';
import { ANGLES, DESCRIPTOR_WORDS, type Keypoints, LEVEL_FACTOR } from './keypoints.ts';
import { countBits } from './perceptual-hash.ts';

/** Bits that may differ between two keypoints of one place; of unrelated ones, half of 256 do. */
const DISTANCE_MAX = 64;
/** In the first 32 bits, half of which differ between unrelated ones: nearly all comparisons end there. */
const FIRST_DISTANCE_MAX = 11;
/** Numbers of set bits of each 16-bit value: half the time of counting them in the most frequent comparison. */
const SET_BITS = Uint8Array.from({ length: 1 << 16 }, (_, value) => countBits(value));
/** Distance of the nearest over that of the second nearest elsewhere: if both are about as near, neither counts. */
const RATIO_MAX = 0.85;
/** Tolerance of a place, as a share of the asked picture's long side. */
const COARSE_TOLERANCE = 0.06;
const FINE_TOLERANCE = 0.02;
/** Tolerance of exact places, which agree without a tilt: four pixels of 768. */
const EXACT_TOLERANCE = 0.006;
/** Bound on the tilt of exact places: one direction is stretched up to a third more than the other. */
const EXACT_WARP_MAX = 1.05;
/** Tolerance of a place's own level, and of its direction in steps of a full turn, against the whole. */
const EXACT_LEVELS = 1;
const EXACT_TURN = 10;
const EXACT_ROUNDS = 4;
/** Tolerance between two directions, in steps of a full turn. */
const TURN_TOLERANCE = 20;
/** Tolerance between two sizes, in levels. */
const LEVEL_TOLERANCE = 2;
/** Places along a line (an edge, print) agree with those of any other: they must be spread a tenth as wide as long. */
const LINE_SHARE = 0.01;
/** Bound on the tilt: one direction is stretched less than three times as much as the other. */
const WARP_MAX = 1.6;
/** Pixels within which two keypoints count as one place. */
const SAME_PLACE = 4;

/** A rectangle as shares of a picture's sides, 0..1. */
export const PART = { left: number(), top: number(), right: number(), bottom: number() };
export interface Part extends ValuesOf<typeof PART> {}

export interface SharedPart {
  /** Places that agree. */
  places: number;
  /** Places that lie exactly where a turn and a scale of the whole would place them; 0 if the part is tilted. */
  exactPlaces: number;
  /** Its rectangle in the search's picture, and in the stored one. */
  asked: Part;
  kept: Part;
}

interface Pair {
  asked: number;
  kept: number;
}

/** Maps kept pixels to asked ones: x' = a·x + b·y + c, y' = d·x + e·y + f. */
type Affine = readonly [number, number, number, number, number, number];

export function findSharedPart(asked: Keypoints, kept: Keypoints): SharedPart {
  const pairs = pairUp(asked, kept);
  const agreeing = largestAgreement(asked, kept, pairs);
  const places = countPlaces(asked, kept, agreeing);
  return {
    places,
    exactPlaces: countExact(asked, kept, pairs, agreeing),
    asked: partOf(
      asked,
      agreeing.map((pair) => pair.asked),
    ),
    kept: partOf(
      kept,
      agreeing.map((pair) => pair.kept),
    ),
  };
}

function pairUp(asked: Keypoints, kept: Keypoints): Pair[] {
  const pairs: Pair[] = [];
  const firsts = Int32Array.from(
    { length: asked.count },
    (_, index) => asked.words[index * DESCRIPTOR_WORDS] as number,
  );
  for (let index = 0; index < kept.count; index++) {
    const nearest = nearestTo(kept, index, asked, firsts);
    if (nearest !== null) pairs.push({ asked: nearest, kept: index });
  }
  return pairs;
}

/** The keypoint of `others` nearest to one of `from`, if no other place is as near. `firsts`: first words of `others`. */
function nearestTo(from: Keypoints, index: number, others: Keypoints, firsts: Int32Array): number | null {
  const own = from.words.subarray(index * DESCRIPTOR_WORDS, (index + 1) * DESCRIPTOR_WORDS);
  const [w0, w1, w2, w3, w4, w5, w6, w7] = own as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const { words, count, x, y } = others;
  let [best, bestDistance, secondDistance] = [-1, 257, 257];
  for (let other = 0; other < count; other++) {
    const unlike = (firsts[other] as number) ^ w0;
    const first = (SET_BITS[unlike & 0xffff] as number) + (SET_BITS[unlike >>> 16] as number);
    if (first > FIRST_DISTANCE_MAX) continue;
    const at = other * DESCRIPTOR_WORDS;
    const distance =
      first +
      countBits((words[at + 1] as number) ^ w1) +
      countBits((words[at + 2] as number) ^ w2) +
      countBits((words[at + 3] as number) ^ w3) +
      countBits((words[at + 4] as number) ^ w4) +
      countBits((words[at + 5] as number) ^ w5) +
      countBits((words[at + 6] as number) ^ w6) +
      countBits((words[at + 7] as number) ^ w7);
    if (distance >= secondDistance) continue;
    const isSamePlace =
      best >= 0 &&
      Math.abs((x[best] as number) - (x[other] as number)) < 2 * SAME_PLACE &&
      Math.abs((y[best] as number) - (y[other] as number)) < 2 * SAME_PLACE;
    if (distance < bestDistance) {
      if (!isSamePlace) secondDistance = bestDistance;
      best = other;
      bestDistance = distance;
    } else if (!isSamePlace) secondDistance = distance;
  }
  return bestDistance <= DISTANCE_MAX && bestDistance <= RATIO_MAX * secondDistance ? best : null;
}

/** Each pair alone implies how one picture lies in the other; the mapping with the most agreement is fitted exactly. */
function largestAgreement(asked: Keypoints, kept: Keypoints, pairs: readonly Pair[]): Pair[] {
  const side = Math.max(asked.width, asked.height);
  let best: Pair[] = [];
  for (const pair of pairs) {
    const coarse = agreeingWith(asked, kept, pairs, pair, COARSE_TOLERANCE * side);
    if (coarse.length > best.length) best = coarse;
  }
  for (let round = 0; round < 3 && best.length >= 3; round++) {
    const affine = fitAffine(asked, kept, best);
    if (affine === null) return [];
    best = withinOf(asked, kept, pairs, affine, best, FINE_TOLERANCE * side);
  }
  return best;
}

function agreeingWith(
  asked: Keypoints,
  kept: Keypoints,
  pairs: readonly Pair[],
  lead: Pair,
  tolerance: number,
): Pair[] {
  const levels = levelsBetween(asked, kept, lead);
  const steps = turnBetween(asked, kept, lead);
  const scale = LEVEL_FACTOR ** levels;
  const turn = (steps / ANGLES) * 2 * Math.PI;
  const [cos, sin] = [scale * Math.cos(turn), scale * Math.sin(turn)];
  const [leadX, leadY] = [kept.x[lead.kept] as number, kept.y[lead.kept] as number];
  const [toX, toY] = [asked.x[lead.asked] as number, asked.y[lead.asked] as number];
  return pairs.filter((pair) => {
    if (Math.abs(levelsBetween(asked, kept, pair) - levels) > LEVEL_TOLERANCE) return false;
    if (turnApart(turnBetween(asked, kept, pair), steps) > TURN_TOLERANCE) return false;
    const x = (kept.x[pair.kept] as number) - leadX;
    const y = (kept.y[pair.kept] as number) - leadY;
    // A size is known to half a level, so places far from the leading pair need more room.
    const room = tolerance + 0.15 * scale * Math.hypot(x, y);
    const offX = toX + cos * x - sin * y - (asked.x[pair.asked] as number);
    const offY = toY + sin * x + cos * y - (asked.y[pair.asked] as number);
    return Math.hypot(offX, offY) <= room;
  });
}

function withinOf(
  asked: Keypoints,
  kept: Keypoints,
  pairs: readonly Pair[],
  affine: Affine,
  former: readonly Pair[],
  tolerance: number,
): Pair[] {
  const lead = former[0] as Pair;
  const [levels, steps] = [levelsBetween(asked, kept, lead), turnBetween(asked, kept, lead)];
  return pairs.filter((pair) => {
    if (Math.abs(levelsBetween(asked, kept, pair) - levels) > 2 * LEVEL_TOLERANCE) return false;
    if (turnApart(turnBetween(asked, kept, pair), steps) > 2 * TURN_TOLERANCE) return false;
    return missOf(asked, kept, pair, affine) <= tolerance;
  });
}

function levelsBetween(asked: Keypoints, kept: Keypoints, pair: Pair): number {
  return (asked.level[pair.asked] as number) - (kept.level[pair.kept] as number);
}

function turnBetween(asked: Keypoints, kept: Keypoints, pair: Pair): number {
  return ((asked.angle[pair.asked] as number) - (kept.angle[pair.kept] as number) + ANGLES) % ANGLES;
}

function turnApart(left: number, right: number): number {
  const apart = Math.abs(left - right);
  return Math.min(apart, ANGLES - apart);
}

/** Least squares; null if the places lie on a line, or the map would tear the picture. */
function fitAffine(asked: Keypoints, kept: Keypoints, pairs: readonly Pair[]): Affine | null {
  const count = pairs.length;
  const mean = (of: (pair: Pair) => number) => pairs.reduce((sum, pair) => sum + of(pair), 0) / count;
  const keptX = (pair: Pair) => kept.x[pair.kept] as number;
  const keptY = (pair: Pair) => kept.y[pair.kept] as number;
  const [midX, midY] = [mean(keptX), mean(keptY)];
  const xx = mean((pair) => (keptX(pair) - midX) ** 2);
  const yy = mean((pair) => (keptY(pair) - midY) ** 2);
  const xy = mean((pair) => (keptX(pair) - midX) * (keptY(pair) - midY));
  const determinant = xx * yy - xy * xy;
  if (determinant < LINE_SHARE * (xx + yy) ** 2) return null;
  const solve = (to: (pair: Pair) => number): [number, number, number] => {
    const mid = mean(to);
    const x = mean((pair) => (keptX(pair) - midX) * (to(pair) - mid));
    const y = mean((pair) => (keptY(pair) - midY) * (to(pair) - mid));
    const [byX, byY] = [(x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant];
    return [byX, byY, mid - byX * midX - byY * midY];
  };
  const [a, b, c] = solve((pair) => asked.x[pair.asked] as number);
  const [d, e, f] = solve((pair) => asked.y[pair.asked] as number);
  const area = a * e - b * d;
  const affine: Affine = [a, b, c, d, e, f];
  return area > 0 && warpOf(affine) <= WARP_MAX ? affine : null;
}

/** 1 for a turn and a scale alone. */
const warpOf = ([a, b, , d, e]: Affine): number => (a * a + b * b + d * d + e * e) / (2 * (a * e - b * d));

/** Counts places whose direction and size agree with the common turn and scale. Four hardly ever agree by chance. */
function countExact(
  asked: Keypoints,
  kept: Keypoints,
  pairs: readonly Pair[],
  agreeing: readonly Pair[],
): number {
  let exact = [...agreeing];
  for (let round = 0; round < EXACT_ROUNDS; round++) {
    const affine = exact.length < 3 ? null : fitAffine(asked, kept, exact);
    if (affine === null) return 0;
    exact = exactlyWithin(asked, kept, pairs, affine);
    if (round === EXACT_ROUNDS - 1 && warpOf(affine) > EXACT_WARP_MAX) return 0;
  }
  return countPlaces(asked, kept, exact);
}

function exactlyWithin(asked: Keypoints, kept: Keypoints, pairs: readonly Pair[], affine: Affine): Pair[] {
  const [a, b, , d, e] = affine;
  const tolerance = EXACT_TOLERANCE * Math.max(asked.width, asked.height);
  const levels = Math.log(Math.sqrt(a * e - b * d)) / Math.log(LEVEL_FACTOR);
  const steps = (Math.atan2(d - b, a + e) / (2 * Math.PI)) * ANGLES;
  return pairs.filter((pair) => {
    if (Math.abs(levelsBetween(asked, kept, pair) - levels) > EXACT_LEVELS) return false;
    if (turnApart(turnBetween(asked, kept, pair), (steps + ANGLES) % ANGLES) > EXACT_TURN) return false;
    return missOf(asked, kept, pair, affine) <= tolerance;
  });
}

/** Pixels between a place and where the map would put it. */
function missOf(asked: Keypoints, kept: Keypoints, pair: Pair, [a, b, c, d, e, f]: Affine): number {
  const [x, y] = [kept.x[pair.kept] as number, kept.y[pair.kept] as number];
  const offX = a * x + b * y + c - (asked.x[pair.asked] as number);
  const offY = d * x + e * y + f - (asked.y[pair.asked] as number);
  return Math.hypot(offX, offY);
}

/** Pairs on one place count once. */
function countPlaces(asked: Keypoints, kept: Keypoints, pairs: readonly Pair[]): number {
  const counted: Pair[] = [];
  for (const pair of pairs) {
    const isNew = counted.every(
      (other) => isApart(asked, pair.asked, other.asked) && isApart(kept, pair.kept, other.kept),
    );
    if (isNew) counted.push(pair);
  }
  return counted.length;
}

function isApart({ x, y }: Keypoints, one: number, other: number): boolean {
  const dx = (x[one] as number) - (x[other] as number);
  const dy = (y[one] as number) - (y[other] as number);
  return dx * dx + dy * dy > SAME_PLACE ** 2;
}

function partOf({ x, y, width, height }: Keypoints, indices: readonly number[]): Part {
  if (indices.length === 0) return { left: 0, top: 0, right: 0, bottom: 0 };
  const [xs, ys] = [indices.map((at) => x[at] as number), indices.map((at) => y[at] as number)];
  return {
    left: Math.min(...xs) / width,
    top: Math.min(...ys) / height,
    right: Math.max(...xs) / width,
    bottom: Math.max(...ys) / height,
  };
}
