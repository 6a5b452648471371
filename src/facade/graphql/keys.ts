/** API keys of the account, or of a user that it manages. */

import { createKey, type NewApiKey, replaceKey, revealKey, revokeKey } from '../../app/accounts/keys.ts';
import { API_KEY, type ApiKeyView } from '../../domain/contract/key.ts';
import { builder } from './builder.ts';
import { defineNoun } from './nouns.ts';
import { type Payload, settleCall } from './transport/calls.ts';
import { toId, toOwner } from './transport/input.ts';
import { definePayload } from './transport/payloads.ts';
import { userErrorType } from './transport/user-errors.ts';

export const apiKeyType = defineNoun<ApiKeyView>({
  name: 'ApiKey',
  description: 'Its secret is told when it is made, and revealed for the password.',
  fields: API_KEY,
});

const newKeyPayloadType = builder.objectRef<Payload<NewApiKey>>('NewKeyPayload').implement({
  fields: (t) => ({
    key: t.field({ type: apiKeyType, nullable: true, resolve: ({ value }) => value?.key ?? null }),
    secret: t.string({ nullable: true, resolve: ({ value }) => value?.secret ?? null }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export const secretPayloadType = builder.objectRef<Payload<string>>('SecretPayload').implement({
  fields: (t) => ({
    secret: t.string({ nullable: true, resolve: ({ value }) => value }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

const keyPayloadType = definePayload<ApiKeyView>('Key', 'key', apiKeyType);

const USER = 'A user that the account manages; its own key where absent.';

export function addKeyMutations(): void {
  addSecretMutations();
  addKeyChanges();
}

/** Those that show a secret of a key that stays or begins. */
function addSecretMutations(): void {
  builder.mutationFields((t) => ({
    createKey: t.field({
      type: newKeyPayloadType,
      nullable: true,
      args: { name: t.arg.string({ required: true }), userId: t.arg.id({ description: USER }) },
      resolve: (_, { name, userId }, context) =>
        settleCall(context, 'createKey', () =>
          createKey(context.app, { principal: context.principal(), name, ...toOwner(userId) }),
        ),
    }),
    revealKey: t.field({
      type: secretPayloadType,
      nullable: true,
      description: "Shows a key's secret again, for the account's password.",
      args: { id: t.arg.id({ required: true }), password: t.arg.string({ required: true }) },
      resolve: (_, { id, password }, context) =>
        settleCall(context, 'revealKey', () =>
          revealKey(context.app, { principal: context.principal(), id: toId(id), password }),
        ),
    }),
  }));
}

function addKeyChanges(): void {
  builder.mutationFields((t) => ({
    replaceKey: t.field({
      type: newKeyPayloadType,
      nullable: true,
      description: 'Gives a key a new secret; the old one stops at once.',
      args: { id: t.arg.id({ required: true }), userId: t.arg.id({ description: USER }) },
      resolve: (_, { id, userId }, context) =>
        settleCall(context, 'replaceKey', () =>
          replaceKey(context.app, { principal: context.principal(), id: toId(id), ...toOwner(userId) }),
        ),
    }),
    revokeKey: t.field({
      type: keyPayloadType,
      nullable: true,
      args: { id: t.arg.id({ required: true }), userId: t.arg.id({ description: USER }) },
      resolve: (_, { id, userId }, context) =>
        settleCall(context, 'revokeKey', () =>
          revokeKey(context.app, { principal: context.principal(), id: toId(id), ...toOwner(userId) }),
        ),
    }),
  }));
}
