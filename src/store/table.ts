/** One LMDB table of checked values, and one kind of index that holds keys only. */
import type { Database, Key, RootDatabase } from 'lmdb';
import { decodeValue, encodeValue } from './codec.ts';

export class Table<V> {
  readonly name: string;
  readonly #database: Database<Buffer, Key>;

  constructor(root: RootDatabase, name: string) {
    this.name = name;
    this.#database = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
  }

  get(key: Key): V | undefined {
    const bytes = this.#database.get(key);
    return bytes === undefined ? undefined : (decodeValue(this.name, key, bytes) as V);
  }

  /** Every value between two keys, in key order; `end` is not part of it. */
  *values(start?: Key, end?: Key): Generator<V> {
    for (const { key, value } of this.#database.getRange(bounds(start, end))) {
      yield decodeValue(this.name, key, value) as V;
    }
  }

  put(key: Key, value: V): void {
    this.#database.putSync(key, encodeValue(value));
  }

  remove(key: Key): void {
    this.#database.removeSync(key);
  }
}

const EMPTY = Buffer.from([0]);

/** Keys only; rebuilt from records when it is lost. */
export class Index {
  readonly #database: Database<Buffer, Key>;

  constructor(root: RootDatabase, name: string) {
    this.#database = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
  }

  /** Keys that begin with the prefix, in order. */
  *under(prefix: readonly Key[]): Generator<Key[]> {
    const end = [...prefix, HIGHEST] as Key;
    for (const key of this.#database.getKeys({ start: [...prefix] as Key, end })) yield key as Key[];
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

/** Sorts after every string and number that Assay uses in a key. */
const HIGHEST = '\u{10ffff}';

function sameKey(left: readonly Key[], right: readonly Key[]): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}

function bounds(start: Key | undefined, end: Key | undefined): { start?: Key; end?: Key } {
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}
