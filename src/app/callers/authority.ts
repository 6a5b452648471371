/** Who may act on which account: an administrator on all, a partner on its own users, a plain user on none. */
import type { Account } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Principal } from './principal.ts';

export function assertAdmin({ account }: Principal): void {
  if (account.role !== 'admin') throw new AppError('role', 'this needs an administrator account');
}

export function assertPartner({ account }: Principal): void {
  if (account.role === 'user') throw new AppError('role', 'this needs a partner or an administrator account');
}

/** A foreign, deleted or unknown account is the same 404, so that nobody learns which identifiers exist. */
export function managedAccount(read: StoreReader, principal: Principal, id: number): Account {
  assertPartner(principal);
  const account = read.account(id);
  const { role, id: ownId } = principal.account;
  const isManaged = role === 'admin' || account?.partnerId === ownId;
  if (account === undefined || account.deletedAt !== null || !isManaged) throw unknownUser();
  return account;
}

/** The caller's own account as it is now, or the one it manages. */
export function ownOrManaged(read: StoreReader, principal: Principal, id: number | undefined): Account {
  if (id !== undefined && id !== principal.account.id) return managedAccount(read, principal, id);
  return currentAccount(read, principal);
}

/** The caller's account as it is stored now: a principal of a long call may be older than its deletion. */
export function currentAccount(read: StoreReader, { account }: Principal): Account {
  const current = read.account(account.id);
  if (current === undefined || current.deletedAt !== null) throw unknownUser();
  return current;
}

function unknownUser(): AppError {
  return new AppError('user', 'no such user');
}
