/** What can be read from the store. A transaction reads the same way and sees its own writes. */
import { createHash } from 'node:crypto';
import type { Account, ApiKey, Balance, LedgerEntry, MailToken, Session } from '../domain/account.ts';
import type { AuditEntry } from '../domain/audit.ts';
import type { Analysis, Classification, Override } from '../domain/classification.ts';
import type { MediaKind } from '../domain/media.ts';
import type { Plan } from '../domain/plan.ts';
import type { DisabledReceiver, WebhookDelivery } from '../domain/webhook.ts';
import { DamagedRecordError } from './codec.ts';
import type { AcceptedRequest, PartReference, Tables } from './schema.ts';

export interface ScanQuery {
  accountId: number;
  kind?: MediaKind | undefined;
  /** The last record of the page before; without an identifier, the time at which the scan begins. */
  before?: { createdAt: number; identifier?: string } | undefined;
}

export interface ListQuery extends ScanQuery {
  limit: number;
}

/** LMDB's keys are bounded, addresses are not. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What finds a session or a mailed link without reading it. */
export interface ExpiringKey {
  hash: string;
  accountId: number;
  expiresAt: number;
}

const NO_BALANCE: Balance = { available: 0, spent: 0, sequence: 0 };

export class StoreReader {
  protected readonly tables: Tables;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  classification(identifier: string): Classification | undefined {
    return this.tables.classifications.get(identifier);
  }

  analysis(id: string): Analysis | undefined {
    return this.tables.analyses.get(id);
  }

  /** The newest analysis with the key. */
  analysisIdOfKey(key: string): string | undefined {
    return this.tables.analysesByKey.get(key);
  }

  /** Queued and running analyses, oldest first. */
  openAnalysisIds(): string[] {
    return Array.from(this.tables.analysesOpen.under([]), (key) => String(key[1]));
  }

  /** Errored analyses, newest first. */
  *failedAnalyses(): Generator<Analysis> {
    for (const key of this.tables.analysesFailed.underReversed([])) {
      const analysis = this.analysis(String(key[1]));
      if (analysis !== undefined) yield analysis;
    }
  }

  classificationsOfAnalysis(analysisId: string): Classification[] {
    return this.#load(this.tables.classificationsByAnalysis.under([analysisId]));
  }

  classificationsOfHash(accountId: number, kind: MediaKind, hash: string): Classification[] {
    return this.#load(this.tables.classificationsByHash.under([hash, accountId, kind]));
  }

  /** The records of every account and kind that have these bytes. */
  classificationsOfBlob(hash: string): Classification[] {
    return this.#load(this.tables.classificationsByHash.under([hash]));
  }

  /** Whether any record of any account still needs the bytes. */
  hasBlobReference(hash: string): boolean {
    for (const _ of this.tables.classificationsByHash.under([hash])) return true;
    return false;
  }

  /** Newest first, read as it is walked: the caller sets the bound. */
  *scanClassifications({ accountId, kind, before }: ScanQuery): Generator<Classification> {
    const index =
      kind === undefined ? this.tables.classificationsByAccount : this.tables.classificationsByKind;
    const prefix = kind === undefined ? [accountId] : [accountId, kind];
    const { createdAt, identifier } = before ?? {};
    const place = [createdAt, identifier].filter((part) => part !== undefined);
    const last = before === undefined ? undefined : [...prefix, ...place];
    for (const key of index.underReversed(prefix, last)) {
      const classification = this.#unlessDamaged(String(key.at(-1)));
      if (classification !== undefined) yield classification;
    }
  }

  /** Hashes that begin so and that some record of some account needs. */
  blobHashesStartingWith(text: string): Set<string> {
    return new Set(
      Array.from(this.tables.classificationsByHash.startingWith(text), ([hash]) => String(hash)),
    );
  }

  /** Whether there is an analysis, be it damaged. */
  hasAnalysis(id: string): boolean {
    return this.tables.analyses.has(id);
  }

  /** Newest first. */
  listClassifications({ limit, ...query }: ListQuery): Classification[] {
    const found: Classification[] = [];
    for (const classification of this.scanClassifications(query)) {
      if (found.length >= limit) break;
      found.push(classification);
    }
    return found;
  }

