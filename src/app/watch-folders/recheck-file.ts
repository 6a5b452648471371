/** A judged file with another inode or change time: its mode or name was changed, or it is another. Content decides. */
import type { FileHandle } from 'node:fs/promises';
import type { WatchedFile } from '../../domain/automation/watch-folder.ts';
import { type FileLook, isSameLook, toLook } from '../../machinery/file-look.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { hashOf } from './judged-file.ts';
import type { WatchFolderParts } from './parts.ts';

export interface Recheck {
  row: WatchedFile;
  look: FileLook;
  handle: FileHandle;
}

/** False if it is another file, which must be judged. Rejects if `signal` aborted. */
export async function isStillJudged(
  app: WatchFolderParts,
  { row, look, handle }: Recheck,
  signal: AbortSignal,
): Promise<boolean> {
  const judged = row.hash ?? app.store.read.records.get(row.identifier)?.hash;
  const hash = await hashOf(handle, signal);
  // It is being written: a later pass takes it.
  if (!isSameLook(toLook(await handle.stat({ bigint: true })), look)) return true;
  if (judged !== undefined && hash !== judged) return false;
  const { changedNs } = look;
  // On a file system that changes an unchanged file's inode each time, it would be read at every pass.
  const inode = row.changedNs === changedNs ? undefined : look.inode;
  await app.store.transact((tx) => {
    const current = sameRow(tx, row);
    if (current !== undefined) tx.automation.putWatchedFile({ ...current, changedNs, inode });
  });
  return true;
}

/** Tries once more to write results that could not be written. */
export async function finishAgain(app: WatchFolderParts, row: WatchedFile): Promise<void> {
  await app.store.transact((tx) => {
    const current = sameRow(tx, row);
    if (current !== undefined) tx.automation.putWatchedFile(toSubmitted(current, app.clock.now()));
  });
}

/** Its state before its results were refused. */
export function toSubmitted(row: WatchedFile, now: number): WatchedFile {
  const { isUnwritten: _, ...rest } = row;
  return { ...rest, state: 'submitted', reason: '', retryAt: null, at: now };
}

/** Undefined if its row changed meanwhile. */
export function sameRow(
  tx: StoreTransaction,
  { folderId, path, identifier, at }: WatchedFile,
): WatchedFile | undefined {
  const current = tx.automation.watchedFile(folderId, path);
  return current?.identifier === identifier && current.at === at ? current : undefined;
}
