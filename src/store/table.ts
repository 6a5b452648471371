/** One LMDB table of checked values, and one kind of index that holds keys only. */
import type { Database, Key, RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import { DamagedRecordError, decodeValue, encodeValue } from './codec.ts';

/** A decoded value takes several times its encoded bytes, and the entry itself about so much. */
const ENTRY_BYTES = 256;

export class Table<V extends object | string | number> {
  readonly name: string;
  /** Told of each value that is not what was written, for the log and the count. */
  onDamage: ((error: DamagedRecordError) => void) | undefined;
  readonly #database: Database<Buffer, Key>;
  /** Decoded values of the keys read last: a record is read far more often than it changes. */
  readonly #cache: LRUCache<string | number, V> | null;
  /** Keys written since the last transaction ended: only these may be remembered with values that never came to be. */
  readonly #touched = new Set<string | number>();

  /** `cacheBytesMax` counts encoded bytes; 0 for a table whose values are read once. */
  constructor(root: RootDatabase, name: string, cacheBytesMax = 0) {
    this.name = name;
    this.#database = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
    this.#cache = cacheBytesMax === 0 ? null : new LRUCache({ maxSize: cacheBytesMax });
  }

  /** The value may be shared with other readers: it is never changed in place. */
  get(key: Key): V | undefined {
    const cacheKey = typeof key === 'string' || typeof key === 'number' ? key : null;
    if (this.#cache === null || cacheKey === null) return this.#read(key)?.value;
    const known = this.#cache.get(cacheKey);
    if (known !== undefined) return known;
    const found = this.#read(key);
    if (found !== undefined) this.#cache.set(cacheKey, found.value, { size: found.sizeBytes + ENTRY_BYTES });
    return found?.value;
  }

  #read(key: Key): { value: V; sizeBytes: number } | undefined {
    const bytes = this.#database.get(key);
    if (bytes === undefined) return undefined;
    return { value: this.#decode(key, bytes), sizeBytes: bytes.length };
  }

  #decode(key: Key, bytes: Buffer): V {
    try {
      return decodeValue(this.name, key, bytes) as V;
    } catch (error) {
      if (error instanceof DamagedRecordError) this.onDamage?.(error);
      throw error;
    }
  }

  /** Whether there is a value, without reading it: a damaged one is there too. */
  has(key: Key): boolean {
    return this.#database.doesExist(key);
  }

  /** How many values there are; costs nothing. */
  get count(): number {
    return entryCountOf(this.#database);
  }

  /** Every key, in order, also of damaged values. */
  *keys(): Generator<Key> {
    yield* this.#database.getKeys({});
  }

  /** Removes every value; inside a transaction. */
  clear(): void {
    this.#cache?.clear();
    this.#database.clearSync();
  }

  /** After a transaction: where it was undone, what it wrote may have been read, and with that be remembered. */
  settle(outcome: 'committed' | 'undone'): void {
    if (outcome === 'undone') for (const key of this.#touched) this.#cache?.delete(key);
    this.#touched.clear();
  }

  #forgetKey(key: Key): void {
    if (this.#cache === null || (typeof key !== 'string' && typeof key !== 'number')) return;
    this.#cache.delete(key);
    this.#touched.add(key);
  }

  /** Every value between two keys, in key order; `end` is not part of it. */
  *values(start?: Key, end?: Key): Generator<V> {
    for (const { key, value } of this.#database.getRange(bounds(start, end))) {
      yield this.#decode(key, value);
    }
  }

  /** At most `limit` values with their keys, in key order; those behind the key where one is given. */
  after(last: Key | undefined, limit: number): { key: Key; value: V }[] {
    const range = { limit: limit + 1, ...(last === undefined ? {} : { start: last }) };
    const found: { key: Key; value: V }[] = [];
    for (const { key, value } of this.#database.getRange(range)) {
      if (found.length === limit || (last !== undefined && sameKey([key].flat(), [last].flat()))) continue;
      found.push({ key, value: this.#decode(key, value) });
    }
    return found;
  }

  /** At most `limit` values from the end, last first; those before the key where one is given. */
  last(before: Key | undefined, limit: number): V[] {
    const range = { reverse: true, limit: limit + 1, ...(before === undefined ? {} : { start: before }) };
    const found: V[] = [];
    for (const { key, value } of this.#database.getRange(range)) {
      if (key !== before && found.length < limit) found.push(this.#decode(key, value));
    }
    return found;
  }

  put(key: Key, value: V): void {
    this.#forgetKey(key);
    this.#database.putSync(key, encodeValue(value));
  }

  remove(key: Key): void {
    this.#forgetKey(key);
    this.#database.removeSync(key);
  }
}

/** An index has keys only; LMDB wants some value. */
export const INDEX_VALUE_BYTES = 1;
const EMPTY = Buffer.alloc(INDEX_VALUE_BYTES);

/** Keys only; rebuilt from records when it is lost. */
export class Index {
  readonly #database: Database<Buffer, Key>;

  constructor(root: RootDatabase, name: string) {
    this.#database = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
  }

  /** How many keys there are; costs nothing. */
  get count(): number {
    return entryCountOf(this.#database);
  }

  /** Removes every key; inside a transaction. */
  clear(): void {
    this.#database.clearSync();
  }

  /** Keys that begin with the prefix, in order. */
  *under(prefix: readonly Key[]): Generator<Key[]> {
    const end = [...prefix, HIGHEST] as Key;
    for (const key of this.#database.getKeys({ start: [...prefix] as Key, end })) yield key as Key[];
  }

  /** Keys whose first part is a text that begins so, in order. */
  *startingWith(text: string): Generator<Key[]> {
    const range = { start: [text] as Key, end: [`${text}${HIGHEST}`] as Key };
    for (const key of this.#database.getKeys(range)) yield key as Key[];
  }

  /** Keys under the prefix that sort before `before`, last first. */
  *underReversed(prefix: readonly Key[], before?: readonly Key[]): Generator<Key[]> {
    const start = before === undefined ? [...prefix, HIGHEST] : [...before];
    const range = { start: start as Key, end: [...prefix] as Key, reverse: true };
    for (const key of this.#database.getKeys(range)) {
      if (before !== undefined && sameKey(key as Key[], before)) continue;
      yield key as Key[];
    }
  }

  put(key: readonly Key[]): void {
    this.#database.putSync([...key] as Key, EMPTY);
  }

  remove(key: readonly Key[]): void {
    this.#database.removeSync([...key] as Key);
  }
}

function entryCountOf(database: Database<Buffer, Key>): number {
  return (database.getStats() as { entryCount: number }).entryCount;
}

/** Sorts after every string and number that Assay uses in a key. */
const HIGHEST = '\u{10ffff}';

function sameKey(left: readonly Key[], right: readonly Key[]): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}

function bounds(start: Key | undefined, end: Key | undefined): { start?: Key; end?: Key } {
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}
