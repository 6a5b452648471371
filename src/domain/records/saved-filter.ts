/** What narrows a list of records, kept under a name for one account. No I/O. */
import type { MediaKind } from '../media/media.ts';
import type { Outcome } from './outcome.ts';

/** As many as one line of buttons holds. */
export const SAVED_FILTERS_MAX = 12;
/** What a button shows. */
export const FILTER_NAME_CHARACTERS_MAX = 40;

/** A part that is empty or null does not narrow. */
export interface SavedFilter {
  name: string;
  kind: MediaKind | null;
  outcome: Outcome | null;
  /** Part of a name or a reference, or the beginning of a hash or an identifier. */
  search: string;
  /** Part of what is said. */
  text: string;
  /** Microseconds since 1970 UTC: accepted then or later. */
  since: number | null;
  /** Microseconds since 1970 UTC: accepted before. */
  until: number | null;
  waitsForMe: boolean;
}

export function isNarrowing({ name: _name, ...parts }: SavedFilter): boolean {
  return Object.values(parts).some((part) => part !== null && part !== '' && part !== false);
}
