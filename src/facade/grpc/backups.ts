/** Backups at the administrator's word, and what is told of them. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { BackupStatus } from '../../app/backups.ts';
import { makeBackup } from '../../app/make-backup.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  ApplianceService,
  BackupPhase,
  type BackupStateSchema,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { download, type GrpcContext } from './calls.ts';
import { toTimestamp } from './convert.ts';

const { method } = ApplianceService;

const PHASE = {
  records: BackupPhase.RECORDS,
  check: BackupPhase.CHECK,
  files: BackupPhase.FILES,
  done: BackupPhase.DONE,
} as const;

export function backupHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, 'backup'> {
  return {
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
