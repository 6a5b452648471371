/** A list's filter that an account keeps under a name. No I/O. */
import { flag, idNumberOrNone, moment, nullable, oneOf, text, type ValuesOf } from '../field.ts';
import { MEDIA_KIND } from '../media/media.ts';
import { OUTCOME } from './outcome.ts';

/** As many as fit into one line of buttons. */
export const SAVED_FILTERS_MAX = 12;
/** Characters that a button shows. */
export const FILTER_NAME_CHARACTERS_MAX = 40;

/** An empty or null part does not narrow the list. */
export const SAVED_FILTER = {
  name: 'SavedFilter',
  description: 'What narrows a list of records, kept under a name for the account.',
  fields: {
    name: text(),
    kind: nullable(oneOf(MEDIA_KIND, 'Null: any.')),
    outcome: nullable(oneOf(OUTCOME, 'Null: any.')),
    search: text('Part of the name or the reference, or the beginning of the hash or the identifier.'),
    text: text('Part of what is said, by the transcript.'),
    since: nullable(moment('Accepted then or later.')),
    until: nullable(moment('Accepted before.')),
    deskId: nullable(idNumberOrNone('Only of this desk; 0: only of none. Null: any.')),
    waitsForMe: flag('Findings of others that wait for the account’s sign-off.'),
  },
};
export interface SavedFilter extends ValuesOf<typeof SAVED_FILTER.fields> {}

export function isNarrowing({ name: _name, ...parts }: SavedFilter): boolean {
  return Object.values(parts).some((part) => part !== null && part !== '' && part !== false);
}
