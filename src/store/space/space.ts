/** How much of the file of the records holds values, and how much is free for later transactions. */
import type { RootDatabase } from 'lmdb';
import type { Tables } from '../tables/schema.ts';
import { pagesOf, type TreeStats } from '../tables/table.ts';

export interface StoreSpace {
  /** Size of the file. */
  bytes: number;
  /** Bytes in pages that no value needs. LMDB uses them again; only `assay store compact` gives them back. */
  freeBytes: number;
}

/** LMDB's two pages of metadata at the beginning of each file. */
const META_PAGES = 2;

/** Fields that lmdb-js answers and its types leave out. */
interface FileStats extends TreeStats {
  root: TreeStats;
  free: TreeStats;
  lastPageNumber: number;
  lastTxnId: number;
}

export const lastTransactionOf = (root: RootDatabase): number => (root.getStats() as FileStats).lastTxnId;

/** Looks at the root page of each table, whatever the file's size. */
export function readSpace(root: RootDatabase, tables: Tables, bytes: number): StoreSpace {
  const { root: names, free, lastPageNumber, pageSize } = root.getStats() as FileStats;
  const ofTables = Object.values(tables).reduce((sum, table) => sum + table.pageCount, 0);
  const usedPages = META_PAGES + pagesOf(names) + pagesOf(free) + ofTables;
  return { bytes, freeBytes: Math.max(0, lastPageNumber + 1 - usedPages) * pageSize };
}
