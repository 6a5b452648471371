import {
  identifier,
  idNumber,
  listOf,
  moment,
  noun,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { DELIVERY_STATE } from './words.ts';

export const DELIVERY_ATTEMPT = {
  at: moment(),
  status: nullable(whole('The receiver’s HTTP status; null where there was no answer.')),
  /** Why there was no answer or why it did not count; empty after a 2xx. */
  error: text(),
  elapsedMs: number(),
};

export interface DeliveryAttempt extends ValuesOf<typeof DELIVERY_ATTEMPT> {}

export const DELIVERY = {
  id: identifier('The webhook-id header, the same for every attempt.'),
  identifier: identifier('The record that is sent.'),
  url: text(),
  state: oneOf(DELIVERY_STATE),
  createdAt: moment(),
  /** When the next attempt is due; null once it has ended. */
  nextAttemptAt: nullable(moment()),
  /** Null for a webhook of the submission itself. */
  noticeId: nullable(idNumber('The rule of notices that it is for; null for a webhook.')),
  attempts: listOf(noun<DeliveryAttempt>('DeliveryAttempt')),
};
