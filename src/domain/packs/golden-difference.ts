/** The difference between outputs for the golden inputs and a pack's expected ones. Pure. */

export interface GoldenDifference {
  /** Absolute; infinite if an output is missing or is not a number. */
  largest: number;
  /** Index of the expected output that differs most, from 0. */
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
