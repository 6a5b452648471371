/**
 * The figures of one tier. Every label weighs the same, and within a label each source by the square root of its
 * size, so that a source with hundreds of files does not decide alone.
 */
import type { Measurement } from './measurement.ts';

export interface Scored {
  /** One half if no model answered. */
  probability: number;
  /** Without an answer nothing is called artificial, and nothing is decided. */
  isAnswered: boolean;
  isArtificial: boolean;
  source: string;
  /** Null if the task knows no inconclusive. */
  isDecided: boolean | null;
  /** Rates of heuristics that said artificial; null if the task has none. */
  called: readonly string[] | null;
  /** Null if it was not measured. */
  flips: boolean | null;
  weight: number;
}

export interface Figures {
  auc: number;
  balancedAccuracy: number;
  falseAlarmRateBalanced: number;
  recallBalanced: number;
  tprAtFpr1: number;
  tprAtFpr5: number;
  ece: number;
  brier: number;
  /** Cost of the log-likelihood ratio in bits: 0 is perfect, 1 says nothing. */
  cllr: number;
  /** Share of answers that are not `inconclusive`. */
  coverage: number;
  inconclusiveRate: number;
  /** Share of decided files. */
  balancedAccuracyDecided: number;
  /** Share of what is not `inconclusive` that is right. */
  rightDecided: number;
  falseAlarmRateCautious: number;
  recallCautious: number;
  falseAlarmRateSensitive: number;
  recallSensitive: number;
  falseAlarmRateMajority: number;
  recallMajority: number;
  /** Share of files, decided clean and in this tier, whose verdicts differ. */
  flipRate: number;
}

export const FIGURE_NAMES = [
  ...([
    'auc',
    'balancedAccuracy',
    'falseAlarmRateBalanced',
    'recallBalanced',
    'tprAtFpr1',
    'tprAtFpr5',
  ] as const),
  ...(['ece', 'brier', 'cllr', 'coverage', 'inconclusiveRate', 'balancedAccuracyDecided'] as const),
  'rightDecided',
  ...(['falseAlarmRateCautious', 'recallCautious', 'falseAlarmRateSensitive', 'recallSensitive'] as const),
  ...(['falseAlarmRateMajority', 'recallMajority', 'flipRate'] as const),
] satisfies (keyof Figures)[];

export const BIN_COUNT = 10;

/** A file without an answer counts at even odds. */
export const SILENCE = 0.5;

export interface ScoringRule {
  flipOf?: (measurement: Measurement) => boolean | null;
  /** Counts what no model answered as `SILENCE`, instead of leaving it out. */
  countsSilence?: boolean;
}

/** Rows in falling order of probability, weighed; what no model answered is left out unless the rule counts it. */
export function toScored(
  measurements: readonly Measurement[],
  scoreOf: (measurement: Measurement) => number | null,
  { flipOf = () => null, countsSilence = false }: ScoringRule = {},
): Scored[] {
  const answered = measurements.flatMap((measurement) => {
    const score = scoreOf(measurement);
    if (score === null && !countsSilence) return [];
    return [{ measurement, probability: score ?? SILENCE, isAnswered: score !== null }];
  });
  const sizes = new Map<string, number>();
  for (const { measurement } of answered) {
    sizes.set(sourceKey(measurement), (sizes.get(sourceKey(measurement)) ?? 0) + 1);
  }
  const scored = answered.map(({ measurement, probability, isAnswered }) => ({
    probability,
    isAnswered,
    isArtificial: measurement.label === 'artificial',
    source: sourceKey(measurement),
    isDecided:
      measurement.state === null ? null : measurement.state === 'human' || measurement.state === 'artificial',
    called: measurement.called,
    flips: flipOf(measurement),
    weight: 1 / Math.sqrt(sizes.get(sourceKey(measurement)) ?? 1),
  }));
  return balanceLabels(scored).toSorted((a, b) => b.probability - a.probability);
}

/** Both labels may have a source of the same name. */
function sourceKey({ label, source }: Measurement): string {
  return `${label}/${source}`;
}

/** Each label's weights add up to one half. */
export function balanceLabels(rows: readonly Scored[]): Scored[] {
  const totals = { true: 0, false: 0 };
  for (const { isArtificial, weight } of rows) totals[`${isArtificial}`] += weight;
  return rows.map((row) => ({ ...row, weight: row.weight / 2 / totals[`${row.isArtificial}`] }));
}

