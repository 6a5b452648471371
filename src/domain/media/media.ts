/** What is judged, and the two things that can be said of it, as docs/interface.md names them. */
import type { Choice } from '../field.ts';

export const MEDIA_KINDS = ['image', 'video', 'audio'] as const;
export const MEDIA_KIND = { name: 'MediaKind', words: MEDIA_KINDS } as const satisfies Choice;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** Two propositions. */
export const LABELS = ['human', 'artificial'] as const;
export const LABEL = { name: 'Label', words: LABELS } as const satisfies Choice;
export type Label = (typeof LABELS)[number];
