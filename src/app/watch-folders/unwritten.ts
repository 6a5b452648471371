/** A sentence on a watched folder's results that could not be written. */
import type { WatchFolder } from '../../domain/automation/watch-folder.ts';
import type { WatchFolderParts } from './parts.ts';

/** Failed files that are searched for the last one with refused results. */
const FAILED_READ_MAX = 200;

/** Empty if all results could be written. */
export function describeUnwritten(
  { store }: Pick<WatchFolderParts, 'store'>,
  { id, unwritten = 0 }: WatchFolder,
  { namesFile }: { namesFile: boolean },
): string {
  if (unwritten === 0) return '';
  const failed = store.read.automation.watchedFiles({
    folderId: id,
    state: 'failed',
    limit: FAILED_READ_MAX,
  });
  const last = failed.find(({ isUnwritten }) => isUnwritten === true);
  const files = unwritten === 1 ? 'the results of 1 file' : `the results of ${unwritten} files`;
  const why = last === undefined ? '' : `; the last${namesFile ? `, ${last.path}` : ''}: ${last.reason}`;
  return `${files} could not be written${why}`;
}
