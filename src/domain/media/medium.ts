/** What a picture is of; judged before whether a person made it. */
import type { Choice } from '../field.ts';

export const MEDIA = ['photograph', 'drawing', 'render', 'screenshot', 'document', 'text'] as const;
export type Medium = (typeof MEDIA)[number];

export const MEDIUM = {
  name: 'Medium',
  description:
    'DRAWING: paintings, comics and logos too. RENDER: games too. DOCUMENT: scans, slides, charts and maps. TEXT: memes and posters.',
  words: [...MEDIA, 'unknown'],
} as const satisfies Choice;
export type SaidMedium = (typeof MEDIUM.words)[number];

/** Probabilities of the media that a pack knows; they add up to one. */
export type MediumChances = Partial<Record<Medium, number>>;

/** Below this probability the medium is unknown. */
const SURE_MIN = 0.6;

export function sayMedium(chances: MediumChances): SaidMedium {
  return MEDIA.find((medium) => (chances[medium] ?? 0) >= SURE_MIN) ?? 'unknown';
}

/** `means`: the mean logit of each medium. */
export function toMediumChances(media: readonly Medium[], means: readonly number[]): MediumChances {
  const most = Math.max(...means);
  const raised = means.map((mean) => Math.exp(mean - most));
  const sum = raised.reduce((total, value) => total + value, 0);
  return Object.fromEntries(media.map((medium, index) => [medium, (raised[index] ?? 0) / sum]));
}
