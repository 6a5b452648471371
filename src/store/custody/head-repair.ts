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

/** Null if they agree; looks at the last entry and at the stored tree, at none of the entries before. */
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
  if (head.size === 0) return null;
  const found = headOfEntries(custody, head.size);
  if (found.last !== head.last)
    return { reason: `the last entry, ${head.size - 1}, is not the one that the head names`, head };
  const isSameTree = Buffer.concat(head.peaks).equals(Buffer.concat(found.peaks));
  // Entries appended to the head's peaks would be other leaves of other nodes than those that are stored.
  return isSameTree
    ? null
    : { reason: 'the head names another tree than the one that is stored', head: found };
}

function headOfEntries(custody: CustodyReader, size: number): CustodyHead {
  const last = custody.leafHash(size - 1)?.toString('hex') ?? '';
  return { size, last, peaks: [...readFrontier(size, custody.subtree).peaks] };
}
