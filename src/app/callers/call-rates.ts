/** Counts an account's calls a minute, over all facades together, against its plan. Counted in memory: a restart forgives. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../../domain/errors.ts';
import type { Principal } from './principal.ts';

/** The window of a limit "per minute"; it begins with the first call in it. */
export const RATE_WINDOW_SECONDS = 60;

export interface RateState {
  /** Calls that the plan allows in a window. */
  limit: number;
  remaining: number;
  /** Seconds, rounded up, until the window begins anew. */
  resetSeconds: number;
}

/** The plan's limit is compared here, so that a change applies from the next call on. */
const POINTS_MAX = Number.MAX_SAFE_INTEGER;
const MS_PER_SECOND = 1000;

export class CallRates {
  readonly #counter = new RateLimiterMemory({ points: POINTS_MAX, duration: RATE_WINDOW_SECONDS });

  /** Counts a call, once its caller is known. Null if the plan has no limit. Throws `rate` for a call too many. */
  async count({ account, plan }: Pick<Principal, 'account' | 'plan'>): Promise<RateState | null> {
    const limit = plan.rateLimitPerMinute;
    if (limit <= 0) return null;
    const { consumedPoints, msBeforeNext } = await this.#counter.consume(account.id);
    // The counter uses the wall clock, which may be set back by a day; the window itself ends by a timer.
    const resetSeconds = Math.min(RATE_WINDOW_SECONDS, Math.max(1, Math.ceil(msBeforeNext / MS_PER_SECOND)));
    if (consumedPoints > limit) throw tooMany(limit, resetSeconds);
    return { limit, remaining: limit - consumedPoints, resetSeconds };
  }
}

function tooMany(limit: number, resetSeconds: number): AppError {
  const message = `the plan allows ${limit} calls a minute; call again in ${resetSeconds} seconds`;
  return new AppError('rate', message, {
    metadata: { limit: String(limit), remaining: '0', window_seconds: String(RATE_WINDOW_SECONDS) },
    retryAfterSeconds: resetSeconds,
  });
}
