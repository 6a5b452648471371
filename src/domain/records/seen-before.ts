/** An earlier picture's relation to a later one of the same history, as it is stored and as readers see it. Pure. */
import {
  type Choice,
  identifier,
  idNumber,
  moment,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { LABEL } from '../media/media.ts';
import { OUTCOME } from './outcome.ts';

/** Bits that may differ; measured, docs/marks.md. The authors' own 31 loses most light crops. */
export const COPY_DISTANCE_MAX = 48;
/** The authors' bound as well: a picture below it is too plain for its hash to mean anything. */
export const LIKENESS_QUALITY_MIN = 50;
/** Bound per record: of a thousand copies the nearest ones are enough. */
export const NEAR_MATCHES_MAX = 5;
/** Bound per analysis: a picture has one, a film one for each frame. */
export const LIKENESSES_MAX = 64;

/** One picture, or one frame of a film, by which copies are found. */
export interface Likeness {
  accountId: number;
  analysisId: string;
  /** PDQ, 64 hexadecimal characters. */
  hash: string;
  /** A frame's time in its film; null for a picture. */
  timeSeconds: number | null;
}

/** A likeness on its way to the store. */
export interface FoundLikeness extends Pick<Likeness, 'hash' | 'timeSeconds'> {
  /** Written by `packKeypoints`; absent if the picture has too little detail. */
  keypoints?: Uint8Array | undefined;
}

/** The keypoints of a likeness, under its number. */
export interface StoredKeypoints {
  accountId: number;
  /** Written by `packKeypoints`. */
  packed: Uint8Array;
}

export interface NearMatch {
  analysisId: string;
  distance: number;
  isMirrored: boolean;
  timeSeconds: number | null;
  earlierSeconds: number | null;
}

/** The likenesses of one analysis, written in the transaction that ends it. */
export interface NearMatches {
  accountId: number;
  /** Sequence numbers of its likenesses in their table. */
  sequences: number[];
  earlier: NearMatch[];
  /** Analyses near to this one, so that the earlier record shows copies too; the nearest ones. */
  later: NearMatch[];
}

export const LIKENESS_RELATIONS = ['same_file', 'copy', 'mirrored_copy'] as const;
export const LIKENESS_RELATION = {
  name: 'LikenessRelation',
  description: 'COPY: saved again, scaled or lightly cropped.',
  words: LIKENESS_RELATIONS,
} as const satisfies Choice;

/** An earlier record of the same picture, with its answer then: shown, never inherited. */
export const SEEN_BEFORE = {
  identifier: identifier(),
  accountId: idNumber(),
  name: text(),
  createdAt: moment(),
  relation: oneOf(LIKENESS_RELATION),
  distance: whole('Bits of 256 that differ.'),
  timeSeconds: nullable(number('Position of the frame in this film; null for a picture.')),
  earlierSeconds: nullable(number('And in the earlier one.')),
  outcome: oneOf(OUTCOME),
  finding: nullable(oneOf(LABEL, 'What a person said.')),
  foundAt: nullable(moment()),
  foundByAccountId: nullable(idNumber()),
};
export interface SeenBefore extends ValuesOf<typeof SEEN_BEFORE> {}
