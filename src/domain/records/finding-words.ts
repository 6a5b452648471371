/** Words for a finding: bands and keys, shared by page and report; the texts stand with the page's. */
import type { MediaKind } from '../media/media.ts';
import { SIGN_OFF_ASKS_MAX } from './sign-off.ts';

export type Certainty = 'high' | 'good' | 'fair' | 'low';

/** Certainty of a stated origin by its probability, 0.5 to 1. */
export function certaintyOf(stated: number): Certainty {
  if (stated >= 0.99) return 'high';
  if (stated >= 0.9) return 'good';
  return stated >= 0.75 ? 'fair' : 'low';
}

export type Support = 'none' | 'weak' | 'moderate' | 'strong';

/** Upper end of each band by log10 of the likelihood ratio, as in the daemon's own sentences. */
const BANDS: readonly (readonly [number, Support])[] = [
  [0.3, 'none'],
  [1, 'weak'],
  [2, 'moderate'],
  [Number.POSITIVE_INFINITY, 'strong'],
];

/** The strength of a likelihood ratio, either way. */
export function supportOf(log10LikelihoodRatio: number): Support {
  const size = Math.abs(log10LikelihoodRatio);
  return BANDS.find(([below]) => size < below)?.[1] ?? 'none';
}

/** The ratio as it is shown: above a million nothing was measured. */
export function shownRatio(log10LikelihoodRatio: number): number {
  return 10 ** Math.min(Math.abs(log10LikelihoodRatio), 6);
}

/** Possible errors of answers about such media, by the keys of their texts. */
export const LIMITS = {
  image: ['limit_error', 'limit_compression', 'limit_phone', 'limit_new', 'limit_partial', 'limit_truth'],
  video: ['limit_error', 'limit_frames', 'limit_compression', 'limit_new', 'limit_truth'],
  audio: ['limit_error', 'limit_speech', 'limit_line', 'limit_new', 'limit_truth'],
} as const satisfies Record<MediaKind, readonly string[]>;

/** A picture with a smaller short side leaves little to measure. */
export const SMALL_SIDE_PIXELS = 400;

/** Reasons on each side that people read before they decide. */
export const STRONGEST_MAX = 3;

export interface SortedReasons<Reason> {
  /** Reasons for the outcome. */
  for: Reason[];
  /** Reasons against the outcome, or that weaken it. */
  against: Reason[];
  /** Both of these, the strongest first. */
  weighed: Reason[];
  /** Notes on how the file was looked at, which are no reasons. */
  notes: Reason[];
}

/** Sorts reasons by their meaning for the outcome; words in capitals, as GraphQL writes them, count too. */
export function sortReasons<Reason extends { side: string }>(
  outcome: string,
  reasons: readonly Reason[],
): SortedReasons<Reason> {
  const word = outcome.toLowerCase();
  // Doubts that leave an answer open are the reasons for it.
  const supporting = word === 'human' || word === 'artificial' ? word : 'doubt';
  const sideOf = ({ side }: Reason): string => side.toLowerCase();
  const weighed = reasons.filter((one) => sideOf(one) !== 'none');
  return {
    for: weighed.filter((one) => sideOf(one) === supporting),
    against: weighed.filter((one) => sideOf(one) !== supporting),
    weighed,
    notes: reasons.filter((one) => sideOf(one) === 'none'),
  };
}

/** Disagreed with as often as it can be asked for: only another finding ends that. */
export function isDisputed({ state, answers }: { state: string; answers: readonly unknown[] }): boolean {
  return state.toUpperCase() === 'DISAGREED' && answers.length >= SIGN_OFF_ASKS_MAX;
}

/** The state of a sign-off as the texts' keys name it: `signOff_…`. Only an answer makes it agreed. */
export function signOffWord<State extends string>({
  state,
  askedAt,
  answers,
}: {
  state: State;
  askedAt: unknown;
  answers: readonly unknown[];
}): Uppercase<State> | 'UNASKED' | 'DISPUTED' {
  const word = state.toUpperCase() as Uppercase<State>;
  if (word === 'OPEN' && askedAt === null) return 'UNASKED';
  return isDisputed({ state, answers }) ? 'DISPUTED' : word;
}
