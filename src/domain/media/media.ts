/** The kinds of media, and the two labels of docs/interface.md. */
import type { Choice } from '../field.ts';

export const MEDIA_KINDS = ['image', 'video', 'audio'] as const;
export const MEDIA_KIND = { name: 'MediaKind', words: MEDIA_KINDS } as const satisfies Choice;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export const LABELS = ['human', 'artificial'] as const;
export const LABEL = { name: 'Label', words: LABELS } as const satisfies Choice;
export type Label = (typeof LABELS)[number];
