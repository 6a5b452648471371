/**
 * Indexes made anew from the records that they point to. A mark in the store says that it is under way, so that a
 * kill midway leaves a store that goes on with it at the next start. Damaged records are counted, and what points
 * to them stays: the address of a damaged account is not free, and the medium of a damaged record is no orphan.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key } from 'lmdb';
import { partsOf } from '../domain/verdicts/result.ts';
import { CustodyReader } from './custody/custody-reader.ts';
import { indexTimestamps } from './records/package-rows.ts';
import { ANSWERS_COMPLETE, areAnswersComplete } from './records/record-rows.ts';
import { readMeta, type StoreMeta, type Tables } from './tables/schema.ts';
import type { Index, Table } from './tables/table.ts';
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
 * What is wrong with the indexes, as far as their sizes show, which costs nothing; null if they agree. Made for
 * each start: a box whose lists lack records looks healthy otherwise.
 */
export function findIndexFault(tables: Tables, meta: StoreMeta): string | null {
  if (meta.isRebuilding === true) return 'a rebuilding of the indexes did not finish';
  for (const { name, index, table } of completeIndexes(tables)) {
    // Damaged values that nothing points to: another rebuilding would not find what to point with either.
    const missing = meta.missingEntries?.[name] ?? 0;
    if (index.count + missing !== table.count) {
      return `the index of ${name} has ${index.count} entries for ${table.count} values`;
    }
  }
  return null;
}

/** Those with one entry for each value. */
function completeIndexes(
  tables: Tables,
): readonly { name: string; index: Index; table: { count: number } }[] {
  return [
    {
      name: 'classifications by account',
      index: tables.classificationsByAccount,
      table: tables.classifications,
    },
    { name: 'classifications by kind', index: tables.classificationsByKind, table: tables.classifications },
    {
      name: 'classifications by analysis',
      index: tables.classificationsByAnalysis,
      table: tables.classifications,
    },
    ...(areAnswersComplete(readMeta(tables))
      ? [
          {
            name: 'classifications by answer',
            index: tables.classificationsByAnswer,
            table: tables.classifications,
          },
        ]
      : []),
    { name: 'accounts by role', index: tables.accountsByRole, table: tables.accounts },
    { name: 'sessions by account', index: tables.sessionsByAccount, table: tables.sessions },
    { name: 'sessions by end', index: tables.sessionsByEnd, table: tables.sessions },
    { name: 'mail tokens by account', index: tables.mailTokensByAccount, table: tables.mailTokens },
    { name: 'mail tokens by end', index: tables.mailTokensByEnd, table: tables.mailTokens },
    { name: 'API keys by account', index: tables.apiKeysByAccount, table: tables.apiKeys },
    { name: 'deliveries by account', index: tables.deliveriesByAccount, table: tables.deliveries },
    { name: 'requests by time', index: tables.requestsByTime, table: tables.requests },
    { name: 'watched files by state', index: tables.watchedFilesByState, table: tables.watchedFiles },
  ];
}

