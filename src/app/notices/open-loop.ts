import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { webhookRule } from '../../machinery/address.ts';
import { webhookSecretOfAccount } from '../accounts/keys.ts';
import { readRecord } from '../records/record.ts';
import { DeliveryLoop } from '../webhooks/delivery-loop.ts';
import { type PostWebhook, postWebhook } from '../webhooks/post.ts';
import { type NoticeParts, sendNotice, spreadNotices } from './notice-delivery.ts';

/** Standard Webhooks asks receivers to answer within 15 to 30 seconds. */
const TIMEOUT_MS = 20_000;

/** `toBody` writes a record as REST answers it, which only a facade knows. `post` is the way to receivers. */
export function openDeliveryLoop(
  app: NoticeParts,
  toBody: (record: ClassificationRecord) => string,
  post: PostWebhook = postWebhook,
): DeliveryLoop {
  const { store, clock, log, metrics, config } = app;
  return new DeliveryLoop({
    store,
    clock,
    log,
    metrics,
    rule: webhookRule(config),
    timeoutMs: TIMEOUT_MS,
    post,
    random: Math.random,
    secretOf: (accountId) => webhookSecretOfAccount(app, accountId),
    bodyOf: (identifier) => app.refusals.shown(identifier, () => toBody(readRecord(app, identifier))),
    sendNotice: (delivery, signal) => sendNotice(app, delivery, signal),
    spreadNotices: () => spreadNotices(app),
  });
}
