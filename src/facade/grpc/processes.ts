/** The daemon's processes, and the bundle for those who help. */
import { listProcesses, type ProcessRole as Role } from '../../app/appliance/processes.ts';
import { makeSupportBundle } from '../../app/appliance/support-bundle.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService, ProcessRole } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { timeUnlessNull } from './account-convert.ts';
import { toModel } from './appliance.ts';
import { type GrpcContext, unary } from './calls.ts';
import { KIND } from './enums.ts';

const { method } = ApplianceService;

const ROLE: Readonly<Record<Role, ProcessRole>> = {
  daemon: ProcessRole.DAEMON,
  decode: ProcessRole.DECODE,
  inference: ProcessRole.INFERENCE,
};

type OfProcesses = 'listProcesses' | 'getSupportBundle';

export function processHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfProcesses> {
  const { app } = context;
  return {
    listProcesses: unary(context, method.listProcesses, async ({ principal }) => {
      const found = await listProcesses(app, { principal });
      return {
        processes: found.processes.map(({ role, rssAnonBytes, ...entry }) => ({
          ...entry,
          role: ROLE[role],
          rssAnonBytes: BigInt(rssAnonBytes),
        })),
        models: found.models.map(toModel),
        running: found.running.map(({ accountId, kind, startedAt, ...work }) => ({
          ...work,
          accountId: BigInt(accountId),
          kind: KIND[kind],
          startedAt: toTimestamp(startedAt),
        })),
        runningTotal: BigInt(found.runningTotal),
        waitingTotal: BigInt(found.waitingTotal),
        ...timeUnlessNull('oldestQueuedAt', found.oldestQueuedAt),
      };
    }),
    getSupportBundle: unary(context, method.getSupportBundle, ({ principal }) =>
      makeSupportBundle(app, { principal }),
    ),
  };
}
