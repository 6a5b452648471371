/** Restores into an empty folder: all is hashed before anything is written, and records come last, behind a mark. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import { FolderLock, LOCK_ENTRIES } from '../lock.ts';
import { openRecordsCopy } from '../records-copy.ts';
import { BadBackupError, RESTORE_MARK, writeRestoredMark } from '../restore-mark.ts';
import { flushFile, flushFolder } from '../space/folder.ts';
import { FORMAT_VERSION } from '../tables/schema.ts';
import {
  type BackupManifest,
  findStrangers,
  hashFile,
  LISTING_FILE,
  readListing,
  readManifest,
} from './listing.ts';

export interface RestoreOrder {
  backup: string;
  dataFolder: string;
  /** Judges everything and writes nothing. */
  isDryRun: boolean;
  /** Who restores, for the custody log. */
  operator: string;
}

export interface Restored {
  manifest: BackupManifest;
  /** Values of all tables; null in a dry run. */
  values: number | null;
}

/** The faults of a backup, file by file. */
export class DamagedBackupError extends BadBackupError {
  readonly damages: readonly string[];

  constructor(backup: string, damages: readonly string[]) {
    const shown = damages.slice(0, SHOWN_MAX).map((damage) => `  ${damage}`);
    if (damages.length > SHOWN_MAX) shown.push(`  and ${damages.length - SHOWN_MAX} more`);
    super(`the backup ${backup} is damaged; nothing was restored:\n${shown.join('\n')}`);
    this.damages = damages;
  }
}

/** Faults that the message shows, for a person. */
const SHOWN_MAX = 20;
/** Entries that a file system makes by itself, and those that the last holder left. */
const EMPTY_ENTRIES: readonly string[] = ['lost+found', ...LOCK_ENTRIES];

/** Throws BadBackupError, DamagedBackupError, or an Error that says what to do. */
export async function restoreBackup(order: RestoreOrder, signal: AbortSignal): Promise<Restored> {
  const { backup, dataFolder, isDryRun } = order;
  await assertEmpty(dataFolder);
  const manifest = await readManifest(backup);
  if (manifest.formatVersion > FORMAT_VERSION) {
    throw new BadBackupError(
      `the backup ${backup} has format ${manifest.formatVersion}, this version reads up to ${FORMAT_VERSION}: ` +
        `restore it with Assay ${manifest.version} or newer`,
    );
  }
  await checkFiles(backup, manifest, signal);
  if (isDryRun) return { manifest, values: null };
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await using _ = await FolderLock.acquire(dataFolder);
  // Reading the backup took a while: a daemon or another restore may have begun meanwhile.
  await assertEmpty(dataFolder);
  const mark = join(dataFolder, RESTORE_MARK);
  await writeFile(mark, 'A restore into this folder did not finish: empty the folder and restore again.\n');
  await flushFolder(dataFolder);
  const values = await copyFiles(order, signal);
  const restored = { restoredAt: new Date().toISOString(), backupCreatedAt: manifest.createdAt };
  await writeRestoredMark(dataFolder, { ...restored, operator: order.operator });
  await rm(mark);
  await flushFolder(dataFolder);
  return { manifest, values };
}

async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const found = names.filter((name) => !EMPTY_ENTRIES.includes(name));
  if (found.length === 0) return;
  throw new BadBackupError(
    `the data folder ${folder} is not empty (${found.slice(0, 3).join(', ')}): expected an empty or a new folder`,
  );
}

/** Reads the whole backup; every damage is named, not only the first. */
async function checkFiles(backup: string, manifest: BackupManifest, signal: AbortSignal): Promise<void> {
  const listing = await hashFile(join(backup, LISTING_FILE), signal).catch(() => undefined);
  if (listing?.sha256 !== manifest.listingSha256) {
    throw new DamagedBackupError(backup, [
      `${LISTING_FILE}: ${listing === undefined ? 'missing' : 'changed'}`,
    ]);
  }
  // Looked for first: a pipe would be read forever, and a link shows bytes outside of the backup.
  const damages = await findStrangers(backup);
  if (damages.length > 0) throw new DamagedBackupError(backup, damages);
  for await (const { path, sha256 } of readListing(backup)) {
    const found = await hashFile(join(backup, path), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return codeOf(error) === 'ENOENT' ? 'missing' : `cannot be read (${codeOf(error)})`;
    });
    if (typeof found === 'string') damages.push(`${path}: ${found}`);
    else if (found.sha256 !== sha256) damages.push(`${path}: its bytes have changed`);
  }
  if (damages.length > 0) throw new DamagedBackupError(backup, damages);
}

async function copyFiles({ backup, dataFolder }: RestoreOrder, signal: AbortSignal): Promise<number> {
  const folders = new Set<string>();
  for await (const { path, sha256 } of readListing(backup)) {
    signal.throwIfAborted();
    const target = join(dataFolder, path);
    if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    folders.add(dirname(target));
    await copyFile(join(backup, path), target);
    await flushFile(target);
    // Read back, since the disk may be the part that failed.
    if ((await hashFile(target, signal)).sha256 !== sha256) {
      throw new Error(
        `${target} does not read back as it was written: the disk of the data folder is failing`,
      );
    }
  }
  for (const folder of folders) await flushFolder(folder);
  await using records = await openRecordsCopy(join(dataFolder, 'records'));
  return await records.check(signal);
}
