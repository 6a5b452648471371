/** Where a video or a sound speaks most for an artificial origin: the place that somebody looks at first. Pure. */

export interface Moment {
  seconds: number;
  /** Probability of an artificial origin, 0..1; null if no model could answer. */
  probability: number | null;
}

/** From where on a place leans to an artificial origin: below it none is suspicious. */
const LEANS_FROM = 0.5;

/** Place in the list of the most suspicious one, the first of equals; null if none leans to an artificial origin. */
export function mostSuspiciousIndex(moments: readonly Pick<Moment, 'probability'>[]): number | null {
  let found: number | null = null;
  let highest = LEANS_FROM - Number.EPSILON;
  for (const [index, { probability }] of moments.entries()) {
    if (probability === null || probability <= highest) continue;
    found = index;
    highest = probability;
  }
  return found;
}

export function mostSuspiciousMoment(moments: readonly Moment[]): (Moment & { probability: number }) | null {
  const { seconds, probability } = moments[mostSuspiciousIndex(moments) ?? -1] ?? {};
  return seconds === undefined || probability == null ? null : { seconds, probability };
}
