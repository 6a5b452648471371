/** The caller's own account. */
import { getCredits } from '../../app/credits.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { type GrpcContext, unary } from './calls.ts';

export function accountHandlers(context: GrpcContext): Handlers<typeof AccountService> {
  return {
    getCredits: unary(context, AccountService.method.getCredits, ({ principal }) => {
      const { availableCredits, totalSpent } = getCredits(context.app, { principal });
      return { availableCredits: BigInt(availableCredits), totalSpent: BigInt(totalSpent) };
    }),
  };
}
