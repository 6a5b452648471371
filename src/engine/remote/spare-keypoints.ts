/** A long film has more frames than are kept: what would be dropped anyway is not sent, since a message is bounded. */
import { LIKENESS_QUALITY_MIN, LIKENESSES_MAX } from '../../domain/records/seen-before.ts';
import type { SeenLikeness } from '../analyses/analysis-parts.ts';

export function withoutSpareKeypoints(likenesses: readonly SeenLikeness[]): SeenLikeness[] {
  let kept = 0;
  return likenesses.map((seen) => {
    const isKept = seen.likeness.quality >= LIKENESS_QUALITY_MIN && kept < LIKENESSES_MAX;
    if (isKept) kept += 1;
    const { keypoints: _, ...likeness } = seen.likeness;
    return isKept ? seen : { ...seen, likeness };
  });
}
