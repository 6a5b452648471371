/** Backups on the administrator's order, and their state. */
import { readBackups } from '../../app/appliance/backup-list.ts';
import type { BackupStatus } from '../../app/appliance/backups.ts';
import { makeBackup } from '../../app/appliance/make-backup.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { download, type GrpcContext, unary } from './calls.ts';

const { method } = ApplianceService;

type OfBackups = 'backup' | 'listBackups';

export function backupHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfBackups> {
  return {
    listBackups: unary(context, method.listBackups, async ({ principal }) =>
      toMessage(method.listBackups.output, await readBackups(context.app, { principal })),
    ),
    backup: download(context, method.backup, async function* ({ principal, request, signal }) {
      const { folder, withSecrets } = request;
      for await (const step of makeBackup(context.app, { principal, folder, withSecrets }, signal)) {
        yield toMessage(method.backup.output, step);
      }
    }),
  };
}

/** With milliseconds of the file's own time. */
export const BACKUP_EXCEPTIONS = {
  'assay.v1.BackupState': {
    lastGoodAt: ({ lastGoodAt }: BackupStatus) =>
      lastGoodAt === null ? null : Math.round(lastGoodAt * MICROSECONDS_PER_MS),
    tooOld: ({ isTooOld }: BackupStatus) => isTooOld,
    running: ({ isRunning }: BackupStatus) => isRunning,
  },
};
