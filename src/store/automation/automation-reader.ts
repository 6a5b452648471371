/** Reads the rules that somebody made once and that run by themselves. */
import { createHash } from 'node:crypto';
import type { Key } from 'lmdb';
import type { NoticeRule } from '../../domain/automation/notice-rule.ts';
import type { WatchedFile, WatchedFileState, WatchFolder } from '../../domain/automation/watch-folder.ts';
import type { StoredTrustList } from '../../domain/provenance/trust-list.ts';
import type { RecheckedRecord, StoredRecheck } from '../../domain/provenance/trust-recheck.ts';
import { watchedFileKey } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';
import { RECHECK_KEY } from './recheck-rows.ts';

/** Addresses and paths are hashed, since LMDB's keys are bounded. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface WatchedFilesQuery {
  folderId: number;
  state: WatchedFileState;
  /** When the last file of the page before came to its state. */
  before?: number | undefined;
  limit: number;
}

export interface PendingNotice {
  at: number;
  identifier: string;
}

export class AutomationReader {
  protected readonly tables: Tables;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** A damaged rule sends nothing. */
  noticeRule(id: number): NoticeRule | undefined {
    return this.tables.noticeRules.getUnlessDamaged(id);
  }

  /** In the order in which they were made; damaged ones, which send nothing, are left out. */
  noticeRules(): NoticeRule[] {
    return [...this.tables.noticeRules.values()];
  }

  trustLists(): StoredTrustList[] {
    return [...this.tables.trustLists.values()];
  }

  /** A damaged one reads as none, so that another can be begun. */
  trustRecheck(): StoredRecheck | undefined {
    return this.tables.trustRecheck.getUnlessDamaged(RECHECK_KEY);
  }

  /** Newest first, those before the sequence if one is given. */
  recheckedRecords({ before, limit }: { before?: number | undefined; limit: number }): RecheckedRecord[] {
    return this.tables.recheckedRecords.last(before, limit);
  }

  hasNoticeRules(): boolean {
    return this.tables.noticeRules.count > 0;
  }

  newestNoticeRuleId(): number {
    return Number(this.tables.noticeRules.lastKey() ?? 0);
  }

  /** In the order in which their analyses ended. */
  pendingNotices(limit: number): PendingNotice[] {
    const found: PendingNotice[] = [];
    for (const [at, identifier] of this.tables.pendingNotices.under([])) {
      if (found.length >= limit) break;
      found.push({ at: Number(at), identifier: String(identifier) });
    }
    return found;
  }

  watchFolder(id: number): WatchFolder | undefined {
    return this.tables.watchFolders.get(id);
  }

  /** In the order in which they were made; damaged ones, which take nothing in, are left out. */
  watchFolders(): WatchFolder[] {
    return [...this.tables.watchFolders.values()];
  }

  /** The highest id of a folder, also of one that only its files still name. */
  newestWatchFolderId(): number {
    const [ofFile] = [this.tables.watchedFiles.lastKey() ?? 0].flat();
    return Math.max(Number(this.tables.watchFolders.lastKey() ?? 0), Number(ofFile));
  }

  /** A file with a damaged row is unknown: submitted again, it is answered by its request identifier or from the cache. */
  watchedFile(folderId: number, path: string): WatchedFile | undefined {
    return this.tables.watchedFiles.getUnlessDamaged(watchedFileKey(folderId, path));
  }

  /** Newest first. */
  watchedFiles({ folderId, state, before, limit }: WatchedFilesQuery): WatchedFile[] {
    const last = before === undefined ? undefined : [folderId, state, before];
    const found: WatchedFile[] = [];
    for (const key of this.tables.watchedFilesByState.underReversed([folderId, state], last)) {
      if (found.length >= limit) break;
      const file = this.tables.watchedFiles.getUnlessDamaged([folderId, String(key.at(-1))]);
      if (file !== undefined) found.push(file);
    }
    return found;
  }

  /** A damaged row counts as drained. */
  isDrainedWorker(name: string): boolean {
    return this.tables.drainedWorkers.has(name);
  }

  /** By name. */
  drainedWorkers(): string[] {
    return Array.from(this.tables.drainedWorkers.keys(), String);
  }

  /** Files in any state, in no particular order, that come after `after`. */
  someWatchedFiles(folderId: number, after: string | undefined, limit: number): WatchedFile[] {
    const start = after === undefined ? [folderId, ''] : watchedFileKey(folderId, after);
    const found: WatchedFile[] = [];
    for (const { value } of this.tables.watchedFiles.entries(start as Key, [folderId + 1, ''] as Key)) {
      if (value === undefined || value.path === after) continue;
      found.push(value);
      if (found.length >= limit) break;
    }
    return found;
  }
}