  /**
   * The account's records of files whose hash begins so, in no order; undefined where more than `entriesMax` files of
   * any account do, and the way by the hash is no shorter than the whole list.
   */
  classificationsOfHashPrefix(
    accountId: number,
    prefix: string,
    entriesMax: number,
  ): Classification[] | undefined {
    const identifiers: string[] = [];
    let entries = 0;
    for (const [, owner, , identifier] of this.tables.classificationsByHash.startingWith(prefix)) {
      entries += 1;
      if (entries > entriesMax) return undefined;
      if (owner === accountId) identifiers.push(String(identifier));
    }
    return identifiers.flatMap((identifier) => this.#unlessDamaged(identifier) ?? []);
  }

  account(id: number): Account | undefined {
    return this.tables.accounts.get(id);
  }

  accountByEmail(email: string): Account | undefined {
    const id = this.tables.accountsByEmail.get(email.toLowerCase());
    return id === undefined ? undefined : this.account(id);
  }

  /** The account with the highest id, deleted ones included. */
  newestAccount(): Account | undefined {
    return this.tables.accounts.last(undefined, 1)[0];
  }

  accounts(): Account[] {
    return [...this.tables.accounts.values()];
  }

  /** Deleted ones included. */
  accountsOfRole(role: Account['role']): Account[] {
    const ids = Array.from(this.tables.accountsByRole.under([role]), (key) => Number(key[1]));
    return ids.flatMap((id) => unlessDamaged(() => this.account(id)) ?? []);
  }

  plan(id: number): Plan | undefined {
    return this.tables.plans.get(id);
  }

  plans(): Plan[] {
    return [...this.tables.plans.values()];
  }

  apiKey(hash: string): ApiKey | undefined {
    return this.tables.apiKeys.get(hash);
  }

  /** The account's keys in the order in which they were made. */
  apiKeys(accountId: number): ApiKey[] {
    const hashes = Array.from(this.tables.apiKeysByAccount.under([accountId]), (key) => String(key.at(-1)));
    return hashes.flatMap((hash) => this.apiKey(hash) ?? []);
  }

  session(hash: string): Session | undefined {
    return this.tables.sessions.get(hash);
  }

  sessions(): Session[] {
    return [...this.tables.sessions.values()];
  }

  sessionsOfAccount(accountId: number): Session[] {
    const found = this.sessionKeysOfAccount(accountId);
    return found.flatMap(({ hash }) => unlessDamaged(() => this.session(hash)) ?? []);
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

  mailTokensOfAccount(accountId: number): MailToken[] {
    const found = this.mailTokenKeysOfAccount(accountId);
    return found.flatMap(({ hash }) => unlessDamaged(() => this.mailToken(hash)) ?? []);
  }

  mailTokenKeysOfAccount(accountId: number): ExpiringKey[] {
    return Array.from(this.tables.mailTokensByAccount.under([accountId]), toExpiringKey);
  }

  /** Of any account, the one that expired first before the others. */
  endedMailTokenKeys(now: number, limit: number): ExpiringKey[] {
    return endedKeys(this.tables.mailTokensByEnd.under([]), now, limit);
  }

  /** Newest first, those before the sequence number where one is given. */
  audit({ before, limit }: { before?: number | undefined; limit: number }): AuditEntry[] {
    return this.tables.audit.last(before, limit);
  }

  delivery(id: string): WebhookDelivery | undefined {
    return this.tables.deliveries.get(id);
  }

  /** Newest first. */
  deliveries(
    accountId: number,
    { before, limit }: { before?: { createdAt: number; id: string } | undefined; limit: number },
  ): WebhookDelivery[] {
    const last = before === undefined ? undefined : [accountId, before.createdAt, before.id];
    const found: WebhookDelivery[] = [];
    for (const key of this.tables.deliveriesByAccount.underReversed([accountId], last)) {
      if (found.length >= limit) break;
      const delivery = this.delivery(String(key.at(-1)));
      if (delivery !== undefined) found.push(delivery);
    }
    return found;
  }

  /** Ids of the account's deliveries that are older than `before` or not among the newest `keepMax`, newest first. */
  staleDeliveryIds(accountId: number, { before, keepMax }: { before: number; keepMax: number }): string[] {
    const stale: string[] = [];
    let seen = 0;
    for (const [, createdAt, id] of this.tables.deliveriesByAccount.underReversed([accountId])) {
      seen += 1;
      if (seen > keepMax || Number(createdAt) < before) stale.push(String(id));
    }
    return stale;
  }

  /** Deliveries whose next attempt is due, the one that waits longest first. */
  dueDeliveries(now: number, limit: number): WebhookDelivery[] {
    const found: WebhookDelivery[] = [];
    for (const [dueAt, id] of this.tables.deliveriesDue.under([])) {
      if (Number(dueAt) > now || found.length >= limit) break;
      const delivery = this.delivery(String(id));
      if (delivery !== undefined) found.push(delivery);
    }
    return found;
  }

  /** Deliveries whose next attempt lies behind that time, the latest first. */
  deliveriesDueAfter(after: number, limit: number): WebhookDelivery[] {
    const found: WebhookDelivery[] = [];
    for (const [dueAt, id] of this.tables.deliveriesDue.underReversed([])) {
      if (Number(dueAt) <= after || found.length >= limit) break;
      const delivery = this.delivery(String(id));
      if (delivery !== undefined) found.push(delivery);
    }
    return found;
  }

  /** When the next delivery is due; undefined where none waits. */
  nextDeliveryAt(): number | undefined {
    for (const [dueAt] of this.tables.deliveriesDue.under([])) return Number(dueAt);
    return undefined;
  }

  disabledReceiver(accountId: number, url: string): DisabledReceiver | undefined {
    return this.tables.disabledReceivers.get([accountId, sha256(url)]);
  }

  part(identifier: string): PartReference | undefined {
    return this.tables.parts.get(identifier);
  }

  /** Every override of the file by the account, the last one included, oldest first. */
  overrideHistory(accountId: number, kind: MediaKind, hash: string): Override[] {
    const start = [accountId, kind, hash, 0];
    return [...this.tables.overrideHistory.values(start, [accountId, kind, hash, Number.MAX_SAFE_INTEGER])];
  }

  balance(accountId: number): Balance {
    return this.tables.balances.get(accountId) ?? NO_BALANCE;
  }

  ledger(accountId: number): LedgerEntry[] {
    return [...this.tables.ledger.values([accountId], [accountId, Number.MAX_SAFE_INTEGER])];
  }

  /** Newest first, those before the sequence number where one is given; sequences have no gaps. */
  ledgerPage(
    accountId: number,
    { before, limit }: { before?: number | undefined; limit: number },
  ): LedgerEntry[] {
    const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, this.balance(accountId).sequence + 1);
    return [...this.tables.ledger.values([accountId, Math.max(1, end - limit)], [accountId, end])].reverse();
  }

  override(accountId: number, kind: MediaKind, hash: string): Override | undefined {
    return this.tables.overrides.get([accountId, kind, hash]);
  }

  request(accountId: number, requestId: string): AcceptedRequest | undefined {
    return this.tables.requests.get([accountId, requestId]);
  }

  /** Accepted requests older than `before`, oldest first. */
  requestsBefore(before: number, limit: number): { accountId: number; requestId: string }[] {
    const found: { accountId: number; requestId: string }[] = [];
    for (const [at, accountId, requestId] of this.tables.requestsByTime.under([])) {
      if (Number(at) >= before || found.length >= limit) break;
      found.push({ accountId: Number(accountId), requestId: String(requestId) });
    }
    return found;
  }

  #load(keys: Iterable<readonly unknown[]>): Classification[] {
    return Array.from(keys).flatMap((key) => this.#unlessDamaged(String(key.at(-1))) ?? []);
  }

  /** One damaged record must not hide all others from a list; asked for by its name it is refused. */
  #unlessDamaged(identifier: string): Classification | undefined {
    return unlessDamaged(() => this.classification(identifier));
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

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedRecordError) return undefined;
    throw error;
  }
}
