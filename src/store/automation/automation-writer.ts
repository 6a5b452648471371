import type { NoticeRule } from '../../domain/automation/notice-rule.ts';
import type { WatchedFile, WatchFolder } from '../../domain/automation/watch-folder.ts';
import type { StoredTrustList } from '../../domain/provenance/trust-list.ts';
import type {
  RecheckedRecord,
  RecheckOutcome,
  StoredRecheck,
} from '../../domain/provenance/trust-recheck.ts';
import { WATCHED_FILES, watchedFileKey } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';
import { AutomationReader } from './automation-reader.ts';
import { addRecheckedRecord, forgetRecheckedRecords, RECHECK_KEY } from './recheck-rows.ts';

export class AutomationWriter extends AutomationReader {
  putNoticeRule(rule: NoticeRule): void {
    this.tables.noticeRules.put(rule.id, rule);
  }

  removeNoticeRule(id: number): void {
    this.tables.noticeRules.remove(id);
  }

  putTrustList(list: StoredTrustList): void {
    this.tables.trustLists.put(list.id, list);
  }

  removeTrustList(id: string): void {
    this.tables.trustLists.remove(id);
  }

  putTrustRecheck(recheck: StoredRecheck): void {
    this.tables.trustRecheck.put(RECHECK_KEY, recheck);
  }

  addRecheckedRecord(record: Omit<RecheckedRecord, 'sequence'>): void {
    addRecheckedRecord(this.tables, record);
  }

  forgetRecheckedRecords(outcomes: readonly RecheckOutcome[]): void {
    forgetRecheckedRecords(this.tables, outcomes);
  }

  putWatchFolder(folder: WatchFolder): void {
    this.tables.watchFolders.put(folder.id, folder);
  }

  removeWatchFolder(id: number): void {
    this.tables.watchFolders.remove(id);
  }

  putWatchedFile(file: WatchedFile): void {
    putWatchedFile(this.tables, file);
  }

  removeWatchedFile(file: Pick<WatchedFile, 'folderId' | 'path'>): void {
    removeWatchedFile(this.tables, file);
  }

  drainWorker(name: string, at: number): void {
    this.tables.drainedWorkers.put(name, { at });
  }

  resumeWorker(name: string): void {
    this.tables.drainedWorkers.remove(name);
  }
}

/** Counts the file in its folder's row, if the folder is still there. */
function putWatchedFile(tables: Tables, file: WatchedFile): void {
  const key = watchedFileKey(file.folderId, file.path);
  const before = tables.watchedFiles.getUnlessDamaged(key);
  WATCHED_FILES.put(tables, key, file, before);
  countWatchedFile(tables, file.folderId, { from: before, to: file });
}

/** Removes the file as it is stored now, whatever the caller has read before. */
function removeWatchedFile(tables: Tables, { folderId, path }: Pick<WatchedFile, 'folderId' | 'path'>): void {
  const key = watchedFileKey(folderId, path);
  const before = tables.watchedFiles.getUnlessDamaged(key);
  if (before === undefined) return;
  WATCHED_FILES.remove(tables, key, before);
  countWatchedFile(tables, folderId, { from: before, to: undefined });
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
