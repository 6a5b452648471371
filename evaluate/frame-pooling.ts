/**
 * Which share of a video's frames should decide, from the frames' calibrated log-odds: on whole clips, and on human clips
 * into which a quarter of an artificial one was cut, the case that a mean over all frames hides. Pure.
 */
import { DECIDING_MIN, DECIDING_SHARE, decidingCount } from '../src/domain/verdicts/video-verdict.ts';
import { REPLICATES, toInterval } from './bootstrap.ts';
import type { LabelName } from './labelled-folder.ts';
import { makeRandom } from './random.ts';

export interface Clip {
  label: LabelName;
  source: string;
  /** Log-odds of artificial of the frames on which a model answered, in time, by model. */
  frames: Readonly<Record<string, readonly number[]>>;
}

export interface PoolingRule {
  name: string;
  share: number;
  /** At least so many frames decide, if there are that many. */
  countMin: number;
}

/** The daemon's rule. */
export const PRESENT_RULE: PoolingRule = { name: 'present', share: DECIDING_SHARE, countMin: DECIDING_MIN };

/** Shares from the fewest frames to all of them. */
export const RULES: readonly PoolingRule[] = [
  { name: 'top 1', share: 0, countMin: 1 },
  { name: '1/10', share: 1 / 10, countMin: 1 },
  { name: '1/5', share: 1 / 5, countMin: 1 },
  { name: '1/5, two at least', share: 1 / 5, countMin: 2 },
  { name: '1/3', share: 1 / 3, countMin: 1 },
  { name: '1/2', share: 1 / 2, countMin: 1 },
  { name: 'all', share: 1, countMin: 1 },
];

/** Share of a composed clip's frames that are replaced. */
export const CUT_IN_SHARE = 1 / 4;

/**
 * `cut_in`: human clips with artificial frames cut in, against whole human clips; `cut_in_both`: against human clips with
 * frames of a human clip of another source cut in, since every cut is another chance to accuse. `odd_frame`: whole
 * artificial clips against human ones of which one frame is the most suspicious of an artificial clip.
 */
export const POOLING_CASES = ['whole', 'cut_in', 'cut_in_both', 'odd_frame'] as const;
export type PoolingCase = (typeof POOLING_CASES)[number];

export const POOLING_FIGURES = ['auc', 'balancedAccuracy', 'recall', 'falseAlarms'] as const;
export type PoolingFigure = (typeof POOLING_FIGURES)[number];
type Values = Record<PoolingFigure, number>;

export interface PooledFigure {
  value: number;
  low: number;
  high: number;
  /** Against the best share of the case, with the same draws: below 0 is worse. */
  change: number;
  changeLow: number;
  changeHigh: number;
}

export interface PoolingRow {
  rule: string;
  figures: Record<PoolingCase, Record<PoolingFigure, PooledFigure>>;
}

/** Pools as the daemon does: the mean of each model's most suspicious frames, then the models' weighted mean. */
export function poolClip(
  frames: Clip['frames'],
  weights: Readonly<Record<string, number>>,
  { share, countMin }: Omit<PoolingRule, 'name'>,
): number {
  let [sum, total] = [0, 0];
  for (const [model, values] of Object.entries(frames)) {
    if (values.length === 0) continue;
    const deciding = values.toSorted((a, b) => b - a).slice(0, decidingCount(values.length, share, countMin));
    const weight = weights[model] ?? 1;
    sum += (weight * deciding.reduce((all, value) => all + value, 0)) / deciding.length;
    total += weight;
  }
  return sum / total;
}

/** A clip of the same length in which a quarter of the frames, evenly chosen, are evenly chosen ones of another. */
export function cutIn(clip: Clip['frames'], other: Clip['frames']): Clip['frames'] {
  const models = Object.keys(clip).filter((model) => (other[model]?.length ?? 0) > 0);
  const composed = models.map((model) => {
    const kept = clip[model] ?? [];
    const count = Math.max(1, Math.round(kept.length * CUT_IN_SHARE));
    const left = spread(kept, kept.length - count);
    return [model, [...left, ...spread(other[model] ?? [], count)]] as const;
  });
  return Object.fromEntries(composed);
}

