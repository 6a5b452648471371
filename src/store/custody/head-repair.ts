/** Repairs a head that disagrees with the last entry. The log goes on from the head, or if it is lost, from the entries. */
import { readFrontier } from '../../domain/custody/merkle-tree.ts';
import type { CustodyHead } from '../tables/stored-custody.ts';
import type { CustodyReader } from './custody-reader.ts';

export interface Disagreement {
  /** What was found, for a person. */
  reason: string;
  /** The head that the next entry continues. */
  head: CustodyHead;
}

export const NEW_HEAD: CustodyHead = { size: 0, last: '', peaks: [] };

/** Null if they agree; looks at the last entry only. */
export function findDisagreement(custody: CustodyReader): Disagreement | null {
  const head = custody.head();
  const { entryCount } = custody;
  if (head === undefined) {
    if (entryCount === 0) return null;
    return { reason: 'the head is missing or damaged', head: headOfEntries(custody, entryCount) };
  }
  if (entryCount > head.size) {
    const reason = `the head names ${head.size} entries, ${entryCount} were found`;
    return { reason, head: headOfEntries(custody, entryCount) };
  }
  if (entryCount < head.size) {
    return { reason: `entries ${entryCount} to ${head.size - 1} are missing`, head };
  }
  const line = custody.line(head.size - 1);
  if (head.size > 0 && line === undefined) {
    return { reason: `the last entry, ${head.size - 1}, is damaged`, head };
  }
  const isNamed = head.size === 0 || custody.leafHash(head.size - 1)?.toString('hex') === head.last;
  return isNamed
    ? null
    : { reason: `the last entry, ${head.size - 1}, is not the one that the head names`, head };
}

function headOfEntries(custody: CustodyReader, size: number): CustodyHead {
  const last = custody.leafHash(size - 1)?.toString('hex') ?? '';
  return { size, last, peaks: [...readFrontier(size, custody.subtree).peaks] };
}
