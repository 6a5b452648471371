/** What can be written, only inside Store.transact; every method keeps its indexes, so that none is forgotten. */
import type { Account, ApiKey, LedgerEntry } from '../domain/account.ts';
import type { Analysis, Classification, Override } from '../domain/classification.ts';
import { hasEnded } from '../domain/classification.ts';
import type { Plan } from '../domain/plan.ts';
import { StoreReader } from './reader.ts';
import type { AcceptedRequest } from './schema.ts';

export class StoreTransaction extends StoreReader {
  putClassification(classification: Classification): void {
    const before = this.classification(classification.identifier);
    if (before !== undefined && before.hash !== classification.hash) this.#unindexHash(before);
    const { identifier, accountId, kind, createdAt, hash, analysisId } = classification;
    this.tables.classifications.put(identifier, classification);
    if (before === undefined) {
      this.tables.classificationsByAccount.put([accountId, createdAt, identifier]);
      this.tables.classificationsByKind.put([accountId, kind, createdAt, identifier]);
      this.tables.classificationsByAnalysis.put([analysisId, identifier]);
    }
    if (hash !== '') this.tables.classificationsByHash.put([hash, accountId, kind, identifier]);
  }

  deleteClassification(classification: Classification): void {
    const { identifier, accountId, kind, createdAt, analysisId } = classification;
    this.#unindexHash(classification);
    this.tables.classificationsByAccount.remove([accountId, createdAt, identifier]);
    this.tables.classificationsByKind.remove([accountId, kind, createdAt, identifier]);
    this.tables.classificationsByAnalysis.remove([analysisId, identifier]);
    this.tables.classifications.remove(identifier);
  }

  #unindexHash({ hash, accountId, kind, identifier }: Classification): void {
    if (hash !== '') this.tables.classificationsByHash.remove([hash, accountId, kind, identifier]);
  }

  putAnalysis(analysis: Analysis): void {
    const before = this.analysis(analysis.id);
    if (before !== undefined && before.key !== analysis.key) this.#forgetKey(before);
    this.tables.analyses.put(analysis.id, analysis);
    this.tables.analysesByKey.put(analysis.key, analysis.id);
    if (hasEnded(analysis.state)) this.tables.analysesOpen.remove([analysis.queuedAt, analysis.id]);
    else this.tables.analysesOpen.put([analysis.queuedAt, analysis.id]);
  }

  deleteAnalysis(analysis: Analysis): void {
    this.tables.analyses.remove(analysis.id);
    this.tables.analysesOpen.remove([analysis.queuedAt, analysis.id]);
    this.#forgetKey(analysis);
  }

  #forgetKey({ key, id }: Analysis): void {
    if (this.analysisIdOfKey(key) === id) this.tables.analysesByKey.remove(key);
  }

  putAccount(account: Account): void {
    const before = this.account(account.id);
    if (before !== undefined) this.tables.accountsByEmail.remove(before.email.toLowerCase());
    this.tables.accounts.put(account.id, account);
    if (account.deletedAt === null) this.tables.accountsByEmail.put(account.email.toLowerCase(), account.id);
  }

  putPlan(plan: Plan): void {
    this.tables.plans.put(plan.id, plan);
  }

  putApiKey(key: ApiKey): void {
    this.tables.apiKeys.put(key.hash, key);
  }

  /** The only way credits move: one line, and the balance that it makes. */
  appendLedger(line: Omit<LedgerEntry, 'sequence'>): void {
    const balance = this.balance(line.accountId);
    const sequence = balance.sequence + 1;
    const spent = line.reason === 'grant' ? balance.spent : balance.spent - line.amount;
    this.tables.ledger.put([line.accountId, sequence], { ...line, sequence });
    this.tables.balances.put(line.accountId, { available: balance.available + line.amount, spent, sequence });
  }

  putOverride(override: Override): void {
    const { accountId, kind, hash, at } = override;
    this.tables.overrides.put([accountId, kind, hash], override);
    this.tables.overrideHistory.put([accountId, kind, hash, at], override);
  }

  removeOverride(override: Override): void {
    this.tables.overrides.remove([override.accountId, override.kind, override.hash]);
  }

  putRequest(accountId: number, requestId: string, request: AcceptedRequest): void {
    this.tables.requests.put([accountId, requestId], request);
  }

  setMeta(meta: { formatVersion: number; createdAt: number }): void {
    this.tables.meta.put('store', meta);
  }
}
