/** The state of the machine and its models, and what its administrator does. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { listAudit } from '../../app/accounts/audit.ts';
import { createPasswordLink } from '../../app/accounts/passwords.ts';
import { grantCredits } from '../../app/accounts/users.ts';
import { type ApplianceStatus, getStatus, type ModelStatus } from '../../app/appliance/appliance.ts';
import { cancelAnalysis, getQueue, type QueueEntry, retryAnalysis } from '../../app/appliance/queue.ts';
import type { AuditEntry } from '../../domain/accounts/audit.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  ApplianceService,
  type AuditEntrySchema,
  type GetStatusResponseSchema,
  type ModelSchema,
  Phase,
  type QueueEntrySchema,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { timeUnlessNull, toUser } from './account-convert.ts';
import { pageSizeOf, sequencePageOf, sequenceTokenOf } from './accounts.ts';
import { toBackupState } from './backups.ts';
import { type GrpcContext, unary } from './calls.ts';
import { KIND } from './enums.ts';

const { method } = ApplianceService;

type OfStatus = 'getStatus' | 'listModels' | 'getQueue' | 'cancelAnalysis' | 'retryAnalysis';
type OfAdmin = 'listAuditEntries' | 'resetPassword' | 'grantCredits';

export function applianceHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfStatus> {
  const { app } = context;
  return {
    getStatus: unary(context, method.getStatus, async () => toStatus(await getStatus(app))),
    listModels: unary(context, method.listModels, async () => ({
      models: (await getStatus(app)).models.map(toModel),
    })),
    getQueue: unary(context, method.getQueue, ({ principal, request }) => {
      const queue = getQueue(app, { principal, limit: pageSizeOf(request.pageSize) });
      return {
        running: queue.running.map(toQueueEntry),
        waiting: queue.waiting.map(toQueueEntry),
        failed: queue.failed.map(toQueueEntry),
        runningTotal: BigInt(queue.runningTotal),
        waitingTotal: BigInt(queue.waitingTotal),
      };
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
      return { entries: entries.map(toAuditEntry), nextPageToken: sequenceTokenOf(entries) };
    }),
    resetPassword: unary(context, method.resetPassword, async ({ principal, request }) => {
      const { email } = request;
      const { link, expiresAt } = await createPasswordLink(app, { principal, email });
      return { link, expiresAt: toTimestamp(expiresAt) };
    }),
    grantCredits: unary(context, method.grantCredits, async ({ principal, request }) => {
      const { id, amount, note } = request;
      const grant = { principal, id: Number(id), amount: Number(amount), note };
      return { user: toUser(await grantCredits(app, grant)) };
    }),
  };
}

const PHASE: Readonly<Record<string, Phase>> = {
  starting: Phase.STARTING,
  ready: Phase.READY,
  failed: Phase.FAILED,
  draining: Phase.DRAINING,
};

function toStatus(status: ApplianceStatus): MessageInitShape<typeof GetStatusResponseSchema> {
  const { version, apiVersion, isolation, videoDecoder, queueDepth, running, uptimeSeconds } = status;
  return {
    ...{ version, apiVersion, isolation, videoDecoder, queueDepth, running, uptimeSeconds },
    phase: PHASE[status.phase] ?? Phase.UNSPECIFIED,
    notReadyReason: status.notReadyReason ?? '',
    rssAnonBytes: BigInt(status.rssAnonBytes),
    diskFreeBytes: BigInt(status.diskFreeBytes),
    recordsBytes: BigInt(status.recordsBytes),
    backup: toBackupState(status.backup),
    models: status.models.map(toModel),
  };
}

/** Without its figures, which the model's card tells. */
export function toModel(model: ModelStatus): MessageInitShape<typeof ModelSchema> {
  const { id, version, name, task, licence, minimumShortSide, source, weight, added, sha256 } = model;
  return {
    ...{ id, version, name, task, licence, minimumShortSide, source, weight, added, sha256 },
    kind: KIND[model.kind],
    provider: model.provider ?? '',
    precision: model.precision ?? '',
    precisionNote: model.precisionNote ?? '',
    preparing: model.preparing ?? '',
    fault: model.fault ?? '',
  };
}

function toQueueEntry(entry: QueueEntry): MessageInitShape<typeof QueueEntrySchema> {
  const { analysisId, identifiers, attempts, error, accountId, kind, queuedAt, startedAt, endedAt } = entry;
  return {
    ...{ analysisId, identifiers, attempts, error },
    accountId: BigInt(accountId),
    kind: KIND[kind],
    queuedAt: toTimestamp(queuedAt),
    ...timeUnlessNull('startedAt', startedAt),
    ...timeUnlessNull('endedAt', endedAt),
  };
}

function toAuditEntry(entry: AuditEntry): MessageInitShape<typeof AuditEntrySchema> {
  const { sequence, at, accountId, facade, remoteAddress, action, target, details } = entry;
  return {
    ...{ action, target, details },
    sequence: BigInt(sequence),
    at: toTimestamp(at),
    ...(accountId === null ? {} : { accountId: BigInt(accountId) }),
    facade: facade ?? '',
    remoteAddress: remoteAddress ?? '',
  };
}
