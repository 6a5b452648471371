/** What can be written of the rules that somebody made once and that go on by themselves. */
import type { NoticeRule } from '../../domain/automation/notice-rule.ts';
import type { WatchedFile, WatchFolder } from '../../domain/automation/watch-folder.ts';
import type { StoredTrustList } from '../../domain/provenance/trust-list.ts';
import type {
  RecheckedRecord,
  RecheckOutcome,
  StoredRecheck,
} from '../../domain/provenance/trust-recheck.ts';
import { AutomationReader } from './automation-reader.ts';
import { addRecheckedRecord, forgetRecheckedRecords, RECHECK_KEY } from './recheck-rows.ts';
import { putWatchedFile, removeWatchedFile } from './watched-file-rows.ts';

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

  removeWatchedFile(file: WatchedFile): void {
    removeWatchedFile(this.tables, file);
  }

  drainWorker(name: string, at: number): void {
    this.tables.drainedWorkers.put(name, { at });
  }

  resumeWorker(name: string): void {
    this.tables.drainedWorkers.remove(name);
  }
}
