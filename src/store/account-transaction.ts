/** What can be written of accounts, plans, keys, sessions and mail tokens; every method keeps its indexes. */
import type { Account, ApiKey, MailToken, Session } from '../domain/accounts/account.ts';
import type { Plan } from '../domain/accounts/plan.ts';
import type { ExpiringKey } from './accounts/account-reader.ts';
import type { StoreChange } from './accounts/change.ts';
import { StoreReader } from './reader.ts';

export class AccountTransaction extends StoreReader {
  protected changes: StoreChange[] = [];

  /** What was changed since the last call. */
  takeChanges(): StoreChange[] {
    const { changes } = this;
    this.changes = [];
    return changes;
  }

  putAccount(account: Account): void {
    const before = this.account(account.id);
    // A deleted account's address may be another's by now.
    if (before?.deletedAt === null) this.tables.accountsByEmail.remove(before.email.toLowerCase());
    if (before !== undefined && before.role !== account.role) {
      this.tables.accountsByRole.remove([before.role, before.id]);
    }
    this.tables.accounts.put(account.id, account);
    this.indexAccount(account);
    this.#noteStanding(account.id);
  }

  /** A deleted account's address is free for another. */
  indexAccount(account: Account): void {
    this.tables.accountsByRole.put([account.role, account.id]);
    if (account.deletedAt === null) this.tables.accountsByEmail.put(account.email.toLowerCase(), account.id);
  }

  putPlan(plan: Plan): void {
    this.tables.plans.put(plan.id, plan);
  }

  putApiKey(key: ApiKey): void {
    this.tables.apiKeys.put(key.hash, key);
    this.indexApiKey(key);
  }

  indexApiKey(key: ApiKey): void {
    this.tables.apiKeysByAccount.put([key.accountId, key.id, key.hash]);
  }

  /** Damaged ones too: none of them may come back with a backup or a better memory module. */
  removeApiKeys(accountId: number): void {
    for (const key of [...this.tables.apiKeysByAccount.under([accountId])]) {
      this.tables.apiKeys.remove(String(key.at(-1)));
      this.tables.apiKeysByAccount.remove(key);
    }
    this.#noteStanding(accountId);
  }

  removeApiKey({ hash, id, accountId }: ApiKey): void {
    this.tables.apiKeys.remove(hash);
    this.tables.apiKeysByAccount.remove([accountId, id, hash]);
    this.#noteStanding(accountId);
  }

  putSession(session: Session): void {
    this.tables.sessions.put(session.hash, session);
    this.indexSession(session);
  }

  indexSession({ hash, accountId, expiresAt }: ExpiringKey): void {
    this.tables.sessionsByAccount.put([accountId, expiresAt, hash]);
    this.tables.sessionsByEnd.put([expiresAt, accountId, hash]);
  }

  removeSession({ hash, accountId, expiresAt }: ExpiringKey): void {
    this.tables.sessions.remove(hash);
    this.tables.sessionsByAccount.remove([accountId, expiresAt, hash]);
    this.tables.sessionsByEnd.remove([expiresAt, accountId, hash]);
    this.#noteStanding(accountId);
  }

  #noteStanding(accountId: number): void {
    this.changes.push({ type: 'standing', accountId });
  }

  putMailToken(token: MailToken): void {
    this.tables.mailTokens.put(token.hash, token);
    this.indexMailToken(token);
  }

  indexMailToken({ hash, accountId, expiresAt }: ExpiringKey): void {
    this.tables.mailTokensByAccount.put([accountId, expiresAt, hash]);
    this.tables.mailTokensByEnd.put([expiresAt, accountId, hash]);
  }

  removeMailToken({ hash, accountId, expiresAt }: ExpiringKey): void {
    this.tables.mailTokens.remove(hash);
    this.tables.mailTokensByAccount.remove([accountId, expiresAt, hash]);
    this.tables.mailTokensByEnd.remove([expiresAt, accountId, hash]);
  }
}
