/** A stored picture that a search found, as readers see it. Pure. */
import {
  type Choice,
  flag,
  identifier,
  idNumber,
  listOf,
  moment,
  noun,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { LABEL } from '../media/media.ts';
import type { Part, SharedPart } from '../media/shared-part.ts';
import { OUTCOME } from './outcome.ts';

/** Measured, docs/likeness.md: unlike pictures with print or edges agree in nine places by chance, two cats in ten. */
export const SHARED_PLACES_MIN = 12;
/** Fewer are enough if they lie exactly where a turn and a scale place them: chance made five at most in 20 million pairs. */
export const EXACT_PLACES_MIN = 8;

export function isSharedPart({ places, exactPlaces }: SharedPart): boolean {
  return places >= SHARED_PLACES_MIN || exactPlaces >= EXACT_PLACES_MIN;
}

/** Bound per answer: twenty copies are enough for anyone. */
export const FOUND_PICTURES_MAX = 20;
/** Frames of a film that are searched for. */
export const ASKED_FRAMES_MAX = 8;

export const LIKENESS_DEGREES = ['same_picture', 'shared_part'] as const;
export const LIKENESS_DEGREE = {
  name: 'LikenessDegree',
  description:
    'SAME_PICTURE: saved again, scaled, lightly cropped or mirrored. SHARED_PART: one holds a part of the other: a crop, a turn, a collage, a screenshot, a photograph of a screen, a frame.',
  words: LIKENESS_DEGREES,
} as const satisfies Choice;

export const FOUND_PICTURE = {
  identifier: identifier('Identifier of a record; a frame is named by its film.'),
  accountId: idNumber(),
  name: text(),
  createdAt: moment(),
  degree: oneOf(LIKENESS_DEGREE),
  isMirrored: flag(),
  distance: nullable(whole('Bits of 256 that differ; null if the whole pictures are not alike.')),
  places: nullable(whole('Places that agree; null if only the whole pictures were compared.')),
  askedPart: nullable(
    noun<Part>(
      'PicturePart',
      'Part of the picture that was searched with; of the mirrored one if the copy is mirrored.',
    ),
  ),
  foundPart: nullable(noun<Part>('PicturePart')),
  timeSeconds: nullable(number('Position of the frame in its film; null for a picture.')),
  outcome: oneOf(OUTCOME),
  finding: nullable(oneOf(LABEL, 'What a person said.')),
  foundAt: nullable(moment()),
};
export interface FoundPicture extends ValuesOf<typeof FOUND_PICTURE> {}

export const PICTURE_SEARCH = {
  found: listOf(noun<FoundPicture>('FoundPicture')),
  searched: whole('Pictures and frames that were looked through.'),
  withoutParts: whole(
    'How many of them can only be compared as whole pictures, since an earlier version analysed them.',
  ),
};
export interface PictureSearchAnswer extends ValuesOf<typeof PICTURE_SEARCH> {}