/** Rows must be in falling order of probability and balanced. NaN if a figure has no data behind it. */
export function toFigures(rows: readonly Scored[]): Figures {
  const balanced = toRates(rows, isCalled);
  const judged = rows.filter(({ called }) => called !== null);
  const cautious = toRates(judged, ({ called }) => called?.includes('cautious') === true);
  const sensitive = toRates(judged, ({ called }) => called?.includes('sensitive') === true);
  const majority = toRates(judged, ({ called }) => called?.includes('majority') === true);
  const decided = rows.filter(({ isDecided }) => isDecided === true);
  const ofDecided = toRates(decided, isCalled);
  const known = rows.filter(({ flips }) => flips !== null);
  const banded = rows.filter(({ isDecided }) => isDecided !== null);
  const coverage = shareOf(banded, ({ isDecided }) => isDecided === true);
  return {
    auc: toAuc(rows),
    balancedAccuracy: (balanced.recall + 1 - balanced.falseAlarms) / 2,
    falseAlarmRateBalanced: balanced.falseAlarms,
    recallBalanced: balanced.recall,
    tprAtFpr1: toTprAtFpr(rows, 0.01),
    tprAtFpr5: toTprAtFpr(rows, 0.05),
    ece: toEce(rows),
    brier: shareOf(rows, ({ probability, isArtificial }) => (probability - Number(isArtificial)) ** 2),
    cllr: shareOf(rows, toBits),
    coverage,
    inconclusiveRate: 1 - coverage,
    balancedAccuracyDecided: (ofDecided.recall + 1 - ofDecided.falseAlarms) / 2,
    rightDecided: shareOf(decided, (row) => isCalled(row) === row.isArtificial),
    falseAlarmRateCautious: cautious.falseAlarms,
    recallCautious: cautious.recall,
    falseAlarmRateSensitive: sensitive.falseAlarms,
    recallSensitive: sensitive.recall,
    falseAlarmRateMajority: majority.falseAlarms,
    recallMajority: majority.recall,
    flipRate: shareOf(known, ({ flips }) => flips === true),
  };
}

/** A file is called artificial by `balanced`, or above even odds if the task has no heuristics. */
export function isCalled({ called, probability, isAnswered }: Scored): boolean {
  return isAnswered && (called === null ? probability >= SILENCE : called.includes('balanced'));
}

/** A score of 0 or 1 that is wrong costs much, not everything. */
const LIKELIHOOD_MIN = 1e-13;

function toBits({ probability, isArtificial }: Scored): number {
  return -Math.log2(Math.max(LIKELIHOOD_MIN, isArtificial ? probability : 1 - probability));
}

/** Weighted mean of a row's value. */
export function shareOf(rows: readonly Scored[], toValue: (row: Scored) => boolean | number): number {
  let [sum, total] = [0, 0];
  for (const row of rows) {
    sum += row.weight * Number(toValue(row));
    total += row.weight;
  }
  return sum / total;
}

function toRates(rows: readonly Scored[], isTrue: (row: Scored) => boolean) {
  return {
    recall: shareOf(
      rows.filter(({ isArtificial }) => isArtificial),
      isTrue,
    ),
    falseAlarms: shareOf(
      rows.filter(({ isArtificial }) => !isArtificial),
      isTrue,
    ),
  };
}

export interface RocPoint {
  falseAlarms: number;
  recall: number;
}

/** The curve goes from nothing called artificial to everything; ties share a point. */
export function toRoc(rows: readonly Scored[]): RocPoint[] {
  const points: RocPoint[] = [{ falseAlarms: 0, recall: 0 }];
  let [human, artificial] = [0, 0];
  for (const [index, row] of rows.entries()) {
    if (row.isArtificial) artificial += row.weight * 2;
    else human += row.weight * 2;
    if (rows[index + 1]?.probability !== row.probability)
      points.push({ falseAlarms: human, recall: artificial });
  }
  return points;
}

/** Probability that an artificial file scores above a human one; ties count half. */
function toAuc(rows: readonly Scored[]): number {
  const points = toRoc(rows);
  const last = points.at(-1);
  if (last === undefined || last.falseAlarms === 0 || last.recall === 0) return Number.NaN;
  let area = 0;
  for (const [index, point] of points.entries()) {
    const before = points[index - 1] ?? point;
    area += ((point.falseAlarms - before.falseAlarms) * (point.recall + before.recall)) / 2;
  }
  return area;
}

/** Rounding must not lose the point that lies exactly on the bound. */
const ROUNDING = 1e-9;

function toTprAtFpr(rows: readonly Scored[], falseAlarmsMax: number): number {
  if (new Set(rows.map(({ isArtificial }) => isArtificial)).size < 2) return Number.NaN;
  return Math.max(
    ...toRoc(rows).flatMap(({ falseAlarms, recall }) =>
      falseAlarms <= falseAlarmsMax + ROUNDING ? recall : [],
    ),
  );
}

export interface ReliabilityBin {
  stated: number;
  observed: number;
  weight: number;
}

export function toReliability(rows: readonly Scored[]): ReliabilityBin[] {
  const bins = Array.from({ length: BIN_COUNT }, () => ({ stated: 0, observed: 0, weight: 0 }));
  for (const { probability, isArtificial, weight } of rows) {
    const bin = bins[Math.min(BIN_COUNT - 1, Math.floor(probability * BIN_COUNT))];
    if (bin === undefined) continue;
    bin.stated += weight * probability;
    bin.observed += weight * Number(isArtificial);
    bin.weight += weight;
  }
  return bins
    .filter(({ weight }) => weight > 0)
    .map(({ stated, observed, weight }) => ({
      stated: stated / weight,
      observed: observed / weight,
      weight,
    }));
}

/** Expected calibration error over equal bins of probability. */
export function toEce(rows: readonly Scored[]): number {
  const bins = toReliability(rows);
  const total = bins.reduce((sum, { weight }) => sum + weight, 0);
  return bins.reduce((sum, bin) => sum + (bin.weight / total) * Math.abs(bin.stated - bin.observed), 0);
}
