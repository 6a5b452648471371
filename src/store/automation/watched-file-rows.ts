/** Rows of the files of watched folders, counted with their folders. */
import type { WatchedFile } from '../../domain/automation/watch-folder.ts';
import { WATCHED_FILES, watchedFileKey } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';

/** Counts it with its folder; a folder that is gone counts nothing. */
export function putWatchedFile(tables: Tables, file: WatchedFile): void {
  const key = watchedFileKey(file.folderId, file.path);
  const before = tables.watchedFiles.getUnlessDamaged(key);
  WATCHED_FILES.put(tables, key, file, before);
  countWatchedFile(tables, file.folderId, { from: before, to: file });
}

export function removeWatchedFile(tables: Tables, file: WatchedFile): void {
  WATCHED_FILES.remove(tables, watchedFileKey(file.folderId, file.path), file);
  countWatchedFile(tables, file.folderId, { from: file, to: undefined });
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
