/** The order of the loaded records. The daemon lists the newest first; any other order is made here. */
import type { HeadlineWord } from '../gen/documents.ts';
import { isRefused, type ListRow } from '../parts/records.ts';

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

const CERTAIN = new Map<HeadlineWord, number>([
  ['FOUND_ARTIFICIAL', 1],
  ['SIGNED_GENERATION', 1],
  ['FOUND_HUMAN', 0],
]);

/** A person's finding or a trusted signature counts first, then the models' probability; records without either come last. */
function suspicionOf(row: ListRow): number {
  if (isRefused(row)) return -2;
  return CERTAIN.get(row.headline.word) ?? row.assessment?.probability ?? -1;
}

const nameOf = (row: ListRow): string => (isRefused(row) ? '\u{10ffff}' : row.name || row.identifier);
