/** The weight of a model in the fusion, from its makers' stated error rates. */

/** Accuracy of the model whose weight is 1: the balanced accuracy of Assay's own image model at even odds, in its worst tier. */
const REFERENCE_ACCURACY = 0.78;
/** A pack no better than a coin still answers, but must not outvote the others. */
const WEIGHT_MIN = 0.05;
/** Stated figures come from the makers' own test: no pack silences the others by them alone. */
const WEIGHT_MAX = 8;
/** About the weight of the best pack that was measured on unseen media: figures on a known set prove no more. */
const WEIGHT_SEEN_MAX = 2;

/** Weights follow the squared log-odds of balanced accuracy in the worst tier; `seen`: trained on a part of that set. */
export function weightOf(statedBalancedAccuracies: readonly number[], { seen = false } = {}): number {
  const worst = Math.min(...statedBalancedAccuracies);
  if (!(worst > 0.5 && worst <= 1)) return WEIGHT_MIN;
  const weight = (logOdds(Math.min(worst, 0.999)) / logOdds(REFERENCE_ACCURACY)) ** 2;
  return Math.round(Math.min(seen ? WEIGHT_SEEN_MAX : WEIGHT_MAX, Math.max(WEIGHT_MIN, weight)) * 100) / 100;
}

const logOdds = (probability: number): number => Math.log(probability / (1 - probability));
