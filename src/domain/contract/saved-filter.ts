/** What an account sees of its saved filters, one row a field. */
import { type FieldsOf, flag, moment, nullable, oneOf, text } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import type { Outcome } from '../records/outcome.ts';
import type { SavedFilter } from '../records/saved-filter.ts';
import { MEDIA_KIND, OUTCOME } from './words.ts';

export const SAVED_FILTER = {
  name: 'SavedFilter',
  description: 'What narrows a list of records, kept under a name for the account.',
  fields: {
    name: text(),
    kind: nullable(oneOf<MediaKind>(MEDIA_KIND, { description: 'Null: any.' })),
    outcome: nullable(oneOf<Outcome>(OUTCOME, { description: 'Null: any.' })),
    search: text({
      description: 'Part of the name or the reference, or the beginning of the hash or the identifier.',
    }),
    text: text({ description: 'Part of what is said, by the transcript.' }),
    since: nullable(moment({ description: 'Accepted then or later.' })),
    until: nullable(moment({ description: 'Accepted before.' })),
    waitsForMe: flag({ description: 'Findings of others that wait for the account’s sign-off.' }),
  } satisfies FieldsOf<SavedFilter>,
};
