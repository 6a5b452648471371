/** The caller's own account: `viewer`. */
import { getCredits } from '../../app/credits.ts';
import type { Principal } from '../../app/principal.ts';
import { ROLES } from '../../domain/account.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media.ts';
import { C2PA_POLICIES, type Plan } from '../../domain/plan.ts';
import { builder, heuristicEnum, mediaKindEnum, upperCaseValues } from './builder.ts';
import { countCall } from './calls.ts';

const roleEnum = builder.enumType('Role', { values: upperCaseValues(ROLES) });
const c2paPolicyEnum = builder.enumType('C2paPolicy', { values: upperCaseValues(C2PA_POLICIES) });

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

const planType = builder.objectRef<Plan>('Plan').implement({
  fields: (t) => ({
    id: t.id({ resolve: (plan) => String(plan.id) }),
    name: t.exposeString('name'),
    sku: t.exposeString('sku'),
    kinds: t.field({ type: [kindTermsType], resolve: toKindTerms }),
    options: t.field({ type: ['String'], resolve: (plan) => plan.options }),
    models: t.field({
      type: ['String'],
      nullable: true,
      description: 'Null where the plan follows what is installed.',
      resolve: (plan) => (plan.models === 'all' ? null : plan.models),
    }),
    rateLimitPerMinute: t.exposeInt('rateLimitPerMinute', { description: '0 means no limit.' }),
    c2paPolicy: t.expose('c2paPolicy', { type: c2paPolicyEnum }),
  }),
});

function toKindTerms(plan: Plan): KindTerms[] {
  return MEDIA_KINDS.filter((kind) => plan.kinds.includes(kind)).map((kind) => ({
    kind,
    credits: plan.credits[kind],
    fileBytesMax: plan.fileBytesMax[kind],
  }));
}

const creditsType = builder.objectRef<ReturnType<typeof getCredits>>('Credits').implement({
  fields: (t) => ({
    availableCredits: t.exposeFloat('availableCredits'),
    totalSpent: t.exposeFloat('totalSpent'),
  }),
});

const viewerType = builder.objectRef<Principal>('Viewer').implement({
  fields: (t) => ({
    id: t.id({ resolve: ({ account }) => String(account.id) }),
    name: t.string({ resolve: ({ account }) => account.name }),
    email: t.string({ resolve: ({ account }) => account.email }),
    role: t.field({ type: roleEnum, resolve: ({ account }) => account.role }),
    heuristic: t.field({ type: heuristicEnum, resolve: ({ account }) => account.heuristic }),
    readonly: t.boolean({ resolve: ({ account }) => account.readonly }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ account }) => account.createdAt }),
    plan: t.expose('plan', { type: planType }),
    credits: t.field({
      type: creditsType,
      resolve: (principal, _, { app }) => getCredits(app, { principal }),
    }),
  }),
});

export function addAccountQueries(): void {
  builder.queryField('viewer', (t) =>
    t.field({
      type: viewerType,
      nullable: true,
      description: 'The account of the key.',
      resolve: (_, _args, context) => countCall(context, 'viewer', () => context.principal()),
    }),
  );
}
