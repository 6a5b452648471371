import { type DeliveryPage, deliveryCursor } from '../../app/webhooks/deliveries.ts';
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import { DELIVERY, DELIVERY_ATTEMPT, type DeliveryAttempt } from '../../domain/contract/delivery.ts';
import { type Connection, defineConnection } from './connection.ts';
import { defineNoun } from './nouns.ts';

defineNoun<DeliveryAttempt>({ name: 'DeliveryAttempt', fields: DELIVERY_ATTEMPT });
export const deliveryType = defineNoun<WebhookDelivery>({ name: 'WebhookDelivery', fields: DELIVERY });

export const deliveryConnectionType = defineConnection<WebhookDelivery>('WebhookDelivery', deliveryType);

export function toDeliveryConnection({ deliveries, nextCursor }: DeliveryPage): Connection<WebhookDelivery> {
  return {
    edges: deliveries.map((node) => ({ node, cursor: deliveryCursor(node) })),
    hasNextPage: nextCursor !== null,
  };
}