function spread(values: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    return values[Math.floor(((index + 0.5) * values.length) / count)] ?? Number.NaN;
  });
}

interface Row {
  /** Indices of the clips that it is made of. */
  humans: number[];
  artificials: number[];
  isArtificial: boolean;
  /** Figures by the index in RULES. */
  scores: number[];
}

const SEED = 1;

/** Throws if a label has no clip, or all human clips one source. Sources are drawn again, the same ones for every share and both cases. */
export function comparePooling(
  clips: readonly Clip[],
  weights: Readonly<Record<string, number>>,
  replicates = REPLICATES,
): PoolingRow[] {
  const humans = clips.filter(({ label }) => label === 'human');
  const artificials = clips.filter(({ label }) => label === 'artificial');
  if (new Set(humans.map(({ source }) => source)).size < 2 || artificials.length === 0) {
    throw new Error('expected human clips of two sources and an artificial one');
  }
  const whole = toRows(humans, artificials, weights);
  const composed = toComposedRows(humans, artificials, weights);
  const untouched = whole.filter(({ isArtificial }) => !isArtificial);
  const edited = composed.filter(({ isArtificial }) => isArtificial);
  const rows = {
    ...{ whole, cut_in: [...untouched, ...edited], cut_in_both: composed },
    odd_frame: [
      ...whole.filter(({ isArtificial }) => isArtificial),
      ...toOddRows(humans, artificials, weights),
    ],
  };
  const measure = (human: readonly number[], artificial: readonly number[]) =>
    POOLING_CASES.map((name) => RULES.map((_, share) => toValues(rows[name], share, { human, artificial })));
  const draw = { human: drawer(humans), artificial: drawer(artificials) };
  const found = measure(draw.human.all, draw.artificial.all);
  const random = makeRandom(SEED);
  const drawn = Array.from({ length: replicates }, () =>
    measure(draw.human.next(random), draw.artificial.next(random)),
  );
  return RULES.map(({ name }, share) => {
    const figures = POOLING_CASES.map((one, at) => [one, toFigures(found, drawn, { at, share })]);
    return { rule: name, figures: Object.fromEntries(figures) as PoolingRow['figures'] };
  });
}

function toRows(
  humans: readonly Clip[],
  artificials: readonly Clip[],
  weights: Readonly<Record<string, number>>,
): Row[] {
  const score = ({ frames }: Clip) => RULES.map((rule) => poolClip(frames, weights, rule));
  return [
    ...humans.map((clip, human) => ({
      ...{ humans: [human], artificials: [], isArtificial: false, scores: score(clip) },
    })),
    ...artificials.map((clip, artificial) => ({
      ...{ humans: [], artificials: [artificial], isArtificial: true, scores: score(clip) },
    })),
  ];
}

function toComposedRows(
  humans: readonly Clip[],
  artificials: readonly Clip[],
  weights: Readonly<Record<string, number>>,
): Row[] {
  const score = (clip: Clip, other: Clip) => {
    const frames = cutIn(clip.frames, other.frames);
    return RULES.map((rule) => poolClip(frames, weights, rule));
  };
  return humans.flatMap((clip, human): Row[] => [
    ...humans.flatMap((other, index): Row[] => {
      if (other.source === clip.source) return [];
      const scores = score(clip, other);
      return [{ humans: [human, index], artificials: [], isArtificial: false, scores }];
    }),
    ...artificials.map((other, artificial) => ({
      ...{ humans: [human], artificials: [artificial], isArtificial: true, scores: score(clip, other) },
    })),
  ]);
}

