/** In which order the loaded records stand. The daemon lists the newest first; any other order is made here. */
import { isRefused, type ListRow, verdictScore } from '../parts/records.ts';

export const LIST_ORDERS = ['newest', 'oldest', 'suspicious', 'name'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

/** Records that another order loads by itself: the page says that more are not among them. */
export const ORDERED_MAX = 1000;

export function orderRows(rows: readonly ListRow[], order: ListOrder): readonly ListRow[] {
  switch (order) {
    case 'newest':
      return rows;
    case 'oldest':
      return rows.toReversed();
    case 'suspicious':
      return rows.toSorted((left, right) => suspicionOf(right) - suspicionOf(left));
    case 'name':
      return rows.toSorted((left, right) => nameOf(left).localeCompare(nameOf(right)));
  }
}

/** Probability of an artificial origin; what has none stands last. */
function suspicionOf(row: ListRow): number {
  if (isRefused(row)) return -2;
  const { assessment, verdict, forceClassification } = row;
  if (forceClassification !== null) return forceClassification === 'ARTIFICIAL' ? 1 : 0;
  return assessment?.probability ?? verdictScore(verdict) ?? -1;
}

function nameOf(row: ListRow): string {
  return isRefused(row) ? '\u{10ffff}' : row.name || row.identifier;
}
