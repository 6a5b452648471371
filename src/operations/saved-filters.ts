import { listSavedFilters, removeSavedFilter, saveFilter } from '../app/records/filters/saved-filters.ts';
import { listOf, nounOf, oneOf, text } from '../domain/field.ts';
import { MEDIA_KIND } from '../domain/media/media.ts';
import { OUTCOME } from '../domain/records/outcome.ts';
import {
  FILTER_NAME_CHARACTERS_MAX,
  SAVED_FILTER,
  SAVED_FILTERS_MAX,
} from '../domain/records/saved-filter.ts';

import { mutation, one, optional, query } from './operation.ts';

const FILTER = nounOf(SAVED_FILTER);
const { search, text: said, since, until, deskId, waitsForMe } = SAVED_FILTER.fields;

export const SAVED_FILTER_OPERATIONS = {
  listSavedFilters: query({
    field: 'savedFilters',
    description:
      'Filters of the list that the account keeps under names, in the order in which they were saved; at most 12.',
    answer: one('filters', listOf(FILTER)),
    run: listSavedFilters,
  }),
  saveFilter: mutation({
    description: `Keeps what narrows a list under a name, in the place of the filter that has this name; at most ${SAVED_FILTERS_MAX}.`,
    isForReaders: true,
    inputObject: { name: 'SaveFilterInput' },
    input: {
      name: text(`At most ${FILTER_NAME_CHARACTERS_MAX} characters.`),
      kind: optional(oneOf(MEDIA_KIND)),
      outcome: optional(oneOf(OUTCOME)),
      search: optional(search),
      text: optional(said),
      since: optional(since),
      until: optional(until),
      deskId: optional(deskId),
      waitsForMe: optional(waitsForMe),
    },
    answer: one('filter', FILTER),
    payload: 'SavedFilter',
    run: saveFilter,
  }),
  removeSavedFilter: mutation({
    isForReaders: true,
    input: { name: text() },
    answer: one('filter', FILTER),
    payload: 'SavedFilter',
    run: removeSavedFilter,
  }),
};
