/** A table with indexes, each declared once; writing, removing, rebuilding and counting follow, so that none is forgotten. */
import type { Key } from 'lmdb';
import type { Tables } from './schema.ts';
import type { Index, Table } from './table.ts';

export interface DeclaredIndex<P> {
  index: (tables: Tables) => Index;
  /** The value's keys in the index; null if it has none. Left out if they follow from more than the value. */
  keyOf?: (value: P, key: Key) => readonly Key[] | null;
  /** The key of the value that an index key points to; its last part if this is left out. */
  valueKeyOf?: (key: readonly Key[]) => Key;
  /** Name of the index in faults, if it has one entry for each value. */
  countedAs?: string;
}

/** A table that names one value for each of its keys. */
export interface DeclaredLookup {
  empty(tables: Tables, isKept: (key: Key) => boolean): void;
}

export interface CollectionOptions {
  lookups?: readonly DeclaredLookup[];
  /** Damaged values are removed when indexes are made anew: their owner is unknown, so that no one could end them. */
  endsIfDamaged?: boolean;
}

/** An index with one entry for each value. */
export interface CountedIndex {
  name: string;
  index: Index;
  table: { readonly count: number };
}

/** `P` is the part of a value that its index keys follow from. */
export class Collection<V extends object, P = V> {
  readonly table: (tables: Tables) => Table<V>;
  readonly endsIfDamaged: boolean;
  readonly #indexes: readonly DeclaredIndex<P>[];
  readonly #lookups: readonly DeclaredLookup[];

  constructor(
    table: (tables: Tables) => Table<V>,
    indexes: readonly DeclaredIndex<P>[],
    { lookups = [], endsIfDamaged = false }: CollectionOptions = {},
  ) {
    this.table = table;
    this.#indexes = indexes;
    this.#lookups = lookups;
    this.endsIfDamaged = endsIfDamaged;
  }

  /** `before` is the stored value of the key: its index keys are removed if the new value has others. */
  put(tables: Tables, key: Key, value: V & P, before?: P): void {
    this.table(tables).put(key, value);
    for (const { index, keyOf } of this.#indexes) {
      const place = keyOf?.(value, key) ?? null;
      const was = before === undefined ? null : (keyOf?.(before, key) ?? null);
      if (was !== null && JSON.stringify(was) !== JSON.stringify(place)) index(tables).remove(was);
      if (place !== null) index(tables).put(place);
    }
  }

  remove(tables: Tables, key: Key, value: P): void {
    this.table(tables).remove(key);
    this.unindex(tables, key, value);
  }

  index(tables: Tables, key: Key, value: P): void {
    for (const { index, keyOf } of this.#indexes) {
      const place = keyOf?.(value, key) ?? null;
      if (place !== null) index(tables).put(place);
    }
  }

  unindex(tables: Tables, key: Key, value: P): void {
    for (const { index, keyOf } of this.#indexes) {
      const place = keyOf?.(value, key) ?? null;
      if (place !== null) index(tables).remove(place);
    }
  }

  /** Empties the indexes except for entries of kept values. */
  emptyIndexes(tables: Tables, isKept: (key: Key) => boolean): void {
    for (const { index, valueKeyOf = lastPart } of this.#indexes) {
      // They are few: only these are held in memory, whatever the index's length.
      const kept: Key[][] = [];
      if (!this.endsIfDamaged)
        for (const place of index(tables).under([])) if (isKept(valueKeyOf(place))) kept.push(place);
      index(tables).clear();
      for (const place of kept) index(tables).put(place);
    }
    for (const lookup of this.#lookups) lookup.empty(tables, isKept);
  }

  counted(tables: Tables): CountedIndex[] {
    const table = this.table(tables);
    return this.#indexes.flatMap(({ index, countedAs }) =>
      countedAs === undefined ? [] : [{ name: countedAs, index: index(tables), table }],
    );
  }
}

const lastPart = (key: readonly Key[]): Key => key.at(-1) ?? '';

/** `valueKeyOf` gives the value that an entry names. */
export function lookup<E extends object | string | number>(
  table: (tables: Tables) => Table<E>,
  valueKeyOf: (entry: E) => Key,
): DeclaredLookup {
  return {
    empty(tables, isKept) {
      const kept: { key: Key; value: E }[] = [];
      for (const { key, value } of table(tables).entries())
        if (value !== undefined && isKept(valueKeyOf(value))) kept.push({ key, value });
      table(tables).clear();
      for (const { key, value } of kept) table(tables).put(key, value);
    },
  };
}
