/** One try at one delivery: whether it may still be sent, its contents, and the receiver's answer. */
import type { Logger } from 'pino';
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import type { NoticeRule } from '../../domain/automation/notice-rule.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import { MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import type { AddressRule } from '../../machinery/address.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { PostWebhook } from './post.ts';
import { afterAttempt, type PostResult } from './retry-schedule.ts';

export interface AttemptParts {
  read: StoreReader;
  clock: Clock;
  log: Logger;
  rule: AddressRule;
  timeoutMs: number;
  /** 0 ≤ x < 1, for the spread of retries. */
  random: () => number;
  /** The account's `whsec_` secret. */
  secretOf: (accountId: number) => Promise<string>;
  post: PostWebhook;
  /** The record as REST answers it now. */
  bodyOf: (identifier: string) => string;
  /** Sends a delivery that is a notice (`notice-delivery.ts`). */
  sendNotice: (delivery: WebhookDelivery, signal: AbortSignal) => Promise<SentAnswer>;
}

/** The receiver's answer, and why nothing may be sent to it any more. */
export type SentAnswer = Omit<PostResult, 'at' | 'elapsedMs'>;

/** The outcome; applied to the delivery as it is stored by then. */
export interface AttemptEnd {
  outcome: 'delivered' | 'refused' | 'unreachable' | 'dropped';
  apply: (delivery: WebhookDelivery) => WebhookDelivery;
}

/** Rejects only if `signal` aborted: the outcome is then unknown, and the delivery is tried again. */
export async function attemptDelivery(
  parts: AttemptParts,
  delivery: WebhookDelivery,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const at = parts.clock.now();
  const obstacle = obstacleOf(parts.read, delivery);
  if (obstacle !== undefined) return drop(obstacle, at);
  const startedMs = parts.clock.elapsedMs();
  const answer = await (delivery.noticeId === null
    ? send(parts, delivery, at, signal)
    : parts.sendNotice(delivery, signal));
  const elapsedMs = Math.round(parts.clock.elapsedMs() - startedMs);
  const result: PostResult = { ...answer, at, elapsedMs };
  return { outcome: outcomeOf(result), apply: (now) => afterAttempt(now, result, parts.random()) };
}

async function send(
  { clock, rule, timeoutMs, post, secretOf, bodyOf, log }: AttemptParts,
  { id, url, identifier, accountId }: WebhookDelivery,
  at: number,
  signal: AbortSignal,
): Promise<SentAnswer> {
  try {
    const timestamp = Math.floor(at / MICROSECONDS_PER_SECOND);
    const message = { id, timestamp, body: bodyOf(identifier) };
    const secret = await secretOf(accountId);
    return await post({ rule, url, secret, message, timeoutMs }, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error({ err: error, delivery: id, at: clock.now() }, 'a webhook could not be made');
    const why = error instanceof AppError ? error.message : 'the message could not be made';
    return { status: null, error: why, retryAfterSeconds: null };
  }
}

interface Obstacle {
  state: 'failed' | 'gone';
  error: string;
}

/** The rule of a notice; undefined if it was removed, even if a later rule of another account or target has its number. */
export function noticeRuleOf(
  read: StoreReader,
  { noticeId, accountId, url }: WebhookDelivery,
): NoticeRule | undefined {
  const rule = noticeId === null ? undefined : read.automation.noticeRule(noticeId);
  return rule?.accountId === accountId && rule.target === url ? rule : undefined;
}

/** Why nothing may be sent any more; undefined if it may. */
function obstacleOf(read: StoreReader, delivery: WebhookDelivery): Obstacle | undefined {
  const { accountId, url, identifier, noticeId } = delivery;
  const account = read.accounts.get(accountId);
  if (account === undefined || account.deletedAt !== null) {
    return { state: 'failed', error: 'the account was deleted' };
  }
  const rule = noticeRuleOf(read, delivery);
  if (noticeId !== null && rule === undefined) return { state: 'failed', error: 'the rule was removed' };
  const isMail = rule?.channel === 'email';
  if (!isMail && read.accounts.plans.get(account.planId)?.options.includes('webhook') !== true) {
    return { state: 'failed', error: 'the pricing plan no longer has webhooks' };
  }
  if (read.records.get(identifier) === undefined) {
    return { state: 'failed', error: 'the record was deleted' };
  }
  if (noticeId !== null || !read.isReceiverDisabled(accountId, url)) return undefined;
  return { state: 'gone', error: 'the receiver answered 410 earlier; replay a delivery to let it back in' };
}

function drop({ state, error }: Obstacle, at: number): AttemptEnd {
  const attempt = { at, status: null, error, elapsedMs: 0 };
  return {
    outcome: 'dropped',
    apply: (delivery) =>
      // Replayed meanwhile: the obstacle may be gone.
      delivery.seriesAt > at
        ? delivery
        : { ...delivery, state, nextAttemptAt: null, attempts: [...delivery.attempts, attempt] },
  };
}

function outcomeOf({ status, error }: PostResult): AttemptEnd['outcome'] {
  if (status === null) return 'unreachable';
  return error === '' ? 'delivered' : 'refused';
}
