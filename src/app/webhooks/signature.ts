/** The headers of a Standard Webhooks message (https://www.standardwebhooks.com), symmetric signatures `v1`. */
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

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
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
