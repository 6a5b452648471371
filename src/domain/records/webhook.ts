/** The durable outbox of webhooks: one delivery per record that ended, with every attempt. */

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'gone'] as const;
/** `failed`: a day of attempts was in vain; `gone`: the receiver answered 410. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliveryAttempt {
  at: number;
  /** The receiver's HTTP status, or null where there was no answer. */
  status: number | null;
  /** Why there was no answer or why it was not taken; empty after a 2xx. */
  error: string;
  elapsedMs: number;
}

export interface WebhookDelivery {
  /** The Standard Webhooks message id, `msg_…`: the same for every attempt. */
  id: string;
  accountId: number;
  identifier: string;
  url: string;
  state: DeliveryState;
  createdAt: number;
  /** When the present series of attempts began: at its creation or at its last replay. */
  seriesAt: number;
  /** When the next attempt is due; null once it has ended. */
  nextAttemptAt: number | null;
  attempts: DeliveryAttempt[];
}

/** A receiver that answered 410: nothing more goes to it until the account replays a delivery. */
export interface DisabledReceiver {
  accountId: number;
  url: string;
  at: number;
}
