/** Blue for human, near white for undecided, red for artificial, as colour-blind readers see too (Moreland, 2009). */

type Stops = readonly (readonly [red: number, green: number, blue: number])[];

const STOPS: Stops = [
  [59, 76, 192],
  [98, 130, 234],
  [141, 176, 254],
  [184, 208, 249],
  [221, 221, 221],
  [245, 196, 173],
  [244, 154, 123],
  [222, 96, 77],
  [180, 4, 38],
];

const LEVELS = 256;

/** Stops for a reliability, which accuses no one: from nearly black to green. */
const RELIABILITY_STOPS: Stops = [
  [32, 32, 40],
  [46, 94, 78],
  [122, 204, 128],
];

/** 256 × RGB, from probability 0 to 1. */
export const RAMP = makeRamp(STOPS);
/** 256 × RGB, from reliability 0 to 1. */
export const RELIABILITY_RAMP = makeRamp(RELIABILITY_STOPS);

function makeRamp(stops: Stops): Uint8Array {
  return Uint8Array.from({ length: LEVELS * 3 }, (_, index) => {
    const exact = (Math.floor(index / 3) / (LEVELS - 1)) * (stops.length - 1);
    const below = Math.min(stops.length - 2, Math.floor(exact));
    const low = stops[below]?.[index % 3] ?? 0;
    const high = stops[below + 1]?.[index % 3] ?? 0;
    return Math.round(low + (high - low) * (exact - below));
  });
}

export function rampOffset(probability: number): number {
  return 3 * Math.round(Math.max(0, Math.min(1, probability)) * (LEVELS - 1));
}
