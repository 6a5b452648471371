/** The state of the machine and its models, and what its administrator does. */
import { listAudit } from '../../app/accounts/audit.ts';
import { createPasswordLink } from '../../app/accounts/passwords.ts';
import { grantCredits } from '../../app/accounts/users.ts';
import { getStatus } from '../../app/appliance/appliance.ts';
import { cancelAnalysis, getQueue, retryAnalysis } from '../../app/appliance/queue.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { toUser } from './account-convert.ts';
import { pageSizeOf, sequencePageOf, sequenceTokenOf } from './accounts.ts';
import { BACKUP_EXCEPTIONS } from './backups.ts';
import { type GrpcContext, unary } from './calls.ts';

const { method } = ApplianceService;

type OfStatus = 'getStatus' | 'listModels' | 'getQueue' | 'cancelAnalysis' | 'retryAnalysis';
type OfAdmin = 'listAuditEntries' | 'resetPassword' | 'grantCredits';

export function applianceHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfStatus> {
  const { app } = context;
  return {
    getStatus: unary(context, method.getStatus, async () =>
      toMessage(method.getStatus.output, await getStatus(app), BACKUP_EXCEPTIONS),
    ),
    listModels: unary(context, method.listModels, async () =>
      toMessage(method.listModels.output, { models: (await getStatus(app)).models }),
    ),
    getQueue: unary(context, method.getQueue, ({ principal, request }) => {
      const queue = getQueue(app, { principal, limit: pageSizeOf(request.pageSize) });
      return toMessage(method.getQueue.output, queue);
    }),
    cancelAnalysis: unary(context, method.cancelAnalysis, async ({ principal, request: { analysisId } }) => ({
      identifiers: await cancelAnalysis(app, { principal, analysisId }),
    })),
    retryAnalysis: unary(context, method.retryAnalysis, async ({ principal, request: { analysisId } }) => ({
      identifiers: await retryAnalysis(app, { principal, analysisId }),
    })),
  };
}

export function administrationHandlers(
  context: GrpcContext,
): Pick<Handlers<typeof ApplianceService>, OfAdmin> {
  const { app } = context;
  return {
    listAuditEntries: unary(context, method.listAuditEntries, ({ principal, request }) => {
      const entries = listAudit(app, { principal, ...sequencePageOf(request) });
      const page = { entries, nextPageToken: sequenceTokenOf(entries) };
      return toMessage(method.listAuditEntries.output, page);
    }),
    resetPassword: unary(context, method.resetPassword, async ({ principal, request }) => {
      const { email } = request;
      return toMessage(method.resetPassword.output, await createPasswordLink(app, { principal, email }));
    }),
    grantCredits: unary(context, method.grantCredits, async ({ principal, request }) => {
      const { id, amount, note } = request;
      const grant = { principal, id: Number(id), amount: Number(amount), note };
      return { user: toUser(await grantCredits(app, grant)) };
    }),
  };
}
