/**
 * Ranges of LMDB in bounded pages: the only file that iterates LMDB. An iterator keeps its snapshot until it
 * is ended, and meanwhile no later transaction reuses a page: left half-way it lets the file grow for ever.
 * So each page is read to its end at once; a walk sees what is written between two of its pages.
 */
import type { Database, Key, RangeOptions } from 'lmdb';

export interface Entry {
  key: Key;
  value: Buffer;
}

/** A range within one table; `start` is where it begins, also in reverse. */
export type Range = Pick<RangeOptions, 'start' | 'end' | 'reverse' | 'exclusiveStart'>;

/** Most walks want the first rows only. */
const FIRST_PAGE_ROWS = 8;
/** The event loop waits for a page: so many rows take about a millisecond. */
const PAGE_ROWS_MAX = 256;
/** A result of many frames has hundreds of kilobytes, and a page stays in memory while it is walked. */
const PAGE_BYTES_MAX = 1024 ** 2;

/** LMDB throws on a look-up of a key beyond 4026 bytes, and callers' texts are looked up. No stored key is longer. */
const KEY_TEXT_CHARACTERS_MAX = 1024;

/** False if no such key can have been written. */
export function mayExist(key: Key | undefined): boolean {
  return [key].flat().every((part) => typeof part !== 'string' || part.length <= KEY_TEXT_CHARACTERS_MAX);
}

/** Keys of the range in its order; values are not read. */
export function* walkKeys(database: Database<Buffer, Key>, range: Range): Generator<Key> {
  yield* walk(
    range,
    (key) => key,
    (from, rowsMax) => readKeys(database, from, rowsMax),
  );
}

export function* walkEntries(database: Database<Buffer, Key>, range: Range): Generator<Entry> {
  yield* walk(
    range,
    ({ key }) => key,
    (from, rowsMax) => readEntries(database, from, rowsMax),
  );
}

/** The first key of the range; undefined if it is empty. */
export function firstKey(database: Database<Buffer, Key>, range: Range): Key | undefined {
  return mayExist(range.start) ? readKeys(database, range, 1).rows[0] : undefined;
}

interface Page<Row> {
  rows: Row[];
  isLast: boolean;
}

function* walk<Row>(
  range: Range,
  keyOf: (row: Row) => Key,
  readPage: (from: Range, rowsMax: number) => Page<Row>,
): Generator<Row> {
  if (!mayExist(range.start)) return;
  let from = range;
  for (let rowsMax = FIRST_PAGE_ROWS; ; rowsMax = Math.min(2 * rowsMax, PAGE_ROWS_MAX)) {
    const { rows, isLast } = readPage(from, rowsMax);
    yield* rows;
    const last = rows.at(-1);
    if (isLast || last === undefined) return;
    from = { ...range, start: keyOf(last), exclusiveStart: true };
  }
}

function readKeys(database: Database<Buffer, Key>, range: Range, rowsMax: number): Page<Key> {
  const rows = [...database.getKeys({ ...range, limit: rowsMax })];
  return { rows, isLast: rows.length < rowsMax };
}

function readEntries(database: Database<Buffer, Key>, range: Range, rowsMax: number): Page<Entry> {
  const rows: Entry[] = [];
  let bytes = 0;
  for (const { key, value } of database.getRange({ ...range, limit: rowsMax })) {
    rows.push({ key, value });
    bytes += value.length;
    if (bytes >= PAGE_BYTES_MAX) return { rows, isLast: false };
  }
  return { rows, isLast: rows.length < rowsMax };
}
