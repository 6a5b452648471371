/** The calls that a plan still allows, as headers: the structured fields of draft-ietf-httpapi-ratelimit-headers. */
import { RATE_WINDOW_SECONDS, type RateState } from '../app/callers/call-rates.ts';

/** Names the one policy there is, in both headers. */
const POLICY = '"plan"';

export function rateHeaders({ limit, remaining, resetSeconds }: RateState): Record<string, string> {
  return {
    'ratelimit-policy': `${POLICY};q=${limit};w=${RATE_WINDOW_SECONDS}`,
    ratelimit: `${POLICY};r=${remaining};t=${resetSeconds}`,
  };
}
