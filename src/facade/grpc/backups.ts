/** A backup on the administrator's order, followed while it is made. */
import { makeBackup } from '../../app/appliance/make-backup.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { download, type GrpcContext } from './calls.ts';

const { method } = ApplianceService;

export function backupHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, 'backup'> {
  return {
    backup: download(context, method.backup, async function* ({ principal, request, signal }) {
      const { folder, withSecrets } = request;
      for await (const step of makeBackup(context.app, { principal, folder, withSecrets }, signal)) {
        yield toMessage(method.backup.output, step);
      }
    }),
  };
}
