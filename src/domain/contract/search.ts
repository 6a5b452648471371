/** What is said of searches with pictures, one row a field. Their types stand beside the rules that make them. */

import {
  type Choice,
  type FieldsOf,
  flag,
  identifier,
  listOf,
  moment,
  type Noun,
  noun,
  nullable,
  number,
  oneOf,
  text,
  whole,
} from '../field.ts';
import type { Part } from '../media/shared-part.ts';
import { type FoundPicture, LIKENESS_DEGREES, type PictureSearchAnswer } from '../records/found-picture.ts';
import { LABEL, OUTCOME } from './words.ts';

export const LIKENESS_DEGREE = {
  name: 'LikenessDegree',
  description:
    'SAME_PICTURE: saved again, scaled, lightly cropped or mirrored. SHARED_PART: one holds a part of the other: a crop, a turn, a collage, a screenshot, a photograph of a screen, a frame.',
  words: LIKENESS_DEGREES,
} as const satisfies Choice;

const PART = { left: number(), top: number(), right: number(), bottom: number() } satisfies FieldsOf<Part>;

const FOUND_PICTURE = {
  identifier: identifier<string>({ description: 'Identifier of a record; a frame is named by its film.' }),
  accountId: identifier<number>(),
  name: text(),
  createdAt: moment(),
  degree: oneOf(LIKENESS_DEGREE),
  isMirrored: flag(),
  distance: nullable(
    whole({ description: 'Bits of 256 that differ; null if the whole pictures are not alike.' }),
  ),
  places: nullable(
    whole({ description: 'Places that agree; null if only the whole pictures were compared.' }),
  ),
  askedPart: nullable(
    noun<Part>('PicturePart', {
      description: 'Part of the picture that was searched with; mirrored if `isMirrored` says so.',
    }),
  ),
  foundPart: nullable(noun<Part>('PicturePart')),
  timeSeconds: nullable(number({ description: 'Position of the frame in its film; null for a picture.' })),
  outcome: oneOf(OUTCOME),
  finding: nullable(oneOf(LABEL, { description: 'What a person said.' })),
  foundAt: nullable(moment()),
} satisfies FieldsOf<FoundPicture>;

const PICTURE_SEARCH = {
  found: listOf(noun<FoundPicture>('FoundPicture')),
  searched: whole({ description: 'Pictures and frames that were looked through.' }),
  withoutParts: whole({
    description:
      'How many of them can only be compared as whole pictures, since an earlier version analysed them.',
  }),
} satisfies FieldsOf<PictureSearchAnswer>;

export const SEARCH_PARTS: readonly Noun[] = [
  { name: 'PicturePart', description: 'Shares of a picture’s sides, 0 to 1.', fields: PART },
  {
    name: 'FoundPicture',
    description: 'A record of a picture or film that is like the one that was searched with.',
    fields: FOUND_PICTURE,
  },
  { name: 'PictureSearch', fields: PICTURE_SEARCH },
];