export async function rebuildIndexes({ tables, transact }: RebuildParts): Promise<Rebuilt> {
  const damaged = await findDamaged(tables);
  const found: Rebuilt = { values: 0, damaged: damaged.count };
  await transact((tx) => {
    tx.setMeta({ ...metaOf(tables), isRebuilding: true });
    // Their owner cannot be determined, and so no one could end them; a sign-in, and another mail, make others.
    for (const table of [tables.sessions, tables.mailTokens]) {
      for (const key of damaged.keysOf(table)) table.remove(key);
    }
    emptyIndexes(tables, damaged);
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
  await each(tables.sessions, (tx, value) => tx.indexSession(value));
  await each(tables.mailTokens, (tx, value) => tx.indexMailToken(value));
  await each(tables.apiKeys, (tx, value) => tx.indexApiKey(value));
  await each(tables.deliveries, (tx, value) => tx.indexDelivery(value));
  await each(tables.timestamps, (_tx, value) => indexTimestamps(tables, value));
  await each(tables.requests, (tx, value, key) => {
    const [accountId, requestId] = key as [number, string];
    tx.indexRequest(accountId, requestId, value);
  });
  await each(tables.watchedFiles, (tx, value) => tx.indexWatchedFile(value));
  await each(tables.signOffs, (tx, value) => tx.indexSignOff(value));
  // Added to, never emptied: details that are gone no longer say what their entry was about.
  const { entryCount } = new CustodyReader(tables);
  for (let from = 0; from < entryCount; from += BATCH) {
    await transact((tx) => tx.indexCustody(from, Math.min(entryCount, from + BATCH)));
    await nextTurn();
  }
  const missing = completeIndexes(tables).map(({ name, index, table }) => [name, table.count - index.count]);
  const missingEntries = Object.fromEntries(missing.filter(([, count]) => count !== 0));
  const answers = ANSWERS_COMPLETE;
  await transact((tx) => tx.setMeta({ ...metaOf(tables), isRebuilding: false, missingEntries, answers }));
  return found;
}

function metaOf(tables: Tables): StoreMeta {
  const found = readMeta(tables);
  if (found === undefined) throw new Error('the store has no description');
  return found;
}

/** The damaged values of the tables that are pointed to. */
class DamagedKeys {
  readonly #keys = new Map<object, Map<string, Key>>();

  get count(): number {
    return [...this.#keys.values()].reduce((sum, { size }) => sum + size, 0);
  }

  add(table: object, key: Key): void {
    const known = this.#keys.get(table) ?? new Map<string, Key>();
    this.#keys.set(table, known.set(JSON.stringify(key), key));
  }

  has(table: object, key: Key): boolean {
    return this.#keys.get(table)?.has(JSON.stringify(key)) === true;
  }

  keysOf(table: object): Key[] {
    return [...(this.#keys.get(table)?.values() ?? [])];
  }
}

async function findDamaged(tables: Tables): Promise<DamagedKeys> {
  const damaged = new DamagedKeys();
  const { classifications, analyses, accounts, sessions, mailTokens, apiKeys, deliveries, requests } = tables;
  const { watchedFiles, signOffs, timestamps } = tables;
  for (const table of [
    ...[classifications, analyses, accounts],
    ...[sessions, mailTokens, apiKeys, deliveries, requests, watchedFiles, signOffs, timestamps],
  ]) {
    const keys = [...table.keys()];
    for (let from = 0; from < keys.length; from += BATCH) {
      for (const key of keys.slice(from, from + BATCH)) {
        if (table.getUnlessDamaged(key) === undefined) damaged.add(table, key);
      }
      await nextTurn();
    }
  }
  return damaged;
}

/** Everything that is made of the records and of nothing else, but for what points to a damaged one. */
function emptyIndexes(tables: Tables, damaged: DamagedKeys): void {
  const { classifications, analyses, accounts, apiKeys, deliveries, requests } = tables;
  const lastPart = (key: Key[]): Key => key.at(-1) ?? '';
  const emptyIndex = (index: Index, table: object, pointsTo = lastPart): void => {
    const kept = [...index.under([])].filter((key) => damaged.has(table, pointsTo(key)));
    index.clear();
    for (const key of kept) index.put(key);
  };
  const emptyLookup = <V extends object | string | number>(
    lookup: Table<V>,
    table: object,
    pointsTo: (value: V) => Key,
  ): void => {
    const kept = [...lookup.entries()].flatMap(({ key, value }) =>
      value !== undefined && damaged.has(table, pointsTo(value)) ? [{ key, value }] : [],
    );
    lookup.clear();
    for (const { key, value } of kept) lookup.put(key, value);
  };
  emptyIndex(tables.classificationsByAccount, classifications);
  emptyIndex(tables.classificationsByKind, classifications);
  emptyIndex(tables.classificationsByAnswer, classifications);
  emptyIndex(tables.classificationsByReference, classifications);
  emptyIndex(tables.classificationsByHash, classifications);
  emptyIndex(tables.classificationsByAnalysis, classifications);
  emptyIndex(tables.analysesOpen, analyses);
  emptyIndex(tables.analysesFailed, analyses);
  emptyLookup(tables.analysesByKey, analyses, (id) => id);
  emptyLookup(tables.parts, analyses, ({ analysisId }) => analysisId);
  emptyIndex(tables.accountsByRole, accounts);
  emptyLookup(tables.accountsByEmail, accounts, (id) => id);
  emptyIndex(tables.apiKeysByAccount, apiKeys);
  emptyIndex(tables.deliveriesByAccount, deliveries);
  emptyIndex(tables.deliveriesDue, deliveries);
  emptyIndex(tables.timestampsDue, tables.timestamps);
  emptyIndex(
    tables.requestsByTime,
    requests,
    ([, accountId = '', requestId = '']) => [accountId, requestId] as Key,
  );
  emptyIndex(tables.watchedFilesByState, tables.watchedFiles, ([folderId = '', , , path = '']) => [
    ...[folderId, path],
  ]);
  emptyIndex(
    tables.signOffsOpen,
    tables.signOffs,
    ([accountId = '', , kind = '', hash = '', findingAt = '']) => [accountId, kind, hash, findingAt] as Key,
  );
  // Their damaged values are removed.
  for (const index of [tables.sessionsByAccount, tables.sessionsByEnd]) index.clear();
  for (const index of [tables.mailTokensByAccount, tables.mailTokensByEnd]) index.clear();
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
        if (value === undefined) continue;
        point(tx, value, key);
        found.values += 1;
      }
    });
    await nextTurn();
  }
}
