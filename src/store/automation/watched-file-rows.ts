/** Rows of the files of watched folders, counted with their folders. */
import type { WatchedFile } from '../../domain/automation/watch-folder.ts';
import type { Tables } from '../tables/schema.ts';
import { sha256, watchedFileKey } from './automation-reader.ts';

/** Counts it with its folder; a folder that is gone counts nothing. */
export function putWatchedFile(tables: Tables, file: WatchedFile): void {
  const key = watchedFileKey(file.folderId, file.path);
  const before = tables.watchedFiles.getUnlessDamaged(key);
  if (before !== undefined) unindexWatchedFile(tables, before);
  tables.watchedFiles.put(key, file);
  indexWatchedFile(tables, file);
  countWatchedFile(tables, file.folderId, { from: before, to: file });
}

export function indexWatchedFile(tables: Tables, { folderId, state, at, path }: WatchedFile): void {
  tables.watchedFilesByState.put([folderId, state, at, sha256(path)]);
}

export function removeWatchedFile(tables: Tables, file: WatchedFile): void {
  tables.watchedFiles.remove(watchedFileKey(file.folderId, file.path));
  unindexWatchedFile(tables, file);
  countWatchedFile(tables, file.folderId, { from: file, to: undefined });
}

function unindexWatchedFile(tables: Tables, { folderId, state, at, path }: WatchedFile): void {
  tables.watchedFilesByState.remove([folderId, state, at, sha256(path)]);
}

function countWatchedFile(
  tables: Tables,
  folderId: number,
  { from, to }: Record<'from' | 'to', Pick<WatchedFile, 'state' | 'isUnwritten'> | undefined>,
): void {
  const folder = tables.watchFolders.getUnlessDamaged(folderId);
  const [was, is] = [from?.isUnwritten === true, to?.isUnwritten === true];
  if (folder === undefined || (from?.state === to?.state && was === is)) return;
  const counts = { ...folder.counts };
  if (from !== undefined) counts[from.state] = Math.max(0, counts[from.state] - 1);
  if (to !== undefined) counts[to.state] += 1;
  const unwritten = Math.max(0, (folder.unwritten ?? 0) - Number(was) + Number(is));
  tables.watchFolders.put(folderId, { ...folder, counts, unwritten });
}
