/** The examination of the box. */
import { examine } from '../../app/appliance/doctor.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';

const { method } = ApplianceService;

export function doctorHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, 'examine'> {
  return {
    examine: unary(context, method.examine, async ({ principal }) =>
      toMessage(method.examine.output, { findings: await examine(context.app, { principal }) }),
    ),
  };
}
