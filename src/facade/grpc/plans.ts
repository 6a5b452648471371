/** Pricing plans. */

import { createPlan, listPlans, updatePlan } from '../../app/accounts/plans.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { fromPlanFields, toPlan } from './account-convert.ts';
import { type GrpcContext, unary } from './calls.ts';
import { within } from './errors.ts';

const { method } = ApplianceService;

type OfPlans = 'listPlans' | 'createPlan' | 'updatePlan';

export function planHandlers(context: GrpcContext): Pick<Handlers<typeof ApplianceService>, OfPlans> {
  const { app } = context;
  return {
    listPlans: unary(context, method.listPlans, ({ principal }) => ({
      plans: listPlans(app, { principal }).map(toPlan),
    })),
    createPlan: unary(context, method.createPlan, async ({ principal, request }) => ({
      plan: toPlan(
        await within('plan', async () =>
          createPlan(app, { principal, fields: fromPlanFields(request.plan) }),
        ),
      ),
    })),
    updatePlan: unary(context, method.updatePlan, async ({ principal, request }) => {
      const { id, plan } = request;
      const updated = await within('plan', async () =>
        updatePlan(app, { principal, id: Number(id), fields: fromPlanFields(plan) }),
      );
      return { plan: toPlan(updated) };
    }),
  };
}
