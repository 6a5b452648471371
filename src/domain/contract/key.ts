/** An API key as its account sees it, one row a field. */
import { identifier, moment, nullable, text, type ValuesOf } from '../field.ts';

export const API_KEY = {
  name: 'ApiKey',
  description: 'Its secret is shown when it is made, and revealed for the password.',
  fields: {
    id: identifier<number>(),
    name: text(),
    createdAt: moment(),
    /** To the minute; null while it was never used. */
    lastUsedAt: nullable(moment()),
  },
};

export interface ApiKeyView extends ValuesOf<typeof API_KEY.fields> {}
