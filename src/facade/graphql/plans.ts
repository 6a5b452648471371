/** Fields of a plan that are computed. */
import type { Plan } from '../../domain/accounts/plan.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { long, number, oneOf, text, type ValuesOf } from '../../domain/field.ts';
import { MEDIA_KIND, MEDIA_KINDS } from '../../domain/media/media.ts';
import { fieldsOf, nameType, typeOfNoun } from './nouns.ts';

const PLAN_KIND = {
  name: 'PlanKind',
  fields: {
    kind: oneOf(MEDIA_KIND),
    credits: number('What one submission costs.'),
    fileBytesMax: long(),
  },
};

const OPTION_PRICE = {
  name: 'OptionPrice',
  fields: { option: text(), credits: number('What it costs on top of the kind.') },
};
export type OptionPrice = ValuesOf<typeof OPTION_PRICE.fields>;

export const planType = nameType<Plan>('Plan').implement({
  fields: (t) => ({
    ...fieldsOf(t, PLAN),
    kinds: t.field({ type: [typeOfNoun(PLAN_KIND)], resolve: toKindTerms }),
    optionCredits: t.field({ type: [typeOfNoun(OPTION_PRICE)], resolve: toOptionPrices }),
    models: t.field({
      type: ['String'],
      nullable: true,
      description: 'Null where the plan follows what is installed.',
      resolve: (plan) => (plan.models === 'all' ? null : plan.models),
    }),
  }),
});

function toKindTerms(plan: Plan): ValuesOf<typeof PLAN_KIND.fields>[] {
  return MEDIA_KINDS.filter((kind) => plan.kinds.includes(kind)).map((kind) => ({
    kind,
    credits: plan.credits[kind],
    fileBytesMax: plan.fileBytesMax[kind],
  }));
}

function toOptionPrices({ optionCredits }: Plan): OptionPrice[] {
  return Object.entries(optionCredits).map(([option, credits]) => ({ option, credits }));
}
