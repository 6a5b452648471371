/** Secrets found by their hash: mailed links, browser sessions, API keys. */
import { hash, randomBytes } from 'node:crypto';
import type { Account, TokenPurpose } from '../../domain/accounts/account.ts';
import { badField } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';

const SECRET_BYTES = 32;
const HOUR_US = 3600 * 1_000_000;

/** A link that sets a password opens the account, so it lives a day; one that verifies an address may wait for Monday. */
const LIFE_US: Readonly<Record<TokenPurpose, number>> = {
  set_password: 24 * HOUR_US,
  reset_password: 24 * HOUR_US,
  verify_email: 72 * HOUR_US,
};

export const PASSWORD_PURPOSES: readonly TokenPurpose[] = ['set_password', 'reset_password'];

/** Expired ones that one transaction removes: more than it adds, so that they never accumulate. */
export const SWEPT_MAX = 100;

/** 256 random bits, safe in an address. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** An unguessable secret needs no salt: its look-up key is one hash. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

export interface IssuedToken {
  token: string;
  expiresAt: number;
}

/** Earlier links of the kind stop working. Expired ones of anybody are swept. */
export function issueToken(
  tx: StoreTransaction,
  { accountId, purpose, now }: { accountId: number; purpose: TokenPurpose; now: number },
): IssuedToken {
  const isReplaced = (other: TokenPurpose): boolean =>
    other === purpose || (PASSWORD_PURPOSES.includes(other) && PASSWORD_PURPOSES.includes(purpose));
  for (const key of tx.accounts.mailTokenKeysOfAccount(accountId)) {
    const earlier = tx.accounts.mailTokens.getUnlessDamaged(key.hash);
    // A damaged one's purpose is unknown, so it is taken for one of the kind.
    if (earlier === undefined || isReplaced(earlier.purpose)) tx.accounts.removeMailToken(key);
  }
  for (const ended of tx.accounts.endedMailTokenKeys(now, SWEPT_MAX)) tx.accounts.removeMailToken(ended);
  const token = newSecret();
  const expiresAt = now + LIFE_US[purpose];
  tx.accounts.putMailToken({ hash: hashSecret(token), accountId, purpose, createdAt: now, expiresAt });
  return { token, expiresAt };
}

/** The token's account; throws the same fault for a wrong, used, replaced and expired one. */
export function accountOfToken(
  read: StoreReader,
  token: string,
  { purposes, now }: { purposes: readonly TokenPurpose[]; now: number },
): Account {
  const found = read.accounts.mailTokens.get(hashSecret(token));
  const account = found === undefined ? undefined : read.accounts.get(found.accountId);
  const isGood = found !== undefined && purposes.includes(found.purpose) && found.expiresAt > now;
  if (!isGood || account === undefined || account.deletedAt !== null) {
    throw badField(
      'token',
      'expected a link that was neither used nor replaced nor has expired; ask for a new one',
    );
  }
  return account;
}

/** Uses the token up: returns its account, and removes it in this transaction. */
export function redeemToken(
  tx: StoreTransaction,
  token: string,
  use: { purposes: readonly TokenPurpose[]; now: number },
): Account {
  const account = accountOfToken(tx, token, use);
  const found = tx.accounts.mailTokens.get(hashSecret(token));
  if (found !== undefined) tx.accounts.removeMailToken(found);
  return account;
}

/** Removes everything that gives access to the account: keys, sessions, links. */
export function revokeAccess(tx: StoreTransaction, accountId: number): void {
  tx.accounts.removeApiKeys(accountId);
  endSessions(tx, accountId);
  removeTokens(tx, accountId);
}

export function removeTokens(tx: StoreTransaction, accountId: number): void {
  for (const key of tx.accounts.mailTokenKeysOfAccount(accountId)) tx.accounts.removeMailToken(key);
}

/** Signs out all of the account's browsers except the asking one. */
export function endSessions(tx: StoreTransaction, accountId: number, exceptHash?: string): number {
  const ended = tx.accounts.sessionKeysOfAccount(accountId).filter((it) => it.hash !== exceptHash);
  for (const key of ended) tx.accounts.removeSession(key);
  return ended.length;
}