function toOddRows(
  humans: readonly Clip[],
  artificials: readonly Clip[],
  weights: Readonly<Record<string, number>>,
): Row[] {
  return humans.flatMap((clip, human) =>
    artificials.map((other, artificial) => {
      const frames = withOddFrame(clip.frames, other.frames);
      const scores = RULES.map((rule) => poolClip(frames, weights, rule));
      return { humans: [human], artificials: [artificial], isArtificial: false, scores };
    }),
  );
}

/** The first frame is replaced by the most suspicious of another clip. */
export function withOddFrame(clip: Clip['frames'], other: Clip['frames']): Clip['frames'] {
  const replaced = Object.entries(clip).map(([model, values]) => {
    const odd = other[model] ?? [];
    return [model, odd.length === 0 ? values : [Math.max(...odd), ...values.slice(1)]] as const;
  });
  return Object.fromEntries(replaced);
}

/** Weights of clips: one over the square root of the size of their source, times how often that was drawn. */
function drawer(clips: readonly Clip[]) {
  const sizes = Map.groupBy(clips, ({ source }) => source);
  const sources = [...sizes.keys()];
  const all = clips.map(({ source }) => 1 / Math.sqrt(sizes.get(source)?.length ?? 1));
  const next = (random: () => number): number[] => {
    const times = new Map<string, number>();
    for (let drawn = 0; drawn < sources.length; drawn++) {
      const source = sources[Math.floor(random() * sources.length)] ?? '';
      times.set(source, (times.get(source) ?? 0) + 1);
    }
    return clips.map(({ source }, index) => (all[index] ?? 0) * (times.get(source) ?? 0));
  };
  return { all, next };
}

interface Weights {
  human: readonly number[];
  artificial: readonly number[];
}

function toValues(rows: readonly Row[], share: number, weights: Weights): Values {
  const product = (indices: readonly number[], of: readonly number[]) =>
    indices.reduce((all, index) => all * (of[index] ?? 0), 1);
  const weigh = ({ humans, artificials }: Row) =>
    product(humans, weights.human) * product(artificials, weights.artificial);
  const scored = rows.map((row) => ({ ...row, score: row.scores[share] ?? Number.NaN, weight: weigh(row) }));
  const ones = scored.filter(({ isArtificial }) => isArtificial);
  const others = scored.filter(({ isArtificial }) => !isArtificial);
  const total = (part: typeof scored) => part.reduce((sum, { weight }) => sum + weight, 0);
  const called = (part: typeof scored) => total(part.filter(({ score }) => score >= 0)) / total(part);
  let above = 0;
  for (const one of ones) {
    for (const other of others) {
      const order = one.score > other.score ? 1 : one.score === other.score ? 0.5 : 0;
      above += one.weight * other.weight * order;
    }
  }
  const [recall, falseAlarms] = [called(ones), called(others)];
  const auc = above / total(ones) / total(others);
  return { auc, balancedAccuracy: (recall + 1 - falseAlarms) / 2, recall, falseAlarms };
}

function toFigures(
  found: readonly Values[][],
  drawn: readonly Values[][][],
  { at, share }: { at: number; share: number },
): Record<PoolingFigure, PooledFigure> {
  const figures = POOLING_FIGURES.map((name) => {
    const take = (values: readonly Values[][], index: number) => values[at]?.[index]?.[name] ?? Number.NaN;
    const all = RULES.map((_, index) => take(found, index));
    const best = all.indexOf(name === 'falseAlarms' ? Math.min(...all) : Math.max(...all));
    const [low, high] = toInterval(drawn.map((one) => take(one, share)));
    const [changeLow, changeHigh] = toInterval(drawn.map((one) => take(one, share) - take(one, best)));
    const value = take(found, share);
    return [name, { value, low, high, change: value - take(found, best), changeLow, changeHigh }] as const;
  });
  return Object.fromEntries(figures) as Record<PoolingFigure, PooledFigure>;
}
