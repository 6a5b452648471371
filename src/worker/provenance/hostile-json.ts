/** Reads JSON of unknown shape: unexpected values count as absent. */

export type Json = Readonly<Record<string, unknown>>;

/** Length of a name or a sentence from a file; real ones have a few dozen. */
const TEXT_CHARACTERS_MAX = 300;
const NOTHING: Json = Object.freeze({});

export function ofKind(value: unknown): 'object' | 'list' | 'string' | 'other' {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object' && value !== null) return 'object';
  return typeof value === 'string' ? 'string' : 'other';
}

export const asObject = (value: unknown): Json => (ofKind(value) === 'object' ? (value as Json) : NOTHING);

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Shortened to one line, without characters that a terminal would obey. */
export function asText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, TEXT_CHARACTERS_MAX * 2)
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, TEXT_CHARACTERS_MAX)
    .toWellFormed();
}
