/** The examination of the box. */
import type { FindingState as State } from '../../app/appliance/doctor/finding.ts';
import { examine } from '../../app/appliance/doctor.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService, FindingState } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { type GrpcContext, unary } from './calls.ts';

const STATE: Readonly<Record<State, FindingState>> = {
  good: FindingState.GOOD,
  notice: FindingState.NOTICE,
  bad: FindingState.BAD,
};

export function doctorHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, 'examine'> {
  return {
    examine: unary(context, ApplianceService.method.examine, async ({ principal }) => ({
      findings: (await examine(context.app, { principal })).map((finding) => ({
        ...finding,
        state: STATE[finding.state],
      })),
    })),
  };
}
