/** The daemon's processes, the boxes that work for it, and the bundle for those who help. */
import { listProcesses } from '../../app/appliance/processes.ts';
import { makeSupportBundle } from '../../app/appliance/support-bundle.ts';
import { drainWorker, forgetWorker, resumeWorker } from '../../app/appliance/workers.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';

const { method } = ApplianceService;

type OfProcesses = 'listProcesses' | 'drainWorker' | 'resumeWorker' | 'forgetWorker' | 'getSupportBundle';

export function processHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfProcesses> {
  const { app } = context;
  return {
    listProcesses: unary(context, method.listProcesses, async ({ principal }) => {
      return toMessage(method.listProcesses.output, await listProcesses(app, { principal }));
    }),
    drainWorker: unary(context, method.drainWorker, async ({ principal, request: { name } }) =>
      toMessage(method.drainWorker.output, { worker: await drainWorker(app, { principal, name }) }),
    ),
    resumeWorker: unary(context, method.resumeWorker, async ({ principal, request: { name } }) =>
      toMessage(method.resumeWorker.output, { worker: await resumeWorker(app, { principal, name }) }),
    ),
    forgetWorker: unary(context, method.forgetWorker, async ({ principal, request: { name } }) =>
      toMessage(method.forgetWorker.output, { worker: await forgetWorker(app, { principal, name }) }),
    ),
    getSupportBundle: unary(context, method.getSupportBundle, ({ principal }) =>
      makeSupportBundle(app, { principal }),
    ),
  };
}
