/** Finds the language by guesses for the first windows: one may be a jingle or a foreign greeting, a minute rarely is. */

/** A window this sure of its language is written in its own. */
export const OWN_LANGUAGE_MIN = 0.8;
/** Windows that are heard one after the other before a guess must do; the others are heard side by side. */
export const LANGUAGE_WINDOWS_MAX = 4;

export interface LanguageShare {
  /** ISO 639-1. */
  code: string;
  /** Probability among all languages of the model. */
  share: number;
}

export interface HeardLanguages {
  languages: readonly LanguageShare[];
  /** Probability that there is no speech, by which a window counts less. */
  noSpeech: number;
  seconds: number;
}

/** The language of most speech, by the mean of the shares; null without speech. */
export function poolLanguages(windows: readonly HeardLanguages[]): LanguageShare | null {
  const sums = new Map<string, number>();
  let total = 0;
  for (const { languages, noSpeech, seconds } of windows) {
    const weight = (1 - noSpeech) * seconds;
    total += weight;
    for (const { code, share } of languages) sums.set(code, (sums.get(code) ?? 0) + weight * share);
  }
  if (total === 0) return null;
  const [code, sum] = [...sums].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0]);
  return code === '' ? null : { code, share: sum / total };
}

/** Whether a window must be heard again, in the language of the recording. */
export function isHeardAgain({ languages }: Pick<HeardLanguages, 'languages'>, pooled: string): boolean {
  const [own] = languages;
  return own !== undefined && own.code !== pooled && own.share < OWN_LANGUAGE_MIN;
}
