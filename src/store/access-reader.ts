/** What lets somebody in: API keys, sessions and mailed links, as the store has them. */
import type { ApiKey, MailToken, Session } from '../domain/account.ts';
import type { Tables } from './schema.ts';

/** What finds a session or a mailed link without reading it. */
export interface ExpiringKey {
  hash: string;
  accountId: number;
  expiresAt: number;
}

export class AccessReader {
  protected readonly tables: Tables;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  apiKey(hash: string): ApiKey | undefined {
    return this.tables.apiKeys.get(hash);
  }

  /** The account's keys in the order in which they were made, without damaged ones, which let nobody in. */
  apiKeys(accountId: number): ApiKey[] {
    return this.apiKeyHashes(accountId).flatMap((hash) => this.tables.apiKeys.getUnlessDamaged(hash) ?? []);
  }

  /** Of all keys that the account has, damaged ones included. */
  apiKeyHashes(accountId: number): string[] {
    return Array.from(this.tables.apiKeysByAccount.under([accountId]), (key) => String(key.at(-1)));
  }

  session(hash: string): Session | undefined {
    return this.tables.sessions.get(hash);
  }

  /** Without damaged ones, which let nobody in. */
  sessions(): Session[] {
    return [...this.tables.sessions.values()];
  }

  /** Without damaged ones, which let nobody in. */
  sessionsOfAccount(accountId: number): Session[] {
    const found = this.sessionKeysOfAccount(accountId);
    return found.flatMap(({ hash }) => this.tables.sessions.getUnlessDamaged(hash) ?? []);
  }

  /** Of damaged ones too: ending a session reads none. */
  sessionKeysOfAccount(accountId: number): ExpiringKey[] {
    return Array.from(this.tables.sessionsByAccount.under([accountId]), toExpiringKey);
  }

  /** Of any account, the one that ended first before the others. */
  endedSessionKeys(now: number, limit: number): ExpiringKey[] {
    return endedKeys(this.tables.sessionsByEnd.under([]), now, limit);
  }

  mailToken(hash: string): MailToken | undefined {
    return this.tables.mailTokens.get(hash);
  }

  /** As `mailToken`, for what ends one: it lets nobody in. */
  mailTokenUnlessDamaged(hash: string): MailToken | undefined {
    return this.tables.mailTokens.getUnlessDamaged(hash);
  }

  /** Of damaged ones too: ending a link reads none. */
  mailTokenKeysOfAccount(accountId: number): ExpiringKey[] {
    return Array.from(this.tables.mailTokensByAccount.under([accountId]), toExpiringKey);
  }

  /** Of any account, the one that expired first before the others. */
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
