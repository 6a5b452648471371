/** Combine the models' calibrated answers into one verdict. A new one is a pure function and a row of HEURISTICS. */
import { type Choice, listOf, number, oneOf, text, type ValuesOf } from '../field.ts';
import { LABEL, type Label } from '../media/media.ts';

import type { Bounds, ModelRun } from './result.ts';

export const HEURISTIC_NAMES = ['balanced', 'cautious', 'sensitive', 'majority'] as const;
export const HEURISTIC = { name: 'Heuristic', words: HEURISTIC_NAMES } as const satisfies Choice;
export type HeuristicName = (typeof HEURISTIC_NAMES)[number];
export const DEFAULT_HEURISTIC: HeuristicName = 'balanced';

/** As docs/interface.md's Verdict: `confidence` is the probability of the stated classification, 0..1; below a half if doubt says human. */
export const VERDICT = {
  heuristic: oneOf(HEURISTIC),
  confidence: number('Probability of the stated classification, 0 to 1; 0.5 where nothing could answer.'),
  classification: oneOf(LABEL),
  models: listOf(text()),
};
export interface Verdict extends ValuesOf<typeof VERDICT> {}

export type UsableRun = ModelRun & { logOdds: number; probability: number };

type Heuristic = (runs: readonly [UsableRun, ...UsableRun[]]) => {
  classification: Label;
  probability: number;
};

/** The answer of one model, or of all of one family. */
export interface Voice {
  weight: number;
  logOdds: number;
}

/** Models of one family err alike: it answers with its members' weighted mean, by the weight of its weightiest member. */
export function voicesOf(runs: readonly UsableRun[]): Voice[] {
  const voices = Map.groupBy(runs, ({ family, task }, index) =>
    family === undefined ? index : `${family}/${task}`,
  );
  return [...voices.values()].map((members) => ({
    weight: Math.max(...members.map(({ weight }) => weight)),
    logOdds: meanLogOdds(members),
  }));
}

function meanLogOdds(voices: readonly Voice[]): number {
  const weightSum = voices.reduce((sum, { weight }) => sum + weight, 0);
  return voices.reduce((sum, { weight, logOdds }) => sum + weight * logOdds, 0) / weightSum;
}

/** The probability of `artificial` by all runs that answered, together; null without any. */
export function probabilityOf(runs: readonly ModelRun[]): number | null {
  const usable = usableRuns(runs);
  return usable.length === 0 ? null : logistic(fuseLogOdds(usable));
}

/** Weighted mean of the calibrated log-odds; the models see the same pixels, so a sum would count them twice. */
export function fuseLogOdds(runs: readonly UsableRun[]): number {
  return meanLogOdds(voicesOf(runs));
}

export function logistic(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Artificial only above the inconclusive band, where at most a tenth of human media lie: at even odds a quarter did. */
function balanced(runs: readonly [UsableRun, ...UsableRun[]]): ReturnType<Heuristic> {
  const probability = logistic(fuseLogOdds(runs));
  const { inconclusiveHigh } = boundsOf(runs);
  return { classification: probability >= inconclusiveHigh ? 'artificial' : 'human', probability };
}

/** Bounds of a fused score: of complete sets and of other runs; the most careful, since no other mixture was measured. */
export function boundsOf(runs: readonly UsableRun[]): Bounds {
  const answered = new Set(runs.map((run) => `${run.model}@${run.version}`));
  const bounds = runs.map(({ together, ...own }): Bounds => {
    return together?.packs.every((key) => answered.has(key)) === true ? together : own;
  });
  return {
    cautiousThreshold: Math.max(...bounds.map(({ cautiousThreshold }) => cautiousThreshold)),
    inconclusiveLow: Math.min(...bounds.map(({ inconclusiveLow }) => inconclusiveLow)),
    inconclusiveHigh: Math.max(...bounds.map(({ inconclusiveHigh }) => inconclusiveHigh)),
  };
}

/** Artificial only above the threshold that at most 1 % of human validation media pass. */
function cautious(runs: readonly [UsableRun, ...UsableRun[]]): ReturnType<Heuristic> {
  const probability = logistic(fuseLogOdds(runs));
  const { cautiousThreshold } = boundsOf(runs);
  return { classification: probability >= cautiousThreshold ? 'artificial' : 'human', probability };
}

/** The most suspicious model decides. */
function sensitive(runs: readonly [UsableRun, ...UsableRun[]]): ReturnType<Heuristic> {
  const probability = Math.max(...runs.map((run) => run.probability));
  return { classification: probability >= 0.5 ? 'artificial' : 'human', probability };
}

/** One voice, one vote; a tie does not accuse. */
function majority(runs: readonly [UsableRun, ...UsableRun[]]): ReturnType<Heuristic> {
  const voices = voicesOf(runs);
  const votes = voices.filter(({ logOdds }) => logOdds >= 0).length;
  const probability = logistic(meanLogOdds(voices));
  return { classification: votes * 2 > voices.length ? 'artificial' : 'human', probability };
}

const HEURISTICS: Readonly<Record<HeuristicName, Heuristic>> = { balanced, cautious, sensitive, majority };

/** One verdict per heuristic, in the order of HEURISTIC_NAMES. Tasks other than the origin take no part. */
export function judge(runs: readonly ModelRun[], forced: boolean): Verdict[] {
  if (forced) {
    return HEURISTIC_NAMES.map((heuristic) => ({
      heuristic,
      confidence: 1,
      classification: 'artificial',
      models: ['c2pa'],
    }));
  }
  const [first, ...rest] = usableRuns(runs);
  return HEURISTIC_NAMES.map((heuristic) => {
    if (first === undefined) return { heuristic, confidence: 0.5, classification: 'human', models: [] };
    const { classification, probability } = HEURISTICS[heuristic]([first, ...rest]);
    const confidence = classification === 'artificial' ? probability : 1 - probability;
    return { heuristic, confidence, classification, models: [first, ...rest].map((run) => run.model) };
  });
}

/** The runs on the origin that gave an answer. */
export function usableRuns(runs: readonly ModelRun[]): UsableRun[] {
  return runs.filter(
    (run): run is UsableRun =>
      !run.unknown &&
      run.logOdds !== null &&
      run.probability !== null &&
      run.axis !== 'nsfw' &&
      run.axis !== 'edited' &&
      run.axis !== 'face' &&
      (run.axis !== 'swapped' || showsSwap(run)),
  );
}

/** Below its bound a face model is wrong too often for a hint, and a face without a swap proves no origin. */
export function showsSwap({ probability, inconclusiveHigh }: ModelRun): boolean {
  return probability !== null && probability >= inconclusiveHigh;
}
