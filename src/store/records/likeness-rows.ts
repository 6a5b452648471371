/** Rows by which copies of pictures are found: those that an analysis leaves, and those that it adds to earlier ones. */
import type { Analysis } from '../../domain/records/classification.ts';
import { type FoundLikeness, NEAR_MATCHES_MAX, type NearMatch } from '../../domain/records/seen-before.ts';
import type { StoreChange } from '../accounts/change.ts';
import type { Tables } from '../tables/schema.ts';

type LikenessTables = Pick<Tables, 'likenesses' | 'keypoints' | 'nearMatches'>;

interface LeftLikenesses extends Pick<Analysis, 'id'> {
  holder: number;
  likenesses: readonly FoundLikeness[];
  earlier: readonly NearMatch[];
  now: number;
}

/** Stores them under numbers that grow: an index with the earlier ones in memory reads on from the last. */
export function putLikenesses(
  tables: LikenessTables,
  { id: analysisId, holder, likenesses, earlier, now }: LeftLikenesses,
): void {
  // The time counts too, since the row with the last number may be gone, and no number may be given twice.
  const first = Math.max(now, Number(tables.likenesses.lastKey() ?? 0) + 1);
  const sequences = likenesses.map(({ keypoints, ...likeness }, index) => {
    tables.likenesses.put(first + index, { ...likeness, accountId: holder, analysisId });
    if (keypoints !== undefined)
      tables.keypoints.put(first + index, { accountId: holder, packed: keypoints });
    return first + index;
  });
  tables.nearMatches.put(analysisId, { accountId: holder, sequences, earlier: [...earlier], later: [] });
  for (const match of earlier) notifyEarlier(tables, analysisId, match);
}

/** Stored under new numbers, since an index that has read on would not look back. An empty list: too little detail. */
export function relearnLikenesses(
  tables: LikenessTables,
  { id, holder, likenesses, now }: Omit<LeftLikenesses, 'earlier'>,
): StoreChange[] {
  const known = tables.nearMatches.getUnlessDamaged(id);
  const removed = removeLikenesses(tables, id);
  putLikenesses(tables, { id, holder, likenesses, earlier: known?.earlier ?? [], now });
  const put = tables.nearMatches.getUnlessDamaged(id);
  if (put !== undefined) tables.nearMatches.put(id, { ...put, later: known?.later ?? [] });
  return removed;
}

/** The nearest ones stay. A picture that was removed meanwhile leaves its name, which leads nowhere. */
function notifyEarlier(tables: LikenessTables, analysisId: string, match: NearMatch): void {
  const known = tables.nearMatches.getUnlessDamaged(match.analysisId);
  if (known === undefined) return;
  const { timeSeconds: earlierSeconds, earlierSeconds: timeSeconds } = match;
  const found = { ...match, analysisId, timeSeconds, earlierSeconds };
  const others = known.later.filter((other) => other.analysisId !== analysisId);
  const later = [...others, found].toSorted((a, b) => a.distance - b.distance).slice(0, NEAR_MATCHES_MAX);
  tables.nearMatches.put(match.analysisId, { ...known, later });
}

export function removeLikenesses(tables: LikenessTables, analysisId: string): StoreChange[] {
  const known = tables.nearMatches.getUnlessDamaged(analysisId);
  const { accountId = 0, sequences = [] } = known ?? {};
  for (const sequence of sequences) {
    tables.likenesses.remove(sequence);
    tables.keypoints.remove(sequence);
  }
  if (tables.nearMatches.has(analysisId)) tables.nearMatches.remove(analysisId);
  return sequences.map((sequence) => ({ type: 'likeness', accountId, sequence }));
}
