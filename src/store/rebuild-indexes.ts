/** Indexes rebuilt from records, behind a mark for a kill; damaged records keep references, such as a taken address. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key } from 'lmdb';
import { partsOf } from '../domain/verdicts/result.ts';
import { CustodyReader } from './custody/custody-reader.ts';
import { ANSWERS_COMPLETE, areAnswersComplete } from './records/record-rows.ts';
import type { Collection, CountedIndex } from './tables/collection.ts';
import {
  ACCOUNTS,
  ANALYSES,
  API_KEYS,
  CLASSIFICATIONS,
  DELIVERIES,
  DESK_MEMBERS,
  MAIL_TOKENS,
  REQUESTS,
  SESSIONS,
  SIGN_OFFS,
  TIMESTAMPS,
  WATCHED_FILES,
} from './tables/collections.ts';
import { readMeta, type StoreMeta, type Tables } from './tables/schema.ts';
import type { Table } from './tables/table.ts';
import type { StoreTransaction } from './transaction.ts';
import { forgetWords } from './word-index.ts';

export interface RebuildParts {
  tables: Tables;
  transact<T>(change: (tx: StoreTransaction) => T): Promise<T>;
}

export interface Rebuilt {
  /** Values that were read and indexed. */
  values: number;
  damaged: number;
}

/** Values in one transaction: everything else waits for it. */
const BATCH = 500;

/** The fault of the indexes by their sizes; null if they agree. A box whose lists lack records looks healthy otherwise. */
export function findIndexFault(tables: Tables, meta: StoreMeta): string | null {
  if (meta.isRebuilding === true) return 'a rebuilding of the indexes did not finish';
  for (const { name, index, table } of completeIndexes(tables)) {
    // Damaged values that nothing points to: a rebuild would not find them either.
    const missing = meta.missingEntries?.[name] ?? 0;
    if (index.count + missing !== table.count) {
      return `the index of ${name} has ${index.count} entries for ${table.count} values`;
    }
  }
  return null;
}

/** The indexes with one entry for each value. The index of answers may still be in the making. */
function completeIndexes(tables: Tables): CountedIndex[] {
  const areComplete = areAnswersComplete(readMeta(tables));
  return STEPS.flatMap(({ collection }) => collection.counted(tables)).filter(
    ({ index }) => areComplete || index !== tables.classificationsByAnswer,
  );
}

type Point<V> = (tx: StoreTransaction, value: V, key: Key, tables: Tables) => void;

interface Step {
  collection: AnyCollection;
  run: (parts: RebuildParts, found: Rebuilt) => Promise<void>;
}

type AnyCollection = Pick<Collection<object>, 'counted' | 'emptyIndexes' | 'endsIfDamaged'> & {
  table: (tables: Tables) => Pick<Table<object>, 'keys' | 'getUnlessDamaged' | 'remove'>;
};

function step<V extends P, P extends object>(
  collection: Collection<V, P>,
  point: Point<V> = (_tx, value, key, tables) => collection.index(tables, key, value),
): Step {
  return {
    collection,
    run: (parts, found) => eachValue(parts, collection.table(parts.tables), point, found),
  };
}

const STEPS: readonly Step[] = [
  step(CLASSIFICATIONS, (tx, value) => tx.indexClassification(value)),
  step(ANALYSES, (tx, value) => {
    tx.indexAnalysis(value);
    for (const { identifier, ...part } of partsOf(value.result)) {
      tx.putPart(identifier, { analysisId: value.id, ...part });
    }
  }),
  step(ACCOUNTS, (tx, value, key, tables) => {
    ACCOUNTS.index(tables, key, value);
    tx.accounts.indexAddress(value);
  }),
  step(DESK_MEMBERS),
  step(SESSIONS),
  step(MAIL_TOKENS),
  step(API_KEYS),
  step(DELIVERIES),
  step(TIMESTAMPS),
  step(REQUESTS),
  step(WATCHED_FILES),
  step(SIGN_OFFS),
];

export async function rebuildIndexes({ tables, transact }: RebuildParts): Promise<Rebuilt> {
  const damaged = await findDamaged(tables);
  const found: Rebuilt = { values: 0, damaged: damaged.count };
  await transact((tx) => {
    tx.setMeta({ ...metaOf(tables), isRebuilding: true });
    // Made anew beside later work, since reading every transcript takes long.
    forgetWords(tables)(tx);
    for (const { collection } of STEPS) {
      const table = collection.table(tables);
      if (collection.endsIfDamaged) for (const key of damaged.keysOf(table)) table.remove(key);
      collection.emptyIndexes(tables, (key) => damaged.has(table, key));
    }
  });
  for (const { run } of STEPS) await run({ tables, transact }, found);
  // Extended, never emptied: deleted details no longer say what their entry was about.
  const { entryCount } = new CustodyReader(tables);
  for (let from = 0; from < entryCount; from += BATCH) {
    await transact((tx) => tx.log.index(from, Math.min(entryCount, from + BATCH)));
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
  for (const { collection } of STEPS) {
    const table = collection.table(tables);
    for (const keys of inBatches(table.keys())) {
      for (const key of keys) if (table.getUnlessDamaged(key) === undefined) damaged.add(table, key);
      await nextTurn();
    }
  }
  return damaged;
}

async function eachValue<V extends object>(
  { tables, transact }: RebuildParts,
  table: Table<V>,
  point: Point<V>,
  found: Rebuilt,
): Promise<void> {
  for (const keys of inBatches(table.keys())) {
    await transact((tx) => {
      for (const key of keys) {
        const value = table.getUnlessDamaged(key);
        if (value === undefined) continue;
        point(tx, value, key, tables);
        found.values += 1;
      }
    });
    await nextTurn();
  }
}

/** Never all keys at once: those of ten million records take gigabytes. */
function* inBatches(keys: Iterable<Key>): Generator<Key[]> {
  let batch: Key[] = [];
  for (const key of keys) {
    batch.push(key);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
