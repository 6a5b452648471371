/** Copies the values to a new, smaller file, compares them, and renames it in one step: LMDB never gives pages back. */
import { mkdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { codeOf } from '../../domain/error-code.ts';
import { walkEntries, walkKeys } from '../tables/ranges.ts';
import { FORMAT_VERSION, openTables, readMeta, TABLES_MAX } from '../tables/schema.ts';
import { EPOCH_KEY } from '../tables/stored-custody.ts';
import { flushFile, renameDurably } from './folder.ts';
import { readSpace, type StoreSpace } from './space.ts';

export interface Compacted {
  bytesBefore: number;
  bytesAfter: number;
}

/** The reason why the records could not be compacted; nothing was changed. */
export class NotCompactedError extends Error {
  override readonly name = 'NotCompactedError';
}

/** Beside the records while a copy is made (lmdb-js takes a name with a dot for a file); a start removes a leftover. */
const PARTIAL_FOLDER = 'records-compact';
/** A smaller file is not worth the time of a start. */
export const COMPACT_BYTES_MIN = 256 * 1024 ** 2;
/** Least free share; less is what the next weeks of work use. */
const COMPACT_FREE_SHARE = 0.5;
/** Free space beyond the copy: the start goes on writing. */
const SPARE_BYTES = 64 * 1024 ** 2;
const ROWS_PER_TURN = 10_000;

const MEGABYTE = 1e6;
const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(0)} MB`;

/** Whether a compaction is worth its time: `assay doctor` advises it then, and a start does it. */
export function isWorthCompacting({ bytes, freeBytes }: StoreSpace, bytesMin = COMPACT_BYTES_MIN): boolean {
  return bytes >= bytesMin && freeBytes > COMPACT_FREE_SHARE * bytes;
}

/** At a start, in a locked folder, before the records are opened. `report` gets a fault; the records then stay. */
export async function compactIfWorth(
  folder: string,
  { report, bytesMin }: { report: (message: string) => void; bytesMin?: number | undefined },
): Promise<void> {
  await rm(join(folder, PARTIAL_FOLDER), { recursive: true, force: true });
  const bytes = await recordsSize(folder);
  if (bytes < (bytesMin ?? COMPACT_BYTES_MIN)) return;
  try {
    const space = await readSpaceOf(folder, bytes);
    if (!isWorthCompacting(space, bytesMin)) return;
    const free = megabytes(space.freeBytes);
    report(`${free} of the ${megabytes(bytes)} of the records are free; they are compacted`);
    const { bytesAfter } = await compactRecords(folder);
    report(`the records have ${megabytes(bytesAfter)} now`);
  } catch (error) {
    report(`the records were not compacted, and are used as they are: ${String(error)}`);
  }
}

/** The daemon could not open files that another user makes. Checked before the folder is locked, which makes files too. */
export async function assertOwner(folder: string): Promise<void> {
  const { uid } = await stat(dataFile(folder));
  const own = process.geteuid?.();
  if (own === uid) return;
  throw new NotCompactedError(
    `the records belong to user ${uid}, this is user ${own}: run it as their owner`,
  );
}

/** Needs a locked folder and closed records. Throws NotCompactedError, and then changed nothing. */
export async function compactRecords(folder: string): Promise<Compacted> {
  const bytesBefore = await recordsSize(folder);
  if (bytesBefore === 0) throw new NotCompactedError(`${folder} is no data folder: it has no records`);
  const partial = join(folder, PARTIAL_FOLDER);
  await rm(partial, { recursive: true, force: true });
  const { bytes, freeBytes } = await readSpaceOf(folder, bytesBefore);
  await assertRoom(folder, bytes - freeBytes);
  await mkdir(partial, { mode: 0o700 });
  try {
    await copyRecords(folder, partial);
    await flushFile(join(partial, 'data.mdb'));
    await renameDurably(join(partial, 'data.mdb'), dataFile(folder));
    return { bytesBefore, bytesAfter: await recordsSize(folder) };
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

const dataFile = (folder: string): string => join(folder, 'records', 'data.mdb');

/** 0 if there are no records yet. */
async function recordsSize(folder: string): Promise<number> {
  const found = await stat(dataFile(folder)).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return { size: 0 };
    throw error;
  });
  return found.size;
}

async function readSpaceOf(folder: string, bytes: number): Promise<StoreSpace> {
  await using records = openRecords(join(folder, 'records'));
  const tables = openTables(records.root);
  const format = readMeta(tables)?.formatVersion ?? 0;
  if (format > FORMAT_VERSION) {
    const known = `this version knows up to ${FORMAT_VERSION}`;
    throw new NotCompactedError(
      `the data folder has format ${format}, ${known}: use the version that wrote it`,
    );
  }
  return readSpace(records.root, tables, bytes);
}

async function assertRoom(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = neededBytes + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  throw new NotCompactedError(
    `the disk of ${folder} takes ${megabytes(bavail * bsize)}, the copy needs ${megabytes(needed)}: make room`,
  );
}

interface OpenRecords extends AsyncDisposable {
  root: RootDatabase;
}

function openRecords(path: string): OpenRecords {
  const root = open({ path, maxDbs: TABLES_MAX });
  return { root, [Symbol.asyncDispose]: () => root.close() };
}

async function copyRecords(folder: string, partial: string): Promise<void> {
  await using from = openRecords(join(folder, 'records'));
  await from.root.backup(partial, true);
  await using to = openRecords(partial);
  await assertSame(from.root, to.root);
  await keepEpoch(to.root, { from: (await stat(dataFile(folder))).ino, partial });
}

/** Compares key by key and byte by byte; damaged values are copied as they are. */
async function assertSame(from: RootDatabase, to: RootDatabase): Promise<void> {
  for (const name of [...walkKeys(from, {})].map(String)) {
    const tables = [from, to].map((root) => root.openDB<Buffer, Key>(name, { encoding: 'binary' }));
    const [left, right] = tables as [Database<Buffer, Key>, Database<Buffer, Key>];
    const copied = walkEntries(right, {});
    let rows = 0;
    for (const { key, value } of walkEntries(left, {})) {
      const other = copied.next().value as { key: Key; value: Buffer } | undefined;
      const isSame =
        JSON.stringify(other?.key) === JSON.stringify(key) && other?.value.equals(value) === true;
      if (!isSame) throw new NotCompactedError(`the copy differs from the records in ${name}`);
      rows += 1;
      if (rows % ROWS_PER_TURN === 0) await nextTurn();
    }
    if (copied.next().done !== true)
      throw new NotCompactedError(`the copy has more than the records in ${name}`);
  }
}

/** The log knows its box by the file's inode: the new file continues the log, and a copied folder is still recognised. */
async function keepEpoch(
  root: RootDatabase,
  { from, partial }: { from: number; partial: string },
): Promise<void> {
  const { custodyHead } = openTables(root);
  const epoch = custodyHead.getUnlessDamaged(EPOCH_KEY);
  if (epoch === undefined || !('inode' in epoch) || epoch.inode !== from) return;
  const { ino } = await stat(join(partial, 'data.mdb'));
  root.transactionSync(() => custodyHead.put(EPOCH_KEY, { ...epoch, inode: ino }));
  await root.flushed;
}
