import type { BackupProgress } from '../../domain/contract/backups.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

export interface BackupStep extends BackupProgress {
  /** Path of the finished backup; empty before. */
  path: string;
  damaged: number;
}

export interface BackupInput {
  principal: Principal;
  /** Relative to `backup.dir`; empty for that itself. */
  folder: string;
  withSecrets: boolean;
}

/** The newest state each time the caller asks, then the finished backup. Administrators only. */
export async function* makeBackup(
  app: ApplianceParts,
  { principal, folder, withSecrets }: BackupInput,
  signal: AbortSignal,
): AsyncGenerator<BackupStep> {
  assertAdmin(principal);
  let latest: BackupProgress | undefined;
  let wake = Promise.withResolvers<void>();
  const report = (progress: BackupProgress) => {
    latest = progress;
    wake.resolve();
  };
  const made = app.backups.make({ folder, withSecrets }, report, signal);
  const settled = made.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([settled, wake.promise.then(() => false)]))) {
    wake = Promise.withResolvers<void>();
    if (latest !== undefined) yield { ...latest, path: '', damaged: 0 };
  }
  const { path, manifest, copiedBytes, damaged } = await made;
  const details = { files: String(manifest.files), secrets: String(withSecrets) };
  await app.store.transact((tx) =>
    tx.log.appendAudit(auditLine(app, principal, 'backup.create', path, details)),
  );
  const { files, bytes } = manifest;
  yield { phase: 'done', files, bytes, copiedBytes, path, damaged: damaged.length };
}
