/** The daemon's processes, and the bundle for those who help. */
import { listProcesses } from '../../app/appliance/processes.ts';
import { makeSupportBundle } from '../../app/appliance/support-bundle.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';

const { method } = ApplianceService;

type OfProcesses = 'listProcesses' | 'getSupportBundle';

export function processHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfProcesses> {
  const { app } = context;
  return {
    listProcesses: unary(context, method.listProcesses, async ({ principal }) => {
      return toMessage(method.listProcesses.output, await listProcesses(app, { principal }));
    }),
    getSupportBundle: unary(context, method.getSupportBundle, ({ principal }) =>
      makeSupportBundle(app, { principal }),
    ),
  };
}
