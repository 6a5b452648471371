/** The headers of a Standard Webhooks message (https://www.standardwebhooks.com), symmetric signatures `v1`. */
import { Webhook } from 'standardwebhooks';

export interface WebhookMessage {
  id: string;
  /** Seconds since 1970 UTC: receivers refuse a message that is far from their own clock. */
  timestamp: number;
  body: string;
}

/** `secret` is `whsec_` and base64, as the account sees it. */
export function webhookHeaders(
  secret: string,
  { id, timestamp, body }: WebhookMessage,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
  };
}
