/** Backups at the administrator's word, and what is told of them. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type BackupEntry, readBackups } from '../../app/appliance/backup-list.ts';
import type { BackupStatus } from '../../app/appliance/backups.ts';
import { makeBackup } from '../../app/appliance/make-backup.ts';
import { MICROSECONDS_PER_MS, toTimestamp } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  ApplianceService,
  type BackupEntrySchema,
  BackupPhase,
  type BackupStateSchema,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { timeUnlessNull } from './account-convert.ts';
import { download, type GrpcContext, unary } from './calls.ts';

const { method } = ApplianceService;

const PHASE = {
  records: BackupPhase.RECORDS,
  check: BackupPhase.CHECK,
  files: BackupPhase.FILES,
  done: BackupPhase.DONE,
} as const;

type OfBackups = 'backup' | 'listBackups';

export function backupHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfBackups> {
  return {
    listBackups: unary(context, method.listBackups, async ({ principal }) => ({
      backups: (await readBackups(context.app, { principal })).backups.map(toBackupEntry),
    })),
    backup: download(context, method.backup, async function* ({ principal, request, signal }) {
      const { folder, withSecrets } = request;
      for await (const step of makeBackup(context.app, { principal, folder, withSecrets }, signal)) {
        const { files, bytes, copiedBytes, damaged } = step;
        yield {
          phase: PHASE[step.phase],
          files: BigInt(files),
          bytes: BigInt(bytes),
          copiedBytes: BigInt(copiedBytes),
          path: step.path,
          damaged: BigInt(damaged),
        };
      }
    }),
  };
}

function toBackupEntry({
  createdAt,
  files,
  bytes,
  ...entry
}: BackupEntry): MessageInitShape<typeof BackupEntrySchema> {
  return { ...entry, files: BigInt(files), bytes: BigInt(bytes), ...timeUnlessNull('createdAt', createdAt) };
}

export function toBackupState(status: BackupStatus): MessageInitShape<typeof BackupStateSchema> {
  const { folder, lastGoodAt, lastError, isTooOld, isRunning } = status;
  return {
    folder: folder ?? '',
    ...(lastGoodAt === null ? {} : { lastGoodAt: toTimestamp(Math.round(lastGoodAt * MICROSECONDS_PER_MS)) }),
    lastError: lastError ?? '',
    tooOld: isTooOld,
    running: isRunning,
  };
}
