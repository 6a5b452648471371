/** The tables and indexes of the store, once. Adding one is a row here; changing one is a new format version. */
import type { RootDatabase } from 'lmdb';
import type { Account, ApiKey, Balance, LedgerEntry } from '../domain/account.ts';
import type { Analysis, Classification, Override } from '../domain/classification.ts';
import type { Plan } from '../domain/plan.ts';
import { Index, Table } from './table.ts';

/** Raised with every change of what is stored; an older store is migrated, a newer one refused. */
export const FORMAT_VERSION = 1;

/** An accepted submission that a repeated request identifier answers with. */
export interface AcceptedRequest {
  identifier: string;
  /** What was submitted: kind, hash and options; another content under the same identifier is refused. */
  fingerprint: string;
  at: number;
}

export interface StoreMeta {
  formatVersion: number;
  createdAt: number;
}

export interface Tables {
  meta: Table<StoreMeta>;
  plans: Table<Plan>;
  accounts: Table<Account>;
  accountsByEmail: Table<number>;
  apiKeys: Table<ApiKey>;
  ledger: Table<LedgerEntry>;
  balances: Table<Balance>;
  classifications: Table<Classification>;
  classificationsByAccount: Index;
  classificationsByKind: Index;
  classificationsByHash: Index;
  classificationsByAnalysis: Index;
  analyses: Table<Analysis>;
  analysesByKey: Table<string>;
  analysesOpen: Index;
  overrides: Table<Override>;
  overrideHistory: Table<Override>;
  requests: Table<AcceptedRequest>;
}

export function openTables(root: RootDatabase): Tables {
  return {
    meta: new Table(root, 'meta'),
    plans: new Table(root, 'plans'),
    accounts: new Table(root, 'accounts'),
    accountsByEmail: new Table(root, 'accounts-by-email'),
    apiKeys: new Table(root, 'api-keys'),
    ledger: new Table(root, 'ledger'),
    balances: new Table(root, 'balances'),
    classifications: new Table(root, 'classifications'),
    classificationsByAccount: new Index(root, 'classifications-by-account'),
    classificationsByKind: new Index(root, 'classifications-by-kind'),
    classificationsByHash: new Index(root, 'classifications-by-hash'),
    classificationsByAnalysis: new Index(root, 'classifications-by-analysis'),
    analyses: new Table(root, 'analyses'),
    analysesByKey: new Table(root, 'analyses-by-key'),
    analysesOpen: new Index(root, 'analyses-open'),
    overrides: new Table(root, 'overrides'),
    overrideHistory: new Table(root, 'override-history'),
    requests: new Table(root, 'requests'),
  };
}

/** LMDB's own bound on named tables; room for those to come. */
export const TABLES_MAX = 64;
