/** Intervals of 95 % from drawing sources again, not files: files of one source are not independent. */
import { balanceLabels, FIGURE_NAMES, type Figures, type Scored, toFigures } from './figures.ts';
import { makeRandom } from './random.ts';

export type Interval = [low: number, high: number];

export const REPLICATES = 1000;
const SEED = 1;

/** Each draw takes as many sources of each label as there are; a source drawn twice weighs twice. */
export function bootstrap(rows: readonly Scored[], count = REPLICATES): Record<keyof Figures, Interval> {
  const random = makeRandom(SEED);
  const labels = [true, false].map((isArtificial) => [
    ...new Set(rows.flatMap((row) => (row.isArtificial === isArtificial ? row.source : []))),
  ]);
  const drawn = Array.from({ length: count }, () => toFigures(drawSources(rows, labels, random)));
  const intervals = FIGURE_NAMES.map((name) => [name, toInterval(drawn.map((figures) => figures[name]))]);
  return Object.fromEntries(intervals) as Record<keyof Figures, Interval>;
}

/** Rows of the drawn sources with new weights, balanced; `labels` holds the sources of each label. */
export function drawSources(
  rows: readonly Scored[],
  labels: readonly string[][],
  random: () => number,
): readonly Scored[] {
  const times = new Map<string, number>();
  for (const sources of labels) {
    for (let draw = 0; draw < sources.length; draw++) {
      const source = sources[Math.floor(random() * sources.length)] ?? '';
      times.set(source, (times.get(source) ?? 0) + 1);
    }
  }
  const kept = rows.flatMap((row) => {
    const multiplicity = times.get(row.source);
    return multiplicity === undefined ? [] : [{ ...row, weight: row.weight * multiplicity }];
  });
  return balanceLabels(kept);
}

/** The 2.5th and the 97.5th percentile of what could be measured. */
export function toInterval(values: readonly number[]): Interval {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}
