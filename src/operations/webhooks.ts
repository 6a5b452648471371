/** The secret that the account's webhooks are signed with, and a delivery that is sent again. */
import { rotateWebhookSecret, webhookSecretOf } from '../app/accounts/keys.ts';
import { replayDelivery } from '../app/webhooks/deliveries.ts';
import type { WebhookDelivery } from '../domain/answers/webhook.ts';
import { identifier, noun, text } from '../domain/field.ts';
import { mutation, one, query } from './operation.ts';

const SECRET = one('secret', text());

export const WEBHOOK_OPERATIONS = {
  getWebhookSecret: query({ field: null, answer: SECRET, run: webhookSecretOf }),
  rotateWebhookSecret: mutation({
    description: 'The old secret signs no more.',
    answer: SECRET,
    payload: 'Secret',
    run: rotateWebhookSecret,
  }),
  replayDelivery: mutation({
    description: 'Sends a delivery again.',
    input: { id: identifier() },
    answer: one('delivery', noun<WebhookDelivery>('WebhookDelivery')),
    payload: 'Delivery',
    run: replayDelivery,
  }),
};
