/** Timestamp authorities (RFC 3161) that stamp a package, and their answers. Names no person; goes with its last record. */
import { MICROSECONDS_PER_SECOND } from '../time.ts';

export const TIMESTAMP_STATES = ['waiting', 'stamped', 'failed'] as const;
export type TimestampState = (typeof TIMESTAMP_STATES)[number];

export interface TimestampRequest {
  /** The authority's address. */
  authority: string;
  state: TimestampState;
  /** By the authority's clock; microseconds since 1970 UTC; null until it has answered. */
  time: number | null;
  /** Why the last try failed; empty after a success or without a try. */
  error: string;
  /** DER of the reply; null until it arrives. */
  reply: Uint8Array | null;
}

export interface PackageTimestamps {
  /** SHA-256 of the package's signed list of files, hex: names the package. */
  packageSha256: string;
  /** The bytes that are stamped. */
  signature: Uint8Array;
  accountId: number;
  /** Records that still exist. */
  identifiers: string[];
  createdAt: number;
  attempts: number;
  /** Null once nothing is asked any more. */
  nextAttemptAt: number | null;
  requests: TimestampRequest[];
}

/** A timestamp as a record and the facades show it. */
export type TimestampStatus = Omit<TimestampRequest, 'reply'>;

/** One authority's answer to one try. */
export type TimestampAnswer = { reply: Uint8Array; time: number } | { error: string };

const FIRST_PAUSE_SECONDS = 30;
/** An authority that was down for a night is asked again in the morning. */
export const TIMESTAMP_PAUSE_SECONDS_MAX = 6 * 3600;
/** A token of a week later proves little about the day of the package; it can still be added by hand. */
const SERIES_SECONDS_MAX = 7 * 86_400;
/** Spreads tries that failed together. */
const JITTER = 0.2;

/** `random` is 0 ≤ x < 1. What was settled meanwhile stays. */
export function afterTimestampAttempt(
  before: PackageTimestamps,
  answers: ReadonlyMap<string, TimestampAnswer>,
  now: number,
  random: number,
): PackageTimestamps {
  const attempts = before.attempts + 1;
  const seconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempts - 1), TIMESTAMP_PAUSE_SECONDS_MAX);
  const next = Math.round(now + seconds * (1 - JITTER * random) * MICROSECONDS_PER_SECOND);
  const isLast = next > before.createdAt + SERIES_SECONDS_MAX * MICROSECONDS_PER_SECOND;
  const requests = before.requests.map((request): TimestampRequest => {
    const answer = answers.get(request.authority);
    if (answer === undefined || request.state !== 'waiting') return request;
    if ('reply' in answer) return { ...request, ...answer, state: 'stamped', error: '' };
    return { ...request, error: answer.error, state: isLast ? 'failed' : 'waiting' };
  });
  const isWaiting = requests.some(({ state }) => state === 'waiting');
  return { ...before, attempts, requests, nextAttemptAt: isWaiting ? next : null };
}

export function toTimestampStatus({ authority, state, time, error }: TimestampRequest): TimestampStatus {
  return { authority, state, time, error };
}
