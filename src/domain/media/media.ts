/** What is judged, and the two things that can be said of it, as docs/interface.md names them. */

export const MEDIA_KINDS = ['image', 'video', 'audio'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** Two propositions. */
export const LABELS = ['human', 'artificial'] as const;
export type Label = (typeof LABELS)[number];
