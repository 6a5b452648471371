/** The way back from an upgrade: the records from before replace the present ones in one step; losses are counted first. */
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../domain/error-code.ts';
import { OperatorFault } from '../domain/operator-fault.ts';
import { FolderLock } from './lock.ts';
import { BEFORE_UPGRADE_FOLDER, holdsRecords } from './migrations.ts';
import { openRecordsCopy, type RecordsCopy } from './records-copy.ts';
import { assertNotHalfRestored, writeRestoredMark } from './restore-mark.ts';
import { assertOwner } from './space/compact.ts';
import { flushFolder, renameDurably } from './space/folder.ts';

/** The reason why the records cannot be taken back; nothing was changed. */
export class NoWayBackError extends OperatorFault {
  override readonly name = 'NoWayBackError';
}

export interface RollbackOrder {
  dataFolder: string;
  /** Counts and judges everything, and changes nothing. */
  isDryRun: boolean;
  /** Who goes back, for the custody log. */
  operator: string;
}

export interface RolledBack {
  /** Formats of the records before and after it. */
  from: number;
  to: number;
  /** When the copy was made, ISO 8601: what was accepted later is lost. */
  copiedAt: string;
  /** Present records that the copy does not have. */
  lost: number;
  /** Records that were deleted since the copy: they come back, without their media. */
  returning: number;
  /** Where the present records are kept; null in a dry run. */
  keptIn: string | null;
}

const AFTER_UPGRADE_FOLDER = 'after-upgrade';
const COPY_NAME = /^format-(\d+)$/;

/** Needs a folder without a running daemon. Throws NoWayBackError, and then changed nothing. */
export async function rollBack(order: RollbackOrder, signal: AbortSignal): Promise<RolledBack> {
  const { dataFolder, isDryRun, operator } = order;
  await assertOwner(dataFolder);
  await using _ = await FolderLock.acquire(dataFolder);
  await assertNotHalfRestored(dataFolder);
  const to = await newestCopy(dataFolder);
  const copy = join(dataFolder, BEFORE_UPGRADE_FOLDER, `format-${to}`);
  const { mtime } = await stat(join(copy, 'records', 'data.mdb'));
  const found = await compare(join(dataFolder, 'records'), join(copy, 'records'), signal);
  // The same format: an upgrade broke off in its first step, which the copy undoes.
  if (found.from < to) {
    throw new NoWayBackError(
      `the records have format ${found.from}, and the copy in ${copy} the newer format ${to}: it leads forward, not back`,
    );
  }
  const rolledBack = { ...found, to, copiedAt: mtime.toISOString() };
  if (isDryRun) return { ...rolledBack, keptIn: null };
  const keptIn = await keepRecords(dataFolder, found.from);
  // The copy itself is moved: if it stayed, the next upgrade would take it for its own copy.
  await renameDurably(join(copy, 'records', 'data.mdb'), join(dataFolder, 'records', 'data.mdb'));
  const restoredAt = new Date().toISOString();
  await writeRestoredMark(dataFolder, { restoredAt, backupCreatedAt: rolledBack.copiedAt, operator });
  await rm(copy, { recursive: true });
  return { ...rolledBack, keptIn };
}

async function newestCopy(dataFolder: string): Promise<number> {
  const parent = join(dataFolder, BEFORE_UPGRADE_FOLDER);
  const names = await readdir(parent).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const formats: number[] = [];
  for (const name of names) {
    const format = Number(COPY_NAME.exec(name)?.[1] ?? 0);
    if (format > 0 && (await holdsRecords(join(parent, name)))) formats.push(format);
  }
  if (formats.length > 0) return Math.max(...formats);
  throw new NoWayBackError(
    `${parent} holds no copy: no upgrade changed these records, and an older version reads them as they are, unless ` +
      'the copy was removed; then only a backup leads back',
  );
}

async function compare(
  current: string,
  before: string,
  signal: AbortSignal,
): Promise<Pick<RolledBack, 'from' | 'lost' | 'returning'>> {
  await using now = await openRecordsCopy(current);
  await using copy = await openRecordsCopy(before);
  await copy.check(signal);
  const lost = countMissing(now, copy);
  return { from: now.format, lost, returning: countMissing(copy, now) };
}

function countMissing(from: RecordsCopy, other: RecordsCopy): number {
  let count = 0;
  for (const id of from.identifiers()) if (!other.hasRecord(id)) count += 1;
  return count;
}

/** Gives the file a second name; the first goes in the step that places the copy, so records are there at every instant. */
async function keepRecords(dataFolder: string, format: number): Promise<string> {
  const parent = join(dataFolder, AFTER_UPGRADE_FOLDER);
  const kept = join(parent, `format-${format}-${new Date().toISOString().replaceAll(':', '')}`);
  await mkdir(join(kept, 'records'), { recursive: true, mode: 0o700 });
  await link(join(dataFolder, 'records', 'data.mdb'), join(kept, 'records', 'data.mdb'));
  for (const folder of [join(kept, 'records'), kept, parent, dataFolder]) await flushFolder(folder);
  return kept;
}
