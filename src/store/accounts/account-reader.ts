/** Reads accounts, their plans, keys, sessions and links. */
import type { Account, ApiKey, MailToken, Session } from '../../domain/accounts/account.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { SavedFilter } from '../../domain/records/saved-filter.ts';
import type { ExpiringKey } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';
import type { Rows } from '../tables/table.ts';

export class AccountReader {
  protected readonly tables: Tables;
  /** No account can be given a damaged one. */
  readonly plans: Rows<Plan>;
  /** A damaged session lets no one in. */
  readonly sessions: Rows<Session>;
  readonly mailTokens: Rows<MailToken>;

  constructor(tables: Tables) {
    this.tables = tables;
    this.plans = tables.plans;
    this.sessions = tables.sessions;
    this.mailTokens = tables.mailTokens;
  }

  get(id: number): Account | undefined {
    return this.tables.accounts.get(id);
  }

  /** The account's plan, if both are there. Throws if one is damaged. */
  planOf(id: number): Plan | undefined {
    const account = this.get(id);
    return account && this.plans.get(account.planId);
  }

  /** Like `planOf`; a damaged account or plan reads as none. */
  planUnlessDamaged(id: number): Plan | undefined {
    const account = this.getUnlessDamaged(id);
    return account && this.plans.getUnlessDamaged(account.planId);
  }

  /** In the order in which they were saved; a damaged row reads as none, since filters can be saved again. */
  savedFilters(accountId: number): SavedFilter[] {
    return [...(this.tables.savedFilters.getUnlessDamaged(accountId) ?? [])];
  }

  /** Like `get`, for callers that only mention the account; a damaged one reads as none. */
  getUnlessDamaged(id: number): Account | undefined {
    return this.tables.accounts.getUnlessDamaged(id);
  }

  /** Throws if the account is damaged: its address is not free. */
  byEmail(email: string): Account | undefined {
    const address = email.toLowerCase();
    if (!this.tables.accountsByEmail.has(address)) return undefined;
    const id = this.tables.accountsByEmail.getUnlessDamaged(address);
    if (id !== undefined) return this.get(id);
    const holder = this.all().find(
      (account) => account.deletedAt === null && account.email.toLowerCase() === address,
    );
    // The account is damaged too: an answer of "no account" would give its address away, so this throws.
    if (holder === undefined) this.tables.accountsByEmail.get(address);
    return holder;
  }

  /** The highest id of an account, deleted and damaged ones included; 0 if there is none. */
  newestId(): number {
    return Number(this.tables.accounts.lastKey() ?? 0);
  }

  /** Leaves damaged accounts out: they can do nothing. */
  all(): Account[] {
    return [...this.tables.accounts.values()];
  }

  /** Deleted ones included. */
  ofRole(role: Account['role']): Account[] {
    const ids = Array.from(this.tables.accountsByRole.under([role]), (key) => Number(key[1]));
    return ids.flatMap((id) => this.getUnlessDamaged(id) ?? []);
  }

  /** The highest id of a plan, damaged ones included: their accounts must not get another plan under the same id. */
  newestPlanId(): number {
    return Number(this.tables.plans.lastKey() ?? 0);
  }

  apiKey(hash: string): ApiKey | undefined {
    return this.tables.apiKeys.get(hash);
  }

  /** The account's keys in the order in which they were made; damaged ones, which let no one in, are left out. */
  apiKeys(accountId: number): ApiKey[] {
    return this.apiKeyHashes(accountId).flatMap((hash) => this.tables.apiKeys.getUnlessDamaged(hash) ?? []);
  }

  /** Hashes of all keys that the account has, damaged ones included. */
  apiKeyHashes(accountId: number): string[] {
    return Array.from(this.tables.apiKeysByAccount.under([accountId]), (key) => String(key.at(-1)));
  }

  /** Leaves damaged sessions out, which let no one in. */
  sessionsOfAccount(accountId: number): Session[] {
    const found = this.sessionKeysOfAccount(accountId);
    return found.flatMap(({ hash }) => this.tables.sessions.getUnlessDamaged(hash) ?? []);
  }

  /** Keys of all sessions, damaged ones included: ending a session reads none. */
  sessionKeysOfAccount(accountId: number): ExpiringKey[] {
    return Array.from(this.tables.sessionsByAccount.under([accountId]), toExpiringKey);
  }

  /** Sessions of any account, in the order in which they ended. */
  endedSessionKeys(now: number, limit: number): ExpiringKey[] {
    return endedKeys(this.tables.sessionsByEnd.under([]), now, limit);
  }

  /** Keys of all links, damaged ones included: ending a link reads none. */
  mailTokenKeysOfAccount(accountId: number): ExpiringKey[] {
    return Array.from(this.tables.mailTokensByAccount.under([accountId]), toExpiringKey);
  }

  /** Links of any account, in the order in which they expired. */
  endedMailTokenKeys(now: number, limit: number): ExpiringKey[] {
    return endedKeys(this.tables.mailTokensByEnd.under([]), now, limit);
  }
}

function toExpiringKey([accountId, expiresAt, hash]: readonly unknown[]): ExpiringKey {
  return { accountId: Number(accountId), expiresAt: Number(expiresAt), hash: String(hash) };
}

function endedKeys(keys: Iterable<readonly unknown[]>, now: number, limit: number): ExpiringKey[] {
  const ended: ExpiringKey[] = [];
  for (const [expiresAt, accountId, hash] of keys) {
    if (Number(expiresAt) > now || ended.length >= limit) break;
    ended.push(toExpiringKey([accountId, expiresAt, hash]));
  }
  return ended;
}
