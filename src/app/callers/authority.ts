/** Who may act on which account: an administrator on all, a partner on its own users, a plain user on none. */
import type { Account } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Principal, Reader } from './principal.ts';

export function assertAdmin({ account }: Principal): void {
  if (account.role !== 'admin') throw new AppError('role', 'this needs an administrator account');
}

export function assertPartner({ account }: Principal): void {
  if (account.role === 'user') throw new AppError('role', 'this needs a partner or an administrator account');
}

/** A foreign, deleted or unknown account is the same 404, so that no one learns which identifiers exist. */
export function managedAccount(read: StoreReader, principal: Principal, id: number): Account {
  assertPartner(principal);
  const account = read.accounts.get(id);
  if (account === undefined || !isManagedBy(account, principal)) throw unknownUser();
  return account;
}

/** Whether the caller manages what this partner manages; null: administrators alone. */
export function looksAfter(
  { account: { id, role } }: Pick<Reader, 'account'>,
  partnerId: number | null,
): boolean {
  return role === 'admin' || (role === 'partner' && partnerId === id);
}

function isManagedBy({ deletedAt, partnerId }: Account, caller: Pick<Reader, 'account'>): boolean {
  return deletedAt === null && looksAfter(caller, partnerId);
}

/** Like managedAccount, with false instead of an error, also for a damaged account: a look at many must not end at one. */
export function manages(read: StoreReader, principal: Pick<Reader, 'account'>, id: number): boolean {
  const account = read.accounts.getUnlessDamaged(id);
  return account !== undefined && isManagedBy(account, principal);
}

/** The accounts that a partner manages; null means all. */
export function managedAccounts(read: StoreReader, principal: Principal): (number | null)[] {
  const { role } = principal.account;
  if (role === 'user') return [];
  if (role === 'admin') return [null];
  const managed = read.accounts.all().filter((account) => isManagedBy(account, principal));
  return managed.map(({ id }) => id);
}

/** The managers of the account: its partner and every administrator. */
export function managersOf(read: StoreReader, id: number): number[] {
  const partnerId = read.accounts.getUnlessDamaged(id)?.partnerId ?? null;
  const admins = read.accounts.ofRole('admin').map((account) => account.id);
  return [...(partnerId === null ? [] : [partnerId]), ...admins].filter((manager) => manager !== id);
}

/** The caller's own account as it is stored now, or one that it manages. */
export function ownOrManaged(read: StoreReader, principal: Principal, id: number | undefined): Account {
  if (id !== undefined && id !== principal.account.id) return managedAccount(read, principal, id);
  return currentAccount(read, principal);
}

/** The caller's account as it is stored now: a long call's principal may be older than its deletion. */
export function currentAccount(read: StoreReader, { account }: Principal): Account {
  const current = read.accounts.get(account.id);
  if (current === undefined || current.deletedAt !== null) throw unknownUser();
  return current;
}

const unknownUser = (): AppError => new AppError('user', 'no such user');
