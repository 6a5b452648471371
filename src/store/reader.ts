/** What can be read from the store. A transaction reads the same way and sees its own writes. */
import type { Account, ApiKey, Balance, LedgerEntry } from '../domain/account.ts';
import type { Analysis, Classification, Override } from '../domain/classification.ts';
import { hasEnded } from '../domain/classification.ts';
import type { MediaKind } from '../domain/media.ts';
import type { Plan } from '../domain/plan.ts';
import type { AcceptedRequest, Tables } from './schema.ts';

export interface ListQuery {
  accountId: number;
  kind?: MediaKind | undefined;
  /** The last record of the page before. */
  before?: { createdAt: number; identifier: string } | undefined;
  limit: number;
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

  classificationsOfAnalysis(analysisId: string): Classification[] {
    return this.#load(this.tables.classificationsByAnalysis.under([analysisId]));
  }

  classificationsOfHash(accountId: number, kind: MediaKind, hash: string): Classification[] {
    return this.#load(this.tables.classificationsByHash.under([hash, accountId, kind]));
  }

  /** Whether any record of any account still needs the bytes. */
  hasBlobReference(hash: string): boolean {
    for (const _ of this.tables.classificationsByHash.under([hash])) return true;
    return false;
  }

  /** Newest first. */
  listClassifications({ accountId, kind, before, limit }: ListQuery): Classification[] {
    const index =
      kind === undefined ? this.tables.classificationsByAccount : this.tables.classificationsByKind;
    const prefix = kind === undefined ? [accountId] : [accountId, kind];
    const last = before === undefined ? undefined : [...prefix, before.createdAt, before.identifier];
    return this.#load(index.underReversed(prefix, last), limit);
  }

  account(id: number): Account | undefined {
    return this.tables.accounts.get(id);
  }

  accountByEmail(email: string): Account | undefined {
    const id = this.tables.accountsByEmail.get(email.toLowerCase());
    return id === undefined ? undefined : this.account(id);
  }

  accounts(): Account[] {
    return [...this.tables.accounts.values()];
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

  balance(accountId: number): Balance {
    return this.tables.balances.get(accountId) ?? NO_BALANCE;
  }

  ledger(accountId: number): LedgerEntry[] {
    return [...this.tables.ledger.values([accountId], [accountId, Number.MAX_SAFE_INTEGER])];
  }

  override(accountId: number, kind: MediaKind, hash: string): Override | undefined {
    return this.tables.overrides.get([accountId, kind, hash]);
  }

  request(accountId: number, requestId: string): AcceptedRequest | undefined {
    return this.tables.requests.get([accountId, requestId]);
  }

  /** Records whose work has not ended; the invariant that a fault test checks. */
  openClassifications(): Classification[] {
    return this.openAnalysisIds().flatMap((id) => {
      const analysis = this.analysis(id);
      return analysis === undefined || hasEnded(analysis.state) ? [] : this.classificationsOfAnalysis(id);
    });
  }

  #load(keys: Iterable<readonly unknown[]>, limit = Number.POSITIVE_INFINITY): Classification[] {
    const found: Classification[] = [];
    for (const key of keys) {
      if (found.length >= limit) break;
      const classification = this.classification(String(key.at(-1)));
      if (classification !== undefined) found.push(classification);
    }
    return found;
  }
}
