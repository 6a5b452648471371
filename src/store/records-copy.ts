/** The records of a backup, opened for reading only: their values can be checked, and the files that they refer to listed. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, type Key, open } from 'lmdb';
import { StoreReader } from './reader.ts';
import { decodeValue } from './tables/codec.ts';
import { walkEntries, walkKeys } from './tables/ranges.ts';
import { openTables, readMeta, TABLES_MAX } from './tables/schema.ts';
import { INDEX_VALUE_BYTES } from './tables/table.ts';

export interface RecordsCopy extends AsyncDisposable {
  readonly read: StoreReader;
  /** 0 if none is written in it. */
  readonly format: number;
  identifiers(): Iterable<string>;
  hasRecord(id: string): boolean;
  /** Reads every value of every table, also of tables that this version does not know. Throws DamagedRecordError. */
  check(signal: AbortSignal): Promise<number>;
}

/** Values between two turns of the event loop, so that a backup of a million records does not hold up the answers. */
const VALUES_PER_TURN = 200;

/** Hash the file before: LMDB trusts its pages, and damaged ones can end the process. */
export async function openRecordsCopy(folder: string): Promise<RecordsCopy> {
  const root = open({ path: folder, readOnly: true, maxDbs: TABLES_MAX });
  const names = Array.from(walkKeys(root, {}), String);
  let closed: Promise<void> | undefined;
  const close = async () => {
    await root.close();
    await rm(join(folder, 'lock.mdb'), { force: true });
  };
  const tables = openTables(root);
  return {
    read: new StoreReader(tables),
    format: readMeta(tables)?.formatVersion ?? 0,
    identifiers: () => tables.classifications.keys() as Iterable<string>,
    hasRecord: (id) => tables.classifications.has(id),
    async check(signal) {
      let values = 0;
      for (const name of names) {
        const table: Database<Buffer, Key> = root.openDB(name, { encoding: 'binary' });
        for (const { key, value } of walkEntries(table, {})) {
          values += 1;
          if (value.length > INDEX_VALUE_BYTES) decodeValue(name, key, value);
          if (values % VALUES_PER_TURN === 0) await nextTurn();
          signal.throwIfAborted();
        }
      }
      return values;
    },
    [Symbol.asyncDispose]: () => {
      closed ??= close();
      return closed;
    },
  };
}
