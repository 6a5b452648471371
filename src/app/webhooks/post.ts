/** One attempt: a POST to the judged and pinned place, no redirect followed, nothing of the answer kept but its status. */
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';
import { VERSION } from '../../domain/version.ts';
import { type AddressRule, lookupOf, pinAddress } from '../../machinery/address.ts';
import { isTaken, type PostResult, parseRetryAfter } from './retry-schedule.ts';

interface PostTarget {
  rule: AddressRule;
  url: string;
  timeoutMs: number;
}

export interface PostInput extends PostTarget {
  secret: string;
  message: WebhookMessage;
}

/** A request to a receiver that checks no signature. */
export interface PlainPostInput extends PostTarget {
  body: string;
}

/** What is read off so that the connection ends in order; more of it is cut. */
const ANSWER_BYTES_MAX = 16_384;
/** The status is all that counts; a body that trickles must not hold the attempt. */
const ANSWER_WAIT_MS = 1000;

type Answer = Omit<PostResult, 'at' | 'elapsedMs'>;

export type PostWebhook = (input: PostInput, signal: AbortSignal) => Promise<Answer>;

/** Resolves with what the receiver said or why it said nothing; rejects only if `signal` aborted. */
export async function postWebhook(
  { secret, message, ...target }: PostInput,
  signal: AbortSignal,
): Promise<Answer> {
  return await postSafely(target, message.body, webhookHeaders(secret, message), signal);
}

/** As postWebhook, unsigned. */
export async function postPlain({ body, ...target }: PlainPostInput, signal: AbortSignal): Promise<Answer> {
  return await postSafely(target, body, {}, signal);
}

async function postSafely(
  input: PostTarget,
  text: string,
  signature: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(input.timeoutMs);
  try {
    return await post(input, text, signature, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    const text = timeout.aborted ? `no answer within ${input.timeoutMs / 1000} seconds` : describe(error);
    return { status: null, error: text, retryAfterSeconds: null };
  }
}

async function post(
  { rule, url }: PostTarget,
  text: string,
  signature: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const pinned = await pinAddress(rule, url, signal);
  const agent = new Agent({ connect: { lookup: lookupOf(pinned) } });
  try {
    const { statusCode, headers, body } = await request(pinned.url, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': `Assay/${VERSION}`,
        ...signature,
      },
      body: text,
    });
    const patience = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WAIT_MS)]);
    await body.dump({ limit: ANSWER_BYTES_MAX, signal: patience }).catch(() => {});
    const retryAfter = headers['retry-after'];
    return {
      status: statusCode,
      error: isTaken(statusCode) ? '' : refusalOf(statusCode),
      retryAfterSeconds: parseRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now()),
    };
  } finally {
    await agent.destroy();
  }
}

function refusalOf(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `the receiver answered with status ${status}${isRedirect ? '; redirects are not followed' : ''}`;
}

function describe(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return `the receiver could not be reached (${codeOf(error, 'unknown')})`;
}

interface WebhookMessage {
  id: string;
  /** Seconds since 1970 UTC: receivers refuse a message that is far from their own clock. */
  timestamp: number;
  body: string;
}

/** The headers of a Standard Webhooks message (https://www.standardwebhooks.com), symmetric signatures `v1`. `secret` is `whsec_` and base64, as the account sees it. */
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
