/** Accounts, their roles and API keys. Secrets are stored sealed or hashed; see app/accounts/keys.ts. */
import type { LEDGER_ENTRY } from '../contract/ledger.ts';
import { ROLE } from '../contract/words.ts';
import type { ValuesOf } from '../field.ts';
import type { C2paPolicy } from '../provenance/provenance.ts';
import type { HeuristicName } from '../verdicts/heuristics.ts';

export const ROLES = ROLE.words;
export type Role = (typeof ROLES)[number];

export interface Account {
  id: number;
  name: string;
  email: string;
  role: Role;
  planId: number;
  partnerId: number | null;
  heuristic: HeuristicName;
  readonly: boolean;
  /** Overrides the plan's policy if set. */
  c2paPolicy: C2paPolicy | null;
  /** The Standard Webhooks secret, sealed as API keys are; null until it is first asked for. */
  webhookSecret: Uint8Array | null;
  /** The id of the newest key: a revoked key's id never names another key. */
  lastKeyId: number;
  /** Argon2id in PHC form, or null while no password is set. */
  passwordHash: string | null;
  address: string | null;
  zip: string | null;
  city: string | null;
  country: string | null;
  phone: string | null;
  contact: string | null;
  vat: string | null;
  /** Microseconds since 1970 UTC, as all times in the store. */
  emailVerifiedAt: number | null;
  termsAcceptedAt: number | null;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
}

/** A browser that signed in with e-mail and password. */
export interface Session {
  /** SHA-256 of the cookie's value, hex: the look-up key. */
  hash: string;
  accountId: number;
  /** The page sends it back in a header; another site cannot read it. */
  csrfToken: string;
  userAgent: string;
  createdAt: number;
  expiresAt: number;
}

export const TOKEN_PURPOSES = ['set_password', 'reset_password', 'verify_email'] as const;
export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];

/** A mailed single-use link; it is deleted when it is used. */
export interface MailToken {
  /** SHA-256 of the token, hex: the look-up key. */
  hash: string;
  accountId: number;
  purpose: TokenPurpose;
  createdAt: number;
  expiresAt: number;
}

export interface ApiKey {
  /** SHA-256 of the key, hex: the look-up key. */
  hash: string;
  /** Names the key to people and to the facades; the hash never leaves the store. */
  id: number;
  accountId: number;
  name: string;
  /** AES-256-GCM of the key under the data folder's sealing key: nonce, tag, ciphertext. */
  sealed: Uint8Array;
  createdAt: number;
  lastUsedAt: number | null;
}

/** An append-only line of an account's credits; the sum of `amount` is always the balance. */
export interface LedgerEntry extends ValuesOf<typeof LEDGER_ENTRY> {
  accountId: number;
}

/** The sum of the ledger, kept beside it so that a charge is one read. */
export interface Balance {
  available: number;
  spent: number;
  sequence: number;
}
