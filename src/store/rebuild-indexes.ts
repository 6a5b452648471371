/**
 * Indexes made anew from the records that they point to. A mark in the store says that it is under way, so that a
 * kill in the midst leaves a store that goes on with it at the next start. Damaged records are left out and counted.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key } from 'lmdb';
import { partsOf } from '../domain/result.ts';
import { readMeta, type StoreMeta, type Tables } from './schema.ts';
import type { Table } from './table.ts';
import type { StoreTransaction } from './transaction.ts';

export interface RebuildParts {
  tables: Tables;
  transact<T>(change: (tx: StoreTransaction) => T): Promise<T>;
}

export interface Rebuilt {
  /** Values that were read and pointed to. */
  values: number;
  damaged: number;
}

/** Values in one transaction: everything else waits for it. */
const BATCH = 500;

/**
 * What is wrong with the indexes, as far as their sizes tell, which costs nothing; null where they agree. Made for
 * each start: a box whose lists lack records looks healthy otherwise.
 */
export function findIndexFault(tables: Tables, meta: StoreMeta): string | null {
  if (meta.isRebuilding === true) return 'a rebuilding of the indexes did not finish';
  const pairs = [
    ['classifications by account', tables.classificationsByAccount, tables.classifications],
    ['classifications by kind', tables.classificationsByKind, tables.classifications],
    ['classifications by analysis', tables.classificationsByAnalysis, tables.classifications],
    ['API keys by account', tables.apiKeysByAccount, tables.apiKeys],
    ['deliveries by account', tables.deliveriesByAccount, tables.deliveries],
    ['requests by time', tables.requestsByTime, tables.requests],
  ] as const;
  const [fault] = pairs.filter(([, index, table]) => index.count !== table.count);
  if (fault === undefined) return null;
  const [name, index, table] = fault;
  return `the index of ${name} has ${index.count} entries for ${table.count} values`;
}

export async function rebuildIndexes({ tables, transact }: RebuildParts): Promise<Rebuilt> {
  const found: Rebuilt = { values: 0, damaged: 0 };
  await transact((tx) => {
    tx.setMeta({ ...metaOf(tables), isRebuilding: true });
    for (const index of indexesOf(tables)) index.clear();
  });
  const each = <V extends object>(
    table: Table<V>,
    point: (tx: StoreTransaction, value: V, key: Key) => void,
  ): Promise<void> => eachValue({ tables, transact }, table, point, found);
  await each(tables.classifications, (tx, value) => tx.indexClassification(value));
  await each(tables.analyses, (tx, value) => {
    tx.indexAnalysis(value);
    for (const { identifier, ...part } of partsOf(value.result)) {
      tx.putPart(identifier, { analysisId: value.id, ...part });
    }
  });
  await each(tables.accounts, (tx, value) => tx.indexAccount(value));
  await each(tables.apiKeys, (tx, value) => tx.indexApiKey(value));
  await each(tables.deliveries, (tx, value) => tx.indexDelivery(value));
  await each(tables.requests, (tx, value, key) => {
    const [accountId, requestId] = key as [number, string];
    tx.indexRequest(accountId, requestId, value);
  });
  await transact((tx) => tx.setMeta({ ...metaOf(tables), isRebuilding: false }));
  return found;
}

function metaOf(tables: Tables): StoreMeta {
  const found = readMeta(tables);
  if (found === undefined) throw new Error('the store has no description');
  return found;
}

/** Everything that is made of the records and of nothing else. */
function indexesOf(tables: Tables): readonly { clear(): void }[] {
  return [
    ...[tables.classificationsByAccount, tables.classificationsByKind],
    ...[tables.classificationsByHash, tables.classificationsByAnalysis],
    ...[tables.analysesByKey, tables.analysesOpen, tables.analysesFailed, tables.parts],
    ...[tables.accountsByEmail, tables.apiKeysByAccount],
    ...[tables.deliveriesByAccount, tables.deliveriesDue, tables.requestsByTime],
  ];
}

async function eachValue<V extends object>(
  { transact }: RebuildParts,
  table: Table<V>,
  point: (tx: StoreTransaction, value: V, key: Key) => void,
  found: Rebuilt,
): Promise<void> {
  const keys = [...table.keys()];
  for (let from = 0; from < keys.length; from += BATCH) {
    await transact((tx) => {
      for (const key of keys.slice(from, from + BATCH)) {
        const value = table.getUnlessDamaged(key);
        if (value === undefined) found.damaged += 1;
        else point(tx, value, key);
        found.values += value === undefined ? 0 : 1;
      }
    });
    await nextTurn();
  }
}
