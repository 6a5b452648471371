/** How far outputs for the golden inputs are from those that a pack states. Pure. */

export interface GoldenDifference {
  /** Absolute; infinite if an output is missing or is not a number. */
  largest: number;
  /** Which of the expected outputs differs most, counted from 0. */
  index: number;
}

export function goldenDifference(actual: ArrayLike<number>, expected: readonly number[]): GoldenDifference {
  let worst: GoldenDifference = { largest: 0, index: 0 };
  for (const [index, value] of expected.entries()) {
    const difference = Math.abs((actual[index] ?? Number.NaN) - value);
    const largest = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
    if (largest > worst.largest) worst = { largest, index };
  }
  return worst;
}
