/**
 * Video without what gives it away: metadata alone part these sources better than any model, so each figure is told again
 * on clips whose frame rate says nothing, and between an edit and its own original.
 */
import { REPLICATES, toInterval } from './bootstrap.ts';
import { type Estimate, type Estimates, estimateFigures } from './estimate.ts';
import { SILENCE, toScored } from './figures.ts';
import type { Measurement } from './measurement.ts';
import { makeRandom } from './random.ts';

/** Frames a second: the rate alone identifies generators of a few frames a second. */
const RATE_MIN = 12;

export interface SubsetReport {
  subset: string;
  /** Files with an answer. */
  files: number;
  sources: number;
  unanswered: number;
  figures: Estimates;
}

/** No subset if no frame rate is known. */
export function toSubsets(own: readonly Measurement[]): SubsetReport[] {
  const fast = own.filter(({ framesPerSecond }) => framesPerSecond !== null && framesPerSecond >= RATE_MIN);
  if (fast.length === 0) return [];
  const rows = toScored(fast, ({ probability }) => probability);
  const sources = new Set(rows.map(({ source }) => source)).size;
  const subset = `${RATE_MIN} frames a second and more`;
  return [
    {
      subset,
      files: rows.length,
      sources,
      unanswered: fast.length - rows.length,
      figures: estimateFigures(rows),
    },
  ];
}

export interface PairsReport {
  pairs: number;
  names: string[];
  /** How often an edit scores above its own original, no answer at even odds; ties count half. Mean over pairs. */
  auc: Estimate;
  /** Natural log-odds of the edit less those of its original, mean over pairs. */
  logOddsDifference: Estimate;
}

const PIPELINE = 'pipeline';
const ORIGINAL = /-src$/;
const SEED = 1;

/** A source NAME-src of the family `pipeline` holds the originals that NAME edited. Null if there are none. */
export function toPairs(own: readonly Measurement[]): PairsReport | null {
  const bySource = Map.groupBy(own, ({ label, source }) => `${label}/${source}`);
  const originals = own.filter(
    ({ label, kind, source }) => label === 'human' && kind === PIPELINE && ORIGINAL.test(source),
  );
  const names = [...new Set(originals.map(({ source }) => source.replace(ORIGINAL, '')))].sort();
  const pairs = names.flatMap((name) => {
    const edits = bySource.get(`artificial/${name}`) ?? [];
    const [scored, base] = [edits, bySource.get(`human/${name}-src`) ?? []].map((files) =>
      files.map(toLogOdds),
    );
    if (scored === undefined || base === undefined || scored.length === 0) return [];
    return [{ name, ...compare(scored, base) }];
  });
  if (pairs.length === 0) return null;
  return {
    pairs: pairs.length,
    names: pairs.map(({ name }) => name),
    auc: meanOver(pairs.map(({ auc }) => auc)),
    logOddsDifference: meanOver(pairs.map(({ difference }) => difference)),
  };
}

function toLogOdds({ probability }: Measurement): number {
  const odds = probability ?? SILENCE;
  return Math.log(odds / (1 - odds));
}

function compare(
  edits: readonly number[],
  originals: readonly number[],
): { auc: number; difference: number } {
  const wins = edits.flatMap((edit) =>
    originals.map((original) => (edit > original ? 1 : edit === original ? 0.5 : 0)),
  );
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { auc: mean(wins), difference: mean(edits) - mean(originals) };
}

/** The estimate has the interval from drawing pairs again. */
function meanOver(values: readonly number[]): Estimate {
  const random = makeRandom(SEED);
  const mean = (of: () => number) => values.reduce((sum) => sum + of(), 0) / values.length;
  const drawn = Array.from({ length: REPLICATES }, () =>
    mean(() => values[Math.floor(random() * values.length)] ?? Number.NaN),
  );
  const [low, high] = toInterval(drawn);
  return { value: values.reduce((sum, value) => sum + value, 0) / values.length, low, high };
}
