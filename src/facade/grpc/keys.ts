/** API keys of the account, or of a user that it manages. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import { createKey, listKeys, replaceKey, revealKey, revokeKey } from '../../app/accounts/keys.ts';
import type { ApiKeyView } from '../../domain/contract/key.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ApiKeySchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';

const { method } = AccountService;

type OfKeys = 'listKeys' | 'createKey' | 'revealKey' | 'replaceKey' | 'revokeKey';

export function keyHandlers(context: GrpcContext): Pick<Handlers<typeof AccountService>, OfKeys> {
  const { app } = context;
  return {
    listKeys: unary(context, method.listKeys, ({ principal, request }) => ({
      keys: listKeys(app, { principal, ...ownerOf(request) }).map(toKey),
    })),
    createKey: unary(context, method.createKey, async ({ principal, request }) => {
      const { name } = request;
      const { key, secret } = await createKey(app, { principal, name, ...ownerOf(request) });
      return { key: toKey(key), secret };
    }),
    revealKey: unary(context, method.revealKey, async ({ principal, request }) => {
      const { password } = request;
      return { secret: await revealKey(app, { principal, id: Number(request.id), password }) };
    }),
    replaceKey: unary(context, method.replaceKey, async ({ principal, request }) => {
      const input = { principal, id: Number(request.id), ...ownerOf(request) };
      const { key, secret } = await replaceKey(app, input);
      return { key: toKey(key), secret };
    }),
    revokeKey: unary(context, method.revokeKey, async ({ principal, request }) => {
      const input = { principal, id: Number(request.id), ...ownerOf(request) };
      return { key: toKey(await revokeKey(app, input)) };
    }),
  };
}

function ownerOf({ userId }: { userId: bigint }): { userId?: number } {
  return userId === 0n ? {} : { userId: Number(userId) };
}

function toKey(key: ApiKeyView): MessageInitShape<typeof ApiKeySchema> {
  return toMessage(ApiKeySchema, key);
}
