/** The state of the machine and its models. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ApplianceStatus, getStatus, type ModelStatus } from '../../app/appliance.ts';
import type { Handlers } from '../../grpc/definition.ts';
import {
  ApplianceService,
  type GetStatusResponseSchema,
  type ModelSchema,
  Phase,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { type GrpcContext, unary } from './calls.ts';
import { KIND } from './enums.ts';

const { method } = ApplianceService;

export function applianceHandlers(context: GrpcContext): Handlers<typeof ApplianceService> {
  const { app } = context;
  return {
    getStatus: unary(context, method.getStatus, async () => toStatus(await getStatus(app))),
    listModels: unary(context, method.listModels, async () => ({
      models: (await getStatus(app)).models.map(toModel),
    })),
  };
}

const PHASE: Readonly<Record<string, Phase>> = {
  starting: Phase.STARTING,
  ready: Phase.READY,
  failed: Phase.FAILED,
  draining: Phase.DRAINING,
};

function toStatus(status: ApplianceStatus): MessageInitShape<typeof GetStatusResponseSchema> {
  const { version, apiVersion, isolation, queueDepth, running, uptimeSeconds } = status;
  return {
    ...{ version, apiVersion, isolation, queueDepth, running, uptimeSeconds },
    phase: PHASE[status.phase] ?? Phase.UNSPECIFIED,
    notReadyReason: status.notReadyReason ?? '',
    rssAnonBytes: BigInt(status.rssAnonBytes),
    diskFreeBytes: BigInt(status.diskFreeBytes),
    models: status.models.map(toModel),
  };
}

function toModel(model: ModelStatus): MessageInitShape<typeof ModelSchema> {
  const { id, version, name, task, licence, minimumShortSide } = model;
  return {
    ...{ id, version, name, task, licence, minimumShortSide },
    kind: KIND[model.kind],
    provider: model.provider ?? '',
    fault: model.fault ?? '',
  };
}
