import { idNumber, moment, nullable, text, type ValuesOf } from '../field.ts';

export const API_KEY = {
  name: 'ApiKey',
  description: 'An API key; its secret is shown when it is made, and revealed for the password.',
  fields: {
    id: idNumber(),
    name: text(),
    createdAt: moment(),
    /** To the minute; null while it was never used. */
    lastUsedAt: nullable(moment()),
  },
};

export interface ApiKeyView extends ValuesOf<typeof API_KEY.fields> {}
