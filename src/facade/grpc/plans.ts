/** Pricing plans. */

import { createPlan, listPlans, updatePlan } from '../../app/accounts/plans.ts';
import type { RawFields } from '../../app/submissions/input.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApplianceService, type PlanFields } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { fromPolicy, toPlan } from './account-convert.ts';
import { type GrpcContext, unary } from './calls.ts';
import { requireKind } from './enums.ts';
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

/** What is absent in the message is absent here. */
function fromPlanFields(plan: PlanFields | undefined): RawFields {
  if (plan === undefined) return {};
  const { name, sku, kinds, options, models, rateLimitPerMinute, mediaDays, recordDays } = plan;
  const prices = Object.entries(plan.optionCredits).map(([option, credits]) => [option, Number(credits)]);
  return {
    ...{ name, sku },
    kinds: kinds?.values.map((kind) => requireKind(kind, 'kinds')),
    options: options?.values,
    option_credits: prices.length === 0 ? undefined : Object.fromEntries(prices),
    models: models?.all === true ? 'all' : models?.values,
    rate_limit_per_minute: rateLimitPerMinute,
    c2pa_policy: fromPolicy(plan.c2paPolicy, 'c2pa_policy'),
    media_days: mediaDays,
    record_days: recordDays,
    zero_retention: plan.zeroRetention,
    ...amountsOf(plan),
  };
}

function amountsOf(plan: PlanFields): RawFields {
  return {
    image_credits: toNumber(plan.imageCredits),
    video_credits: toNumber(plan.videoCredits),
    audio_credits: toNumber(plan.audioCredits),
    image_bytes_max: toNumber(plan.imageBytesMax),
    video_bytes_max: toNumber(plan.videoBytesMax),
    audio_bytes_max: toNumber(plan.audioBytesMax),
  };
}

function toNumber(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
