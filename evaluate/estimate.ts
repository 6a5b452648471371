/** A figure with its 95 % interval over sources. */
import { bootstrap, drawSources, REPLICATES, toInterval } from './bootstrap.ts';
import { FIGURE_NAMES, type Figures, type Scored, shareOf, toFigures } from './figures.ts';
import { makeRandom } from './random.ts';
import { widen } from './rate-interval.ts';

/** NaN if a figure has no data behind it; a file of figures has null there. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export type Estimates = Record<keyof Figures, Estimate>;

const FALSE_ALARM = /^falseAlarmRate/;
const RECALL = /^recall/;

/** Rows in falling order of probability and balanced. */
export function estimateFigures(rows: readonly Scored[]): Estimates {
  const [figures, intervals] = [toFigures(rows), bootstrap(rows)];
  const ofLabel = (wanted: boolean) => rows.filter(({ isArtificial }) => isArtificial === wanted);
  const [human, artificial] = [ofLabel(false), ofLabel(true)];
  const entries = FIGURE_NAMES.map((name) => {
    const value = figures[name];
    const own = FALSE_ALARM.test(name) ? human : RECALL.test(name) ? artificial : null;
    const [low, high] = own === null ? intervals[name] : widen(intervals[name], value, own);
    return [name, { value, low, high }] as const;
  });
  return Object.fromEntries(entries) as Estimates;
}

const SEED = 1;

/** The share of rows of which something is true. */
export function estimateShare(rows: readonly Scored[], isTrue: (row: Scored) => boolean): Estimate {
  const value = shareOf(rows, isTrue);
  const labels = [true, false].map((wanted) => [
    ...new Set(rows.flatMap(({ isArtificial, source }) => (isArtificial === wanted ? source : []))),
  ]);
  const random = makeRandom(SEED);
  const drawn = Array.from({ length: REPLICATES }, () => shareOf(drawSources(rows, labels, random), isTrue));
  const [low, high] = widen(toInterval(drawn), value, rows);
  return { value, low, high };
}
