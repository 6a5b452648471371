/** One LMDB table of checked values, and one kind of index, of keys with the searched values beside them. */
import type { Database, Key, RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import { DamagedRecordError, decodeValue, encodeValue } from './codec.ts';
import { firstKey, mayExist, type Range, walkEntries, walkKeys } from './ranges.ts';

/** Size of a cache entry besides its value; a decoded value takes several times its encoded bytes. */
const ENTRY_BYTES = 256;
/** After so many damaged values of one table the list starts over, and they are reported again. */
const REPORTED_MAX = 10_000;

export class Table<V extends object | string | number> {
  readonly name: string;
  /** Called once with each damaged value, for the log and the count. */
  onDamage: ((error: DamagedRecordError) => void) | undefined;
  readonly #database: Database<Buffer, Key>;
  readonly #initial: Partial<V> | undefined;
  /** Decoded values of the keys that were read last: a record is read far more often than it changes. */
  readonly #cache: LRUCache<string | number, { value: V | undefined }> | null;
  readonly #keepsAbsence: boolean;
  /** Keys of reported damaged values, so that a polled list does not fill the log with one of them. */
  readonly #reported = new Set<string | number>();
  /** Keys written by a transaction that is not on the disk yet: their values may be undone, or be the old ones. */
  readonly #touched = new Set<string | number>();
  #isCleared = false;

  /**
   * `cacheBytesMax` counts encoded bytes; 0: values are read once. `initial` fills fields that older values lack. `keepsAbsence`
   * caches that a key has no value, too: not for keys that callers may invent.
   */
  constructor(
    root: RootDatabase,
    name: string,
    cacheBytesMax = 0,
    { initial, keepsAbsence = false }: { initial?: Partial<V>; keepsAbsence?: boolean } = {},
  ) {
    this.name = name;
    this.#initial = initial;
    this.#keepsAbsence = keepsAbsence;
    this.#database = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
    this.#cache = cacheBytesMax === 0 ? null : new LRUCache({ maxSize: cacheBytesMax });
  }

  /** The value may be shared with other readers: never change it in place. */
  get(key: Key): V | undefined {
    if (this.#cache === null) return this.#read(key)?.value;
    const cacheKey = cacheKeyOf(key);
    const known = this.#cache.get(cacheKey);
    if (known !== undefined) return known.value;
    const found = this.#read(key);
    const isSettled = !this.#isCleared && !this.#touched.has(cacheKey);
    if (isSettled && (found !== undefined || this.#keepsAbsence))
      this.#cache.set(cacheKey, { value: found?.value }, { size: (found?.sizeBytes ?? 0) + ENTRY_BYTES });
    return found?.value;
  }

  #read(key: Key): { value: V; sizeBytes: number } | undefined {
    const bytes = mayExist(key) ? this.#database.get(key) : undefined;
    if (bytes === undefined) return undefined;
    return { value: this.#decode(key, bytes), sizeBytes: bytes.length };
  }

  #decode(key: Key, bytes: Buffer): V {
    try {
      const value = decodeValue(this.name, key, bytes) as V;
      return this.#initial === undefined ? value : Object.assign({ ...this.#initial }, value);
    } catch (error) {
      if (error instanceof DamagedRecordError) this.#report(error);
      throw error;
    }
  }

  #report(error: DamagedRecordError): void {
    const key = cacheKeyOf(error.key);
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= REPORTED_MAX) this.#reported.clear();
    this.#reported.add(key);
    this.onDamage?.(error);
  }

  /** Like `get`, for callers that may skip a damaged value: its absence must let no one do more than before. */
  getUnlessDamaged(key: Key): V | undefined {
    return unlessDamaged(() => this.get(key));
  }

  /** Whether there is a value, also a damaged one, without reading it. */
  has(key: Key): boolean {
    return mayExist(key) && this.#database.doesExist(key);
  }

  get count(): number {
    return entryCountOf(this.#database);
  }

  get pageCount(): number {
    return pagesOf(this.#database.getStats() as TreeStats);
  }

  /** Every key in order, also of damaged values. */
  keys(): Generator<Key> {
    return walkKeys(this.#database, {});
  }

  /** Removes every value; inside a transaction. */
  clear(): void {
    this.#cache?.clear();
    this.#reported.clear();
    this.#isCleared = true;
    this.#database.clearSync();
  }

  /** Called after a transaction. If it was undone, the damage is still there, and was reported. */
  settle(outcome: 'committed' | 'undone'): void {
    if (outcome === 'committed' && this.#reported.size > 0) {
      for (const key of this.#touched) this.#reported.delete(key);
    }
    this.#touched.clear();
    this.#isCleared = false;
  }

  #forgetKey(key: Key): void {
    const cacheKey = cacheKeyOf(key);
    this.#cache?.delete(cacheKey);
    this.#touched.add(cacheKey);
  }

  /** The greatest key, also of a damaged value: the next number is counted from it, so that none is given twice. */
  lastKey(): Key | undefined {
    return firstKey(this.#database, { reverse: true });
  }

  /** Every value between two keys, in key order, undefined if it is damaged; `end` is not part of it. */
  *entries(start?: Key, end?: Key): Generator<{ key: Key; value: V | undefined }> {
    for (const { key, value } of walkEntries(this.#database, bounds(start, end))) {
      yield { key, value: unlessDamaged(() => this.#decode(key, value)) };
    }
  }

  /** Every value between two keys that is not damaged, in key order; `end` is not part of it. */
  *values(start?: Key, end?: Key): Generator<V> {
    for (const { value } of this.entries(start, end)) if (value !== undefined) yield value;
  }

  /** At most `limit` undamaged values with their keys, in key order; those behind the key if one is given. */
  after(last: Key | undefined, limit: number): { key: Key; value: V }[] {
    const found: { key: Key; value: V }[] = [];
    const range = last === undefined ? {} : { start: last, exclusiveStart: true };
    for (const { key, value: bytes } of walkEntries(this.#database, range)) {
      if (found.length >= limit) break;
      const value = unlessDamaged(() => this.#decode(key, bytes));
      if (value !== undefined) found.push({ key, value });
    }
    return found;
  }

  /** At most `limit` undamaged values from the end, last first; those before the key if one is given. */
  last(before: Key | undefined, limit: number): V[] {
    const start = before === undefined ? {} : { start: before, exclusiveStart: true };
    const found: V[] = [];
    for (const { key, value: bytes } of walkEntries(this.#database, { reverse: true, ...start })) {
      if (found.length >= limit) break;
      const value = unlessDamaged(() => this.#decode(key, bytes));
      if (value !== undefined) found.push(value);
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

/** Equal for equal keys of one table, all of which have the same parts. */
function cacheKeyOf(key: unknown): string | number {
  return typeof key === 'string' || typeof key === 'number' ? key : JSON.stringify(key);
}

/** Length of the placeholder value of an index with keys only. */
export const INDEX_VALUE_BYTES = 1;
const EMPTY = Buffer.alloc(INDEX_VALUE_BYTES);

/** A table as its readers see it. */
export type Rows<V extends object> = Pick<Table<V>, 'get' | 'getUnlessDamaged' | 'has' | 'count' | 'values'>;

/** Keys, some with searched values beside them; rebuilt from records when it is lost. */
export class Index {
  readonly #database: Database<Buffer, Key>;

  constructor(root: RootDatabase, name: string) {
    this.#database = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
  }

  get count(): number {
    return entryCountOf(this.#database);
  }

  get pageCount(): number {
    return pagesOf(this.#database.getStats() as TreeStats);
  }

  /** Removes every key; inside a transaction. */
  clear(): void {
    this.#database.clearSync();
  }

  /** Keys that begin with the prefix, in order; those behind the key if one is given. */
  under(prefix: readonly Key[], last?: readonly Key[]): Generator<Key[]> {
    const start = last === undefined ? {} : { start: [...last] as Key, exclusiveStart: true };
    return walkKeys(this.#database, { ...prefixed(prefix), ...start }) as Generator<Key[]>;
  }

  hasUnder(prefix: readonly Key[]): boolean {
    return firstKey(this.#database, prefixed(prefix)) !== undefined;
  }

  has(key: readonly Key[]): boolean {
    return this.#database.doesExist([...key] as Key);
  }

  /** The parts that follow the prefix in its keys, each once, in order; one seek each, however many keys have it. */
  *partsUnder(prefix: readonly Key[]): Generator<Key> {
    const end = [...prefix, HIGHEST] as Key;
    let start = [...prefix] as Key;
    for (;;) {
      const key = firstKey(this.#database, { start, end }) as Key[] | undefined;
      const part = key?.[prefix.length];
      if (part === undefined) return;
      yield part;
      start = [...prefix, part, HIGHEST] as Key;
    }
  }

  /** The first part that follows the prefix in its keys and is not before `from`, or is after `after`. */
  nextPart(prefix: readonly Key[], place: { from: Key } | { after: Key }): Key | undefined {
    const start = ['from' in place ? [place.from] : [place.after, HIGHEST]].flat();
    const range = { start: [...prefix, ...start] as Key, end: [...prefix, HIGHEST] as Key };
    const key = firstKey(this.#database, range) as Key[] | undefined;
    return key?.[prefix.length];
  }

  /** Keys whose first part begins with the text, in order. */
  startingWith(text: string): Generator<Key[]> {
    const range = { start: [text] as Key, end: [`${text}${HIGHEST}`] as Key };
    return walkKeys(this.#database, range) as Generator<Key[]>;
  }

  /** Keys under the prefix that sort before `before`, last first. */
  underReversed(prefix: readonly Key[], before?: readonly Key[]): Generator<Key[]> {
    return walkKeys(this.#database, reversed(prefix, before)) as Generator<Key[]>;
  }

  /** `value` holds what walks along the index need of the record, so that they need not read it. */
  put(key: readonly Key[], value?: object): void {
    this.#database.putSync([...key] as Key, value === undefined ? EMPTY : encodeValue(value));
  }

  /** The value beside the key; undefined if there is none, or it is damaged. */
  valueOf(key: readonly Key[]): unknown {
    const bytes = this.#database.get([...key] as Key);
    return bytes === undefined ? undefined : unlessDamaged(() => decodeValue('an index', key, bytes));
  }

  /** Like `underReversed`, with the keys' values; undefined for a missing or damaged one. */
  *entriesReversed(
    prefix: readonly Key[],
    before?: readonly Key[],
  ): Generator<{ key: Key[]; value: unknown }> {
    for (const { key, value } of walkEntries(this.#database, reversed(prefix, before))) {
      const decoded = unlessDamaged(() => decodeValue('an index', key, value));
      yield { key: key as Key[], value: decoded };
    }
  }

  remove(key: readonly Key[]): void {
    this.#database.removeSync([...key] as Key);
  }
}

function prefixed(prefix: readonly Key[]): Range {
  return { start: [...prefix] as Key, end: [...prefix, HIGHEST] as Key };
}

function reversed(prefix: readonly Key[], before: readonly Key[] | undefined): Range {
  const start = before === undefined ? [...prefix, HIGHEST] : [...before];
  return { start: start as Key, end: [...prefix] as Key, reverse: true, exclusiveStart: true };
}

function unlessDamaged<V>(read: () => V): V | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedRecordError) return undefined;
    throw error;
  }
}

/** Fields of a tree that lmdb-js answers and its types leave out. */
export interface TreeStats {
  pageSize: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

export function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

function entryCountOf(database: Database<Buffer, Key>): number {
  return (database.getStats() as { entryCount: number }).entryCount;
}

/** Sorts after every string and number that Assay uses in a key. */
const HIGHEST = '\u{10ffff}';

function bounds(start: Key | undefined, end: Key | undefined): Range {
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}
