/** What an attempt means for its delivery: ended, given up, or tried again later. Pure. */
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import type { DeliveryAttempt } from '../../domain/contract/delivery.ts';

export interface PostResult extends DeliveryAttempt {
  /** Null if it named no time. */
  retryAfterSeconds: number | null;
}

const SECOND_US = 1_000_000;
const MINUTE_S = 60;
const HOUR_S = 3600;

/** Before each further attempt: a restart takes seconds, an outage hours; together less than a day. */
export const RETRY_SECONDS: readonly number[] = [
  5,
  30,
  2 * MINUTE_S,
  10 * MINUTE_S,
  30 * MINUTE_S,
  HOUR_S,
  2 * HOUR_S,
  4 * HOUR_S,
  6 * HOUR_S,
  8 * HOUR_S,
];
/** A day after the first attempt the news is old, and its receiver has been gone for long. */
export const SERIES_SECONDS_MAX = 24 * HOUR_S;
/** A receiver may ask for patience, not for silence: past it, its outage would eat the whole day. */
export const RETRY_AFTER_SECONDS_MAX = HOUR_S;
/** Spreads what failed together, so that a receiver that came back is not met by all of it at once. */
const JITTER = 0.2;
/** A delivery that is replayed forever must not grow forever. */
export const ATTEMPTS_KEPT_MAX = 50;

const GONE = 410;

/** `random` is 0 ≤ x < 1. */
export function afterAttempt(delivery: WebhookDelivery, result: PostResult, random: number): WebhookDelivery {
  const { retryAfterSeconds, ...attempt } = result;
  const attempts = [...delivery.attempts, attempt].slice(-ATTEMPTS_KEPT_MAX);
  const tried = { ...delivery, attempts };
  if (isTaken(result.status)) return { ...tried, state: 'delivered', nextAttemptAt: null };
  // It was replayed while this attempt was under way: the new series begins with its own.
  if (result.at < delivery.seriesAt) return tried;
  if (result.status === GONE) return { ...tried, state: 'gone', nextAttemptAt: null };
  const triesOfSeries = attempts.filter(({ at }) => at >= delivery.seriesAt).length;
  const pause = RETRY_SECONDS[triesOfSeries - 1];
  if (pause === undefined) return { ...tried, state: 'failed', nextAttemptAt: null };
  const spread = pause * (1 - JITTER * random);
  // The receiver counts from its answer, which may have taken longer than the pause.
  const asked = result.elapsedMs / 1000 + Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_SECONDS_MAX);
  const nextAttemptAt = Math.round(result.at + Math.max(spread, asked) * SECOND_US);
  const isTooLate = nextAttemptAt > delivery.seriesAt + SERIES_SECONDS_MAX * SECOND_US;
  return isTooLate ? { ...tried, state: 'failed', nextAttemptAt: null } : { ...tried, nextAttemptAt };
}

export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Seconds or an HTTP date (RFC 9110); null if it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  // Dates of other kinds are read with too much imagination: `-5` would be a year.
  const at = / GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000);
}
