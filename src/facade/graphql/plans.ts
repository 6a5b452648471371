/** Fields of a plan that are computed. */
import type { Plan } from '../../domain/accounts/plan.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { fieldsOf, nameType } from './nouns.ts';

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

export interface OptionPrice {
  option: string;
  credits: number;
}

const optionPriceType = builder.objectRef<OptionPrice>('OptionPrice').implement({
  fields: (t) => ({
    option: t.exposeString('option'),
    credits: t.exposeFloat('credits', { description: 'What it costs on top of the kind.' }),
  }),
});

export const planType = nameType<Plan>('Plan').implement({
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
