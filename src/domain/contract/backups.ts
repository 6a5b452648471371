import { flag, identifier, listOf, long, moment, nounOf, nullable, text, type ValuesOf } from '../field.ts';

const BACKUP = {
  name: 'Backup',
  message: 'BackupEntry',
  fields: {
    /** The name of the backup's folder. */
    name: identifier(),
    /** Null if its description cannot be read. */
    createdAt: nullable(moment()),
    version: text('Version of the daemon that made it.'),
    files: long(),
    bytes: long(),
    withSecrets: flag('Whether it holds the key that seals API keys.'),
    fault: text('Why it cannot be restored; empty where it can.'),
  },
};
export interface BackupEntry extends ValuesOf<typeof BACKUP.fields> {}

const BACKUP_PROGRESS = {
  name: 'BackupProgress',
  message: 'BackupResponse',
  fields: {
    phase: text<'records' | 'check' | 'files' | 'done'>('records, check, files or done.'),
    files: long(),
    bytes: long(),
    copiedBytes: long('Bytes that no earlier backup had.'),
  },
};
export interface BackupProgress extends ValuesOf<typeof BACKUP_PROGRESS.fields> {}

const BACKUP_STATUS = {
  folder: nullable(text('The setting backup.dir; null: no backups are made.')),
  lastGoodAt: nullable(moment()),
  lastError: nullable(text('Why the last try failed.')),
  isTooOld: flag(),
  isRunning: flag(),
  progress: nullable(nounOf(BACKUP_PROGRESS)),
};
export interface BackupStatus extends ValuesOf<typeof BACKUP_STATUS> {}

export const BACKUPS = {
  name: 'Backups',
  fields: {
    ...BACKUP_STATUS,
    backups: listOf(nounOf(BACKUP, 'Newest first; each was read back whole before it got its name.')),
  },
};
export interface BackupShelf extends ValuesOf<typeof BACKUPS.fields> {}
