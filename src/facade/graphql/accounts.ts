/** The caller's own account: `viewer` and its changes. */

import { getCredits, listLedger } from '../../app/accounts/credits.ts';
import { listKeys, webhookSecretOf } from '../../app/accounts/keys.ts';
import { changePassword } from '../../app/accounts/passwords.ts';
import { acceptTerms } from '../../app/accounts/terms.ts';
import { toUserView } from '../../app/accounts/user-view.ts';
import { updateUser } from '../../app/accounts/users.ts';
import type { Principal } from '../../app/callers/principal.ts';
import { parseWhole } from '../../app/field-parsers.ts';
import { listDeliveries } from '../../app/webhooks/deliveries.ts';
import type { LedgerEntry } from '../../domain/accounts/account.ts';
import { ACCOUNT_DETAILS } from '../../domain/contract/account.ts';
import { CREDITS, type Credits, LEDGER_ENTRY } from '../../domain/contract/ledger.ts';
import { builder, heuristicEnum, roleEnum } from './builder.ts';
import { apiKeyType } from './keys.ts';
import { defineNoun, inputFieldsOf } from './nouns.ts';
import { planType } from './plans.ts';
import { countCall, settleCall } from './transport/calls.ts';
import {
  defineConnection,
  FIRST_DESCRIPTION,
  type PageArguments,
  pageLimitOf,
  toSequenceConnection,
} from './transport/connection.ts';
import { toRawFields } from './transport/input.ts';
import { userPayloadType, userType } from './user-types.ts';
import { deliveryConnectionType, toDeliveryConnection } from './webhooks.ts';

export const creditsType = defineNoun<Credits>({ name: 'Credits', fields: CREDITS });

const ledgerEntryType = defineNoun<LedgerEntry>({
  name: 'LedgerEntry',
  description: 'The sum of all amounts is the balance.',
  fields: LEDGER_ENTRY,
});

const ledgerConnectionType = defineConnection<LedgerEntry>('LedgerEntry', ledgerEntryType);

/** Lines that are numbered: the cursor is the number of the last one seen. */
export function sequencePageOf(args: PageArguments): { limit: number; before: number | undefined } {
  const before = parseWhole({ after: args.after }, 'after', 1, Number.MAX_SAFE_INTEGER);
  return { limit: pageLimitOf(args), before };
}

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
      type: [apiKeyType],
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
      toSequenceConnection(listLedger(app, { principal, ...sequencePageOf(args) })),
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

const accountInput = builder.inputType('UpdateAccountInput', {
  description: 'What is absent stays; null clears it.',
  fields: (t) => ({
    name: t.string(),
    ...inputFieldsOf(t, ACCOUNT_DETAILS),
    heuristic: t.field({ type: heuristicEnum }),
  }),
});

export function addAccountMutations(): void {
  builder.mutationFields((t) => ({
    updateAccount: t.field({
      type: userPayloadType,
      nullable: true,
      args: { input: t.arg({ type: accountInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'updateAccount', async () => {
          const principal = context.principal();
          const change = { principal, id: principal.account.id, fields: toRawFields(input) };
          return toUserView(context.app, await updateUser(context.app, change));
        }),
    }),
    acceptTerms: t.field({
      type: userPayloadType,
      nullable: true,
      description: 'Accepts the terms of service; the one call that works before.',
      resolve: (_, _args, context) =>
        settleCall(context, 'acceptTerms', async () => {
          const account = await acceptTerms(context.app, { principal: context.newcomer() });
          return toUserView(context.app, account);
        }),
    }),
    changePassword: t.field({
      type: userPayloadType,
      nullable: true,
      description: '12 to 256 characters.',
      args: { current: t.arg.string({ required: true }), password: t.arg.string({ required: true }) },
      resolve: (_, { current, password }, context) =>
        settleCall(context, 'changePassword', async () => {
          const principal = context.principal();
          const account = await changePassword(context.app, { principal, current, password });
          return toUserView(context.app, account);
        }),
    }),
  }));
}
