/** What became of the account's webhooks, and the secret that they are signed with. */

import { rotateWebhookSecret } from '../../app/accounts/keys.ts';
import { type DeliveryPage, deliveryCursor, replayDelivery } from '../../app/webhooks/deliveries.ts';
import { DELIVERY, DELIVERY_ATTEMPT, type DeliveryAttempt } from '../../domain/contract/delivery.ts';
import type { WebhookDelivery } from '../../domain/records/webhook.ts';
import { builder } from './builder.ts';
import { secretPayloadType } from './keys.ts';
import { defineNoun } from './nouns.ts';
import { settleCall } from './transport/calls.ts';
import { type Connection, defineConnection } from './transport/connection.ts';
import { definePayload } from './transport/payloads.ts';

defineNoun<DeliveryAttempt>({ name: 'DeliveryAttempt', fields: DELIVERY_ATTEMPT });
export const deliveryType = defineNoun<WebhookDelivery>({ name: 'WebhookDelivery', fields: DELIVERY });

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
