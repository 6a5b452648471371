/** Rules for every stored account, and the values of a new one; checked inside the writing transaction. */
import type { Account } from '../../domain/accounts/account.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { DEFAULT_HEURISTIC } from '../../domain/verdicts/heuristics.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { Principal } from '../callers/principal.ts';
import { type AccountChange, ADMIN_FIELDS, fieldNameOf, OWN_FIELDS } from './account-fields.ts';

/** Far above any newsroom; keeps one partner, or an open registration, from filling the box. */
export const ACCOUNTS_MAX = 100_000;

/** Fields of an account about which nothing was said yet. */
export const NOTHING_STATED = {
  readonly: false,
  c2paPolicy: null,
  address: null,
  zip: null,
  city: null,
  country: null,
  phone: null,
  contact: null,
  vat: null,
  emailVerifiedAt: null,
  termsAcceptedAt: null,
} as const;

export function blankAccount(
  id: number,
  given: Pick<Account, 'name' | 'email' | 'planId'>,
  now: number,
): Account {
  return {
    id,
    ...given,
    role: 'user',
    partnerId: null,
    heuristic: DEFAULT_HEURISTIC,
    ...NOTHING_STATED,
    webhookSecret: null,
    lastKeyId: 0,
    passwordHash: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}

/** Identifiers are never used again: deleted accounts keep theirs. */
export function nextAccountId(read: StoreReader): number {
  const id = read.accounts.newestId() + 1;
  if (id <= ACCOUNTS_MAX) return id;
  throw new AppError('too_many', `the appliance holds at most ${ACCOUNTS_MAX} accounts`);
}

/** An account may change its own name, heuristic and address; a partner may change all but role and partner of its users. */
export function assertMaySet({ account }: Principal, change: AccountChange, isOwn: boolean): void {
  if (account.role === 'admin') return;
  const keys = Object.keys(change) as (keyof AccountChange)[];
  const forbidden = keys.find((key) => (isOwn ? !OWN_FIELDS.includes(key) : ADMIN_FIELDS.includes(key)));
  if (forbidden === undefined) return;
  throw new AppError('role', `${fieldNameOf(forbidden)}: this account may not set it`);
}

/** Forbids two accounts with one address, and unknown plans and partners. */
export function assertConsistent(read: StoreReader, { id, email, planId, role, partnerId }: Account): void {
  const holder = read.accounts.byEmail(email);
  if (holder !== undefined && holder.id !== id) {
    const description = 'expected an address that no other account has';
    throw new AppError('email', `email: ${description}`, { fields: [{ field: 'email', description }] });
  }
  if (read.accounts.plans.get(planId) === undefined)
    throw badField('pricing_id', `expected a plan's id, found ${planId}`);
  if (partnerId === null) return;
  const partner = read.accounts.get(partnerId);
  if (role !== 'user' || partner?.role !== 'partner' || partner.deletedAt !== null) {
    throw badField('partner_id', 'expected a partner account, for an account of the role user');
  }
}

/** A box without an active administrator could never be given one again. */
export function assertAdminLeft(read: StoreReader, before: Account, after: Account): void {
  if (!isActingAdmin(before) || isActingAdmin(after)) return;
  if (read.accounts.ofRole('admin').some((other) => other.id !== before.id && isActingAdmin(other))) return;
  throw new AppError(
    'last_admin',
    'the last administrator cannot be deleted, made read-only or given another role',
  );
}

function isActingAdmin({ role, readonly, deletedAt }: Account): boolean {
  return role === 'admin' && !readonly && deletedAt === null;
}

/** Users of a removed partner go to the administrator. */
export function releaseUsers(tx: StoreTransaction, before: Account, after: Account): void {
  if (before.role !== 'partner' || (after.role === 'partner' && after.deletedAt === null)) return;
  for (const account of tx.accounts.all()) {
    if (account.partnerId === before.id && account.deletedAt === null)
      tx.accounts.put({ ...account, partnerId: null });
  }
}
