/** What a search with a picture finds among those that are kept, as a reader sees it. Pure. */
import type { Label } from '../media/media.ts';
import type { Part, SharedPart } from '../media/shared-part.ts';
import type { Outcome } from './outcome.ts';

/**
 * Places that must agree before two pictures are said to share a part. Measured, docs/likeness.md: unlike pictures with print
 * or edges in them agree in nine by chance, two cats in ten.
 */
export const SHARED_PLACES_MIN = 12;
/** Fewer are enough if they lie exactly as a turn and a scale would place them: a small cut has no more. Chance made five at most in 20 million pairs. */
export const EXACT_PLACES_MIN = 8;

export function isSharedPart({ places, exactPlaces }: SharedPart): boolean {
  return places >= SHARED_PLACES_MIN || exactPlaces >= EXACT_PLACES_MIN;
}

/** Bound per answer: who finds twenty copies needs no more. */
export const FOUND_PICTURES_MAX = 20;
/** A film is searched with so many of its frames. */
export const ASKED_FRAMES_MAX = 8;

export const LIKENESS_DEGREES = ['same_picture', 'shared_part'] as const;
export type LikenessDegree = (typeof LIKENESS_DEGREES)[number];

export interface FoundPicture {
  identifier: string;
  accountId: number;
  name: string;
  createdAt: number;
  degree: LikenessDegree;
  isMirrored: boolean;
  /** Bits of 256 that differ; null if the whole pictures are not alike. */
  distance: number | null;
  /** Places that agree; null if only the whole pictures were compared. */
  places: number | null;
  /** Where the part lies, in the picture that was asked with (as it was sent, or mirrored) and in the one that was found. */
  askedPart: Part | null;
  foundPart: Part | null;
  /** Where the frame is in its film; null for a picture. */
  timeSeconds: number | null;
  outcome: Outcome;
  /** What a person said, and when; null if no one did. */
  finding: Label | null;
  foundAt: number | null;
}

export interface PictureSearchAnswer {
  /** Same pictures first, then those that share the most places. */
  found: FoundPicture[];
  /** Pictures and frames that were looked through. */
  searched: number;
  /** How many of them only the whole picture is known of: they came before parts were. */
  withoutParts: number;
}
