/** What became of the account's webhooks, and the secret that they are signed with. */
import { rotateWebhookSecret } from '../../app/accounts/keys.ts';
import { type DeliveryPage, deliveryCursor, replayDelivery } from '../../app/webhooks/deliveries.ts';
import { DELIVERY_STATE } from '../../domain/contract/words.ts';
import type { DeliveryAttempt, WebhookDelivery } from '../../domain/records/webhook.ts';
import { builder, enumOf } from './builder.ts';
import { secretPayloadType } from './keys.ts';
import { settleCall } from './transport/calls.ts';
import { type Connection, defineConnection } from './transport/connection.ts';
import { definePayload } from './transport/payloads.ts';

const attemptType = builder.objectRef<DeliveryAttempt>('DeliveryAttempt').implement({
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime' }),
    status: t.exposeInt('status', { nullable: true, description: 'Null where there was no answer.' }),
    error: t.exposeString('error'),
    elapsedMs: t.exposeFloat('elapsedMs'),
  }),
});

export const deliveryType = builder.objectRef<WebhookDelivery>('WebhookDelivery').implement({
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The webhook-id header, the same for every attempt.' }),
    identifier: t.exposeID('identifier', { description: 'The record that is sent.' }),
    url: t.exposeString('url'),
    state: t.expose('state', { type: enumOf(DELIVERY_STATE) }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    nextAttemptAt: t.expose('nextAttemptAt', { type: 'DateTime', nullable: true }),
    attempts: t.expose('attempts', { type: [attemptType] }),
  }),
});

export const deliveryConnectionType = defineConnection<WebhookDelivery>('WebhookDelivery', deliveryType);

export function toDeliveryConnection({ deliveries, nextCursor }: DeliveryPage): Connection<WebhookDelivery> {
  return {
    edges: deliveries.map((node) => ({ node, cursor: deliveryCursor(node) })),
    hasNextPage: nextCursor !== null,
  };
}

const deliveryPayloadType = definePayload<WebhookDelivery>('Delivery', 'delivery', deliveryType);

export function addWebhookMutations(): void {
  builder.mutationFields((t) => ({
    rotateWebhookSecret: t.field({
      type: secretPayloadType,
      nullable: true,
      description: 'The old secret signs no more.',
      resolve: (_, _args, context) =>
        settleCall(context, 'rotateWebhookSecret', () =>
          rotateWebhookSecret(context.app, { principal: context.principal() }),
        ),
    }),
    replayDelivery: t.field({
      type: deliveryPayloadType,
      nullable: true,
      description: 'Sends a delivery again.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'replayDelivery', () =>
          replayDelivery(context.app, { principal: context.principal(), id }),
        ),
    }),
  }));
}
