/** The finished backups, and starting one without waiting for it. */
import { basename } from 'node:path';
import type { BackupEntry, BackupShelf } from '../../domain/contract/backups.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { readManifest } from '../../store/backup/listing.ts';
import { listBackups } from '../../store/backup/shelf.ts';
import { BadBackupError } from '../../store/restore-mark.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { type BackupInput, makeBackup } from './make-backup.ts';
import type { ApplianceParts } from './parts.ts';

/** Descriptions that one answer reads; further backups are listed in the folder. */
const BACKUPS_MAX = 100;

/** Administrators only. */
export async function readBackups(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<BackupShelf> {
  assertAdmin(principal);
  const status = app.backups.status();
  const paths = status.folder === null ? [] : await listBackups(status.folder);
  return { ...status, backups: await Promise.all(paths.slice(0, BACKUPS_MAX).map(readEntry)) };
}

async function readEntry(path: string): Promise<BackupEntry> {
  const name = basename(path);
  try {
    const { createdAt, version, files, bytes, withSecrets } = await readManifest(path);
    const at = Date.parse(createdAt) * MICROSECONDS_PER_MS;
    return { name, version, files, bytes, withSecrets, fault: '', createdAt: at };
  } catch (error) {
    if (!(error instanceof BadBackupError)) throw error;
    const { message } = error;
    return {
      name,
      createdAt: null,
      version: '',
      files: 0,
      bytes: 0,
      withSecrets: false,
      fault: message,
    };
  }
}

/** Resolves once the backup has begun; readBackups shows progress and end. Throws as makeBackup does. */
export async function startBackup(app: ApplianceParts, input: BackupInput): Promise<void> {
  const steps = makeBackup(app, input, new AbortController().signal);
  await steps.next();
  void drain(steps);
}

/** Never rejects. */
async function drain(steps: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of steps);
  } catch {
    // Logged and counted at its source; status shows it.
  }
}
