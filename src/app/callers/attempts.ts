/** Bounds guesses: failed sign-ins and reveals by account and address, and requested mails. A restart forgets the counts. */
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../../domain/errors.ts';

const MINUTE_SECONDS = 60;

const RULES = {
  /** Guesses of one account's password from any client: ten a quarter of an hour find nothing. */
  accountGuess: { points: 10, duration: 15 * MINUTE_SECONDS },
  /** One address may serve a whole desk. */
  addressGuess: { points: 50, duration: 15 * MINUTE_SECONDS },
  /** Mails to one mailbox: enough for a lost one, too few to flood it. */
  mailboxMail: { points: 3, duration: 60 * MINUTE_SECONDS },
  /** Mails and registrations asked for from one address. */
  addressMail: { points: 20, duration: 60 * MINUTE_SECONDS },
} as const;

export type AttemptRule = keyof typeof RULES;

export class Attempts {
  readonly #limiters: Readonly<Record<AttemptRule, RateLimiterMemory>> = {
    accountGuess: new RateLimiterMemory(RULES.accountGuess),
    addressGuess: new RateLimiterMemory(RULES.addressGuess),
    mailboxMail: new RateLimiterMemory(RULES.mailboxMail),
    addressMail: new RateLimiterMemory(RULES.addressMail),
  };

  /** Counts an attempt before it is made, so that many at once cannot slip through; throws `rate` past the bound. */
  async count(rule: AttemptRule, key: string): Promise<void> {
    try {
      await this.#limiters[rule].consume(key);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
      throw new AppError('rate', `too many attempts; try again in ${seconds} seconds`, {
        retryAfterSeconds: seconds,
        metadata: { limit: String(RULES[rule].points), remaining: '0' },
      });
    }
  }

  /** A successful attempt is no guess. The address keeps its count, or one known password would clear it. */
  async forget(rule: AttemptRule, key: string): Promise<void> {
    await this.#limiters[rule].delete(key);
  }
}

const IPV6_NETWORK_PARTS = 4;

/** One key per address; an IPv6 household has a whole /64, which is one key too. */
export function addressKey(remoteAddress: string): string {
  const bare = remoteAddress.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(bare)) return bare;
  const address = ipaddr.process(bare);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return address.parts.slice(0, IPV6_NETWORK_PARTS).join(':');
}
