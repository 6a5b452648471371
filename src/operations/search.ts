import { searchByRecord } from '../app/records/search-pictures.ts';
import { identifier, noun } from '../domain/field.ts';
import type { PictureSearchAnswer } from '../domain/records/found-picture.ts';
import { one, query } from './operation.ts';

export const SEARCH_OPERATIONS = {
  findByRecord: query({
    field: 'similarPictures',
    description: 'What is like the picture of a record, like a frame, or like some frames of a film.',
    input: { identifier: identifier() },
    answer: one('search', noun<PictureSearchAnswer>('PictureSearch')),
    run: searchByRecord,
  }),
};
