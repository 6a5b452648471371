import type { WatchFolder } from '../../domain/automation/watch-folder.ts';
import { counted } from '../../domain/shown-text.ts';
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
  const why = last === undefined ? '' : `; the last${namesFile ? `, ${last.path}` : ''}: ${last.reason}`;
  return `the results of ${counted(unwritten, 'file')} could not be written${why}`;
}
