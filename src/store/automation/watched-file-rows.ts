/** Rows of the files of watched folders, counted with their folders. */
import type { WatchedFile } from '../../domain/automation/watch-folder.ts';
import type { Tables } from '../schema.ts';
import { sha256, watchedFileKey } from './automation-reader.ts';

/** Counts it with its folder; a folder that is gone counts nothing. */
export function putWatchedFile(tables: Tables, file: WatchedFile): void {
  const key = watchedFileKey(file.folderId, file.path);
  const before = tables.watchedFiles.getUnlessDamaged(key);
  if (before !== undefined) unindexWatchedFile(tables, before);
  tables.watchedFiles.put(key, file);
  indexWatchedFile(tables, file);
  countWatchedFile(tables, file.folderId, { from: before?.state, to: file.state });
}

export function indexWatchedFile(tables: Tables, { folderId, state, at, path }: WatchedFile): void {
  tables.watchedFilesByState.put([folderId, state, at, sha256(path)]);
}

export function removeWatchedFile(tables: Tables, file: WatchedFile): void {
  tables.watchedFiles.remove(watchedFileKey(file.folderId, file.path));
  unindexWatchedFile(tables, file);
  countWatchedFile(tables, file.folderId, { from: file.state, to: undefined });
}

function unindexWatchedFile(tables: Tables, { folderId, state, at, path }: WatchedFile): void {
  tables.watchedFilesByState.remove([folderId, state, at, sha256(path)]);
}

function countWatchedFile(
  tables: Tables,
  folderId: number,
  { from, to }: Record<'from' | 'to', WatchedFile['state'] | undefined>,
): void {
  const folder = tables.watchFolders.getUnlessDamaged(folderId);
  if (folder === undefined || from === to) return;
  const counts = { ...folder.counts };
  if (from !== undefined) counts[from] = Math.max(0, counts[from] - 1);
  if (to !== undefined) counts[to] += 1;
  tables.watchFolders.put(folderId, { ...folder, counts });
}
