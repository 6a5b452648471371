/** The durable outbox of webhooks: one delivery per record that ended, with every attempt. */
import type { DELIVERY } from '../contract/delivery.ts';
import type { ValuesOf } from '../field.ts';

export interface WebhookDelivery extends ValuesOf<typeof DELIVERY> {
  accountId: number;
  /** When the present series of attempts began: at its creation or at its last replay. */
  seriesAt: number;
}

/** A receiver that answered 410: it gets nothing more until the account replays a delivery. */
export interface DisabledReceiver {
  accountId: number;
  url: string;
  at: number;
}
