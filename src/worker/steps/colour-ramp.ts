/**
 * Colours of a probability: blue for human, near white for undecided, red for artificial. Lightness falls evenly
 * to both ends and blue against red is told apart by colour-blind readers (after Moreland, "Diverging Color Maps
 * for Scientific Visualization", 2009).
 */

const STOPS: readonly (readonly [red: number, green: number, blue: number])[] = [
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

/** 256 × RGB, from probability 0 to 1. */
export const RAMP: Uint8Array = Uint8Array.from({ length: LEVELS * 3 }, (_, index) => {
  const exact = (Math.floor(index / 3) / (LEVELS - 1)) * (STOPS.length - 1);
  const below = Math.min(STOPS.length - 2, Math.floor(exact));
  const low = STOPS[below]?.[index % 3] ?? 0;
  const high = STOPS[below + 1]?.[index % 3] ?? 0;
  return Math.round(low + (high - low) * (exact - below));
});

/** Offset of a probability's colour in the ramp. */
export function rampOffset(probability: number): number {
  return 3 * Math.round(Math.max(0, Math.min(1, probability)) * (LEVELS - 1));
}
