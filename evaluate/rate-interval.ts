/**
 * Intervals of rates that drawing sources again cannot give: if no source shows a false alarm, no draw does either,
 * and a rate of 0 with an interval from 0 to 0 would be said of three sources as of three thousand.
 */
import type { Interval } from './bootstrap.ts';

/** Of the normal distribution, for 95 % on two sides. */
const Z = 1.96;

export interface WeightedSource {
  source: string;
  weight: number;
}

/** As many sources of equal weight as the rows are worth: files of one source may all fail for one reason. */
export function effectiveSources(rows: readonly WeightedSource[]): number {
  const weights = new Map<string, number>();
  for (const { source, weight } of rows) weights.set(source, (weights.get(source) ?? 0) + weight);
  let [sum, squares] = [0, 0];
  for (const weight of weights.values()) {
    sum += weight;
    squares += weight ** 2;
  }
  return sum ** 2 / squares;
}

/** Wilson's interval of a share of so many independent trials. */
export function wilson(share: number, trials: number): Interval {
  const spread = Z ** 2 / trials;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / trials + spread / trials / 4);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** The interval of the draws, never narrower than that of as many trials as there are sources. */
export function widen([low, high]: Interval, share: number, rows: readonly WeightedSource[]): Interval {
  if (Number.isNaN(share)) return [low, high];
  const [least, most] = wilson(share, effectiveSources(rows));
  return [Math.min(low, least), Math.max(high, most)];
}
