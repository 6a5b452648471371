/** Pricing plans: `plans`, and the mutations of the administrator. */

import { createPlan, listPlans, updatePlan } from '../../app/accounts/plans.ts';
import type { RawFields } from '../../app/submissions/input.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { fieldsOf, inputFieldsOf } from './nouns.ts';
import { countCall, settleCall } from './transport/calls.ts';
import { toId, toRawFields } from './transport/input.ts';
import { definePayload } from './transport/payloads.ts';

interface KindTerms {
  kind: MediaKind;
  credits: number;
  fileBytesMax: number;
}

const kindTermsType = builder.objectRef<KindTerms>('PlanKind').implement({
  fields: (t) => ({
    kind: t.expose('kind', { type: mediaKindEnum }),
    credits: t.exposeFloat('credits', { description: 'What one submission costs.' }),
    fileBytesMax: t.expose('fileBytesMax', { type: 'Long' }),
  }),
});

interface OptionPrice {
  option: string;
  credits: number;
}

const optionPriceType = builder.objectRef<OptionPrice>('OptionPrice').implement({
  fields: (t) => ({
    option: t.exposeString('option'),
    credits: t.exposeFloat('credits', { description: 'What it costs on top of the kind.' }),
  }),
});

export const planType = builder.objectRef<Plan>('Plan').implement({
  fields: (t) => ({
    ...fieldsOf(t, PLAN),
    kinds: t.field({ type: [kindTermsType], resolve: toKindTerms }),
    optionCredits: t.field({ type: [optionPriceType], resolve: toOptionPrices }),
    models: t.field({
      type: ['String'],
      nullable: true,
      description: 'Null where the plan follows what is installed.',
      resolve: (plan) => (plan.models === 'all' ? null : plan.models),
    }),
  }),
});

function toKindTerms(plan: Plan): KindTerms[] {
  return MEDIA_KINDS.filter((kind) => plan.kinds.includes(kind)).map((kind) => ({
    kind,
    credits: plan.credits[kind],
    fileBytesMax: plan.fileBytesMax[kind],
  }));
}

function toOptionPrices({ optionCredits }: Plan): OptionPrice[] {
  return Object.entries(optionCredits).map(([option, credits]) => ({ option, credits }));
}

const optionPriceInput = builder.inputType('OptionPriceInput', {
  fields: (t) => ({ option: t.string({ required: true }), credits: t.int({ required: true }) }),
});

const { id: _, ...WRITTEN } = PLAN;

const planInput = builder.inputType('PlanInput', {
  description: 'What is absent gets its default in a new plan and stays in an old one.',
  fields: (t) => ({
    ...inputFieldsOf(t, WRITTEN),
    kinds: t.field({ type: [mediaKindEnum] }),
    imageCredits: t.int(),
    videoCredits: t.int(),
    audioCredits: t.int(),
    optionCredits: t.field({ type: [optionPriceInput], description: 'Replaces all earlier ones.' }),
    models: t.stringList({ description: 'Null: the plan follows what is installed.' }),
    imageBytesMax: t.field({ type: 'Long' }),
    videoBytesMax: t.field({ type: 'Long' }),
    audioBytesMax: t.field({ type: 'Long' }),
  }),
});

interface PlanInput {
  models?: readonly string[] | null | undefined;
  optionCredits?: readonly OptionPrice[] | null | undefined;
}

function toPlanFields(input: PlanInput): RawFields {
  const { models, optionCredits, ...rest } = input;
  const prices = optionCredits?.map(({ option, credits }) => [option, credits]);
  return {
    ...toRawFields(rest),
    models: models === null ? 'all' : models,
    option_credits: prices === undefined ? undefined : Object.fromEntries(prices),
  };
}

const planPayloadType = definePayload<Plan>('Plan', 'plan', planType);

export function addPlanQueries(): void {
  builder.queryField('plans', (t) =>
    t.field({
      type: [planType],
      nullable: true,
      description: "The account's own plan; for partners and administrators all.",
      resolve: (_, _args, context) =>
        countCall(context, 'plans', () => listPlans(context.app, { principal: context.principal() })),
    }),
  );
}

export function addPlanMutations(): void {
  builder.mutationFields((t) => ({
    createPlan: t.field({
      type: planPayloadType,
      nullable: true,
      description: 'Administrators only.',
      args: { input: t.arg({ type: planInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'createPlan', () =>
          createPlan(context.app, { principal: context.principal(), fields: toPlanFields(input) }),
        ),
    }),
    updatePlan: t.field({
      type: planPayloadType,
      nullable: true,
      description: 'Holds at once for every account of the plan. Administrators only.',
      args: { id: t.arg.id({ required: true }), input: t.arg({ type: planInput, required: true }) },
      resolve: (_, { id, input }, context) =>
        settleCall(context, 'updatePlan', () => {
          const change = { id: toId(id), fields: toPlanFields(input) };
          return updatePlan(context.app, { principal: context.principal(), ...change });
        }),
    }),
  }));
}
