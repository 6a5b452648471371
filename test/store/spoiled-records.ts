/** A store of an older version or of a failing disk: rows that no one can show among rows that are whole. */
import { join } from 'node:path';
import { type Key, open } from 'lmdb';
import type { Relationship } from '../../src/domain/provenance/manifest-facts.ts';
import { NO_PROVENANCE } from '../../src/domain/provenance/provenance.ts';
import { Store } from '../../src/store/store.ts';
import { decodeValue, encodeValue } from '../../src/store/tables/codec.ts';
import { TABLES_MAX } from '../../src/store/tables/schema.ts';
import { makeManifest, makeStore } from '../domain/provenance/made-store.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';

export type Row = { result: { runs: Record<string, unknown>[] } };
export type Spoil = (bytes: Buffer, key: Key) => Buffer;

/** What lies in the row becomes something else, with a checksum that holds: an older version wrote it so. */
export function rewritten(table: string, change: (row: Row) => void): Spoil {
  return (bytes, key) => {
    const row = decodeValue(table, key, bytes) as Row;
    change(row);
    return encodeValue(row);
  };
}

export function flipped(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  return other;
}

/** The analysis' figure is NaN, as versions stored it that did not judge what workers brought. */
export const NOT_A_NUMBER = rewritten('analyses', (row) =>
  Object.assign(row.result.runs[0] ?? {}, { probability: Number.NaN }),
);

/** A word that no facade has: what is built of it cannot be converted. */
const HOSTILE = {
  ...NO_PROVENANCE,
  hasReadFacts: true,
  store: makeStore(
    makeManifest({
      ingredients: [
        { title: '', format: '', relationship: '__proto__' as Relationship, manifest: '', thumbnail: '' },
      ],
    }),
  ),
};

/** By the number of the record: which row is spoiled, how, and what is said of it. */
export const SPOILED: ReadonlyMap<number, { table: string; spoil: Spoil; reason: RegExp }> = new Map([
  [1, { table: 'analyses', spoil: NOT_A_NUMBER, reason: /NaN/ }],
  [
    2,
    {
      table: 'analyses',
      spoil: rewritten('analyses', (row) => Object.assign(row.result.runs[0] ?? {}, { weight: 0 })),
      reason: /NaN/,
    },
  ],
  [3, { table: 'analyses', spoil: flipped, reason: /damaged record in analyses/ }],
  [4, { table: 'classifications', spoil: flipped, reason: /damaged record in classifications/ }],
  [
    5,
    {
      table: 'analyses',
      spoil: rewritten('analyses', (row) => Reflect.deleteProperty(row.result, 'runs')),
      reason: /cannot be built/,
    },
  ],
  [
    6,
    {
      table: 'analyses',
      spoil: rewritten('analyses', (row) => Object.assign(row.result, { provenance: HOSTILE })),
      reason: /provenance\.manifests\.0\.ingredients\.0\.relationship is .*__proto__/,
    },
  ],
]);

/** Whole records of the account 1 are those whose number is not named above. */
export const WHOLE = [8, 7, 0];
export const SPOILED_COUNT = 9;
export const nameOf = (index: number) => `picture-${index}.png`;

/** Into an empty folder that no daemon has opened yet. */
export async function makeSpoiledStore(folder: string): Promise<void> {
  {
    await using store = await Store.open({ folder });
    await seedRecords(store, SPOILED_COUNT, (index) => ({ name: nameOf(index), probability: 0.05 }));
  }
  const rows = [...SPOILED].map(([index, { table, spoil }]) => ({ table, key: identifierOf(index), spoil }));
  await spoilRows(folder, rows);
}

/** In a folder whose store is closed. */
export async function spoilRows(
  folder: string,
  rows: readonly { table: string; key: Key; spoil: Spoil }[],
): Promise<void> {
  const root = open({ path: join(folder, 'records'), maxDbs: TABLES_MAX });
  const tables = new Map(
    rows.map(({ table }) => [table, root.openDB<Buffer, Key>(table, { encoding: 'binary' })]),
  );
  root.transactionSync(() => {
    for (const { table, key, spoil } of rows) {
      const database = tables.get(table);
      const bytes = database?.get(key);
      if (bytes === undefined) throw new Error(`no ${String(key)} in ${table}`);
      database?.putSync(key, spoil(Buffer.from(bytes), key));
    }
  });
  await root.flushed;
  await root.close();
}
