/** What can be written of accounts, plans, keys, sessions and mail tokens; every method keeps its indexes. */
import type { Account, ApiKey, MailToken, Session } from '../../domain/accounts/account.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { SavedFilter } from '../../domain/records/saved-filter.ts';
import { ACCOUNTS, API_KEYS, type ExpiringKey, MAIL_TOKENS, SESSIONS } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';
import { AccountReader } from './account-reader.ts';
import type { StoreChange } from './change.ts';

export class AccountWriter extends AccountReader {
  readonly #changed: (change: StoreChange) => void;

  /** `changed` is called with the accounts whose next call must be judged anew. */
  constructor(tables: Tables, changed: (change: StoreChange) => void) {
    super(tables);
    this.#changed = changed;
  }

  put(account: Account): void {
    const before = this.get(account.id);
    // Another account may have a deleted account's address by now.
    if (before?.deletedAt === null) this.tables.accountsByEmail.remove(before.email.toLowerCase());
    ACCOUNTS.put(this.tables, account.id, account, before);
    this.indexAddress(account);
    this.#noteStanding(account.id);
  }

  /** A deleted account's address is free for another. */
  indexAddress(account: Account): void {
    if (account.deletedAt === null) this.tables.accountsByEmail.put(account.email.toLowerCase(), account.id);
  }

  putPlan(plan: Plan): void {
    this.tables.plans.put(plan.id, plan);
  }

  putApiKey(key: ApiKey): void {
    API_KEYS.put(this.tables, key.hash, key);
  }

  /** Removes damaged keys, too: none of them may come back with a backup or better memory. */
  removeApiKeys(accountId: number): void {
    for (const key of [...this.tables.apiKeysByAccount.under([accountId])]) {
      this.tables.apiKeys.remove(String(key.at(-1)));
      this.tables.apiKeysByAccount.remove(key);
    }
    this.#noteStanding(accountId);
  }

  removeApiKey(key: ApiKey): void {
    API_KEYS.remove(this.tables, key.hash, key);
    this.#noteStanding(key.accountId);
  }

  putSession(session: Session): void {
    SESSIONS.put(this.tables, session.hash, session);
  }

  removeSession(session: ExpiringKey): void {
    SESSIONS.remove(this.tables, session.hash, session);
    this.#noteStanding(session.accountId);
  }

  putSavedFilters(accountId: number, filters: readonly SavedFilter[]): void {
    if (filters.length === 0) this.tables.savedFilters.remove(accountId);
    else this.tables.savedFilters.put(accountId, filters);
  }

  #noteStanding(accountId: number): void {
    this.#changed({ type: 'standing', accountId });
  }

  putMailToken(token: MailToken): void {
    MAIL_TOKENS.put(this.tables, token.hash, token);
  }

  removeMailToken(token: ExpiringKey): void {
    MAIL_TOKENS.remove(this.tables, token.hash, token);
  }
}
