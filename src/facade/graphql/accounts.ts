import { getCredits, listLedger } from '../../app/accounts/credits.ts';
import { listKeys, webhookSecretOf } from '../../app/accounts/keys.ts';
import { toUserView } from '../../app/accounts/user-view.ts';
import type { Principal } from '../../app/callers/principal.ts';
import { listDeliveries } from '../../app/webhooks/deliveries.ts';
import type { LedgerEntry } from '../../domain/accounts/account.ts';
import { API_KEY } from '../../domain/contract/key.ts';
import { CREDITS, type Credits, LEDGER_ENTRY } from '../../domain/contract/ledger.ts';
import { builder, heuristicEnum, roleEnum } from './builder.ts';
import { defineConnection, FIRST_DESCRIPTION, pageLimitOf, toConnection } from './connection.ts';
import { defineNoun, typeOfNoun } from './nouns.ts';
import { planType } from './plans.ts';
import { countCall } from './transport/calls.ts';
import { userType } from './user-types.ts';
import { deliveryConnectionType, toDeliveryConnection } from './webhooks.ts';

export const creditsType = defineNoun<Credits>({ name: 'Credits', fields: CREDITS });

const ledgerEntryType = defineNoun<LedgerEntry>({
  name: 'LedgerEntry',
  description: 'The sum of all amounts is the balance.',
  fields: LEDGER_ENTRY,
});

const LEDGER_PAGE = { cursor: 'sequence', first: 1 } as const;

const ledgerConnectionType = defineConnection<LedgerEntry>('LedgerEntry', ledgerEntryType);

const viewerType = builder.objectRef<Principal>('Viewer').implement({
  fields: (t) => ({
    id: t.id({ resolve: ({ account }) => String(account.id) }),
    name: t.string({ resolve: ({ account }) => account.name }),
    email: t.string({ resolve: ({ account }) => account.email }),
    role: t.field({ type: roleEnum, resolve: ({ account }) => account.role }),
    heuristic: t.field({ type: heuristicEnum, resolve: ({ account }) => account.heuristic }),
    readonly: t.boolean({ resolve: ({ account }) => account.readonly }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ account }) => account.createdAt }),
    user: t.field({
      type: userType,
      description: 'The account with all its fields.',
      resolve: ({ account }, _, { app }) => toUserView(app, account),
    }),
    plan: t.expose('plan', { type: planType }),
    credits: t.field({
      type: creditsType,
      resolve: (principal, _, { app }) => getCredits(app, { principal }),
    }),
    keys: t.field({
      type: [typeOfNoun(API_KEY)],
      description: 'Oldest first.',
      resolve: (principal, _, { app }) => listKeys(app, { principal }),
    }),
    webhookSecret: t.string({
      description: 'What webhooks are signed with (Standard Webhooks); made when it is first asked for.',
      resolve: (principal, _, { app }) => webhookSecretOf(app, { principal }),
    }),
  }),
});

builder.objectFields(viewerType, (t) => ({
  ledger: t.field({
    type: ledgerConnectionType,
    description: 'Newest first.',
    args: { first: t.arg.int({ description: FIRST_DESCRIPTION }), after: t.arg.string() },
    resolve: (principal, args, { app }) =>
      toConnection((lines) => listLedger(app, { principal, ...lines }), args, LEDGER_PAGE),
  }),
  deliveries: t.field({
    type: deliveryConnectionType,
    description: 'Newest first.',
    args: { first: t.arg.int({ description: FIRST_DESCRIPTION }), after: t.arg.string() },
    resolve: (principal, args, { app }) => {
      const page = { limit: pageLimitOf(args), cursor: args.after ?? undefined };
      return toDeliveryConnection(listDeliveries(app, { principal, ...page }));
    },
  }),
}));

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
