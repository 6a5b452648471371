/**
 * Who may do what with a record: its account with its own, and members of a desk, by their role, with what belongs to the desk. A
 * partner and an administrator act on accounts, not on records; a finding that asks for their sign-off opens the records of its file
 * to them, for as long as it stands. An account that has left a desk sees nothing of it any more, what it sent included.
 */
import {
  DESK_RIGHTS,
  type DeskMember,
  type Held,
  holderOf,
  holderOfDesk,
  includesRole,
  type RecordOperation,
} from '../../domain/desk.ts';
import { AppError } from '../../domain/errors.ts';
import type { Classification, Override } from '../../domain/records/classification.ts';
import type { StoreReader } from '../../store/reader.ts';
import { manages } from './authority.ts';
import type { Principal, Reader } from './principal.ts';

export type FileOfRecord = Held & Pick<Classification, 'kind' | 'hash'>;
export type Caller = Pick<Reader, 'account'>;

export function mayOn(
  read: StoreReader,
  operation: RecordOperation,
  file: FileOfRecord,
  caller: Caller,
): boolean {
  if (maySelf(read, operation, file, caller)) return true;
  return (operation === 'look' || operation === 'sign_off') && mayJudge(read, file, caller);
}

export function mayRead(
  { store }: { store: { read: StoreReader } },
  caller: Caller,
  record: Classification,
): boolean {
  return mayOn(store.read, 'look', record, caller);
}

function maySelf(
  read: StoreReader,
  operation: RecordOperation,
  { accountId, deskId }: FileOfRecord,
  { account: { id } }: Caller,
): boolean {
  const isOwn = accountId === id;
  if (deskId === undefined) return isOwn && operation !== 'sign_off';
  const needed = operation === 'delete' && isOwn ? 'change' : operation;
  return includesRole(read.desks.roleOf(deskId, id), DESK_RIGHTS[needed]);
}

function mayJudge(read: StoreReader, file: FileOfRecord, caller: Caller): boolean {
  if (caller.account.role === 'user') return false;
  const finding = findingOn(read, file);
  if (finding === undefined || !manages(read, caller, finding.accountId)) return false;
  return read.signOff(finding) !== undefined;
}

/** The finding that stands on the file; undefined if none was stated. */
export function findingOn(read: StoreReader, file: FileOfRecord): Override | undefined {
  return file.hash === '' ? undefined : read.override(holderOf(file), file.kind, file.hash);
}

/** The members of its desk; none without a desk. */
export function membersAt(read: StoreReader, { deskId }: Held): DeskMember[] {
  return deskId === undefined ? [] : read.desks.membersOf(deskId);
}

export function isMemberAt(read: StoreReader, { deskId }: Held, { account }: Caller): boolean {
  return deskId !== undefined && read.desks.roleOf(deskId, account.id) !== undefined;
}

/** `of`: the object that belongs to the desk. */
export function lacksRole(operation: RecordOperation, of: 'file' | 'record'): AppError {
  return new AppError('role', `this needs the role ${DESK_RIGHTS[operation]} at the desk of the ${of}`);
}

/** The account's own records and those of its desks. */
export function holdersOf(read: StoreReader, accountId: number): number[] {
  return [accountId, ...read.desks.membershipsOf(accountId).map(({ deskId }) => holderOfDesk(deskId))];
}

/** The holders of the file whose records the caller may treat so. */
export function holdersOfFile(
  read: StoreReader,
  operation: RecordOperation,
  { kind, hash }: Pick<Classification, 'kind' | 'hash'>,
  principal: Principal,
): Held[] {
  const { id: accountId } = principal.account;
  const own: Held[] = [{ accountId }];
  const helds = [...own, ...read.desks.membershipsOf(accountId).map(({ deskId }) => ({ accountId, deskId }))];
  return helds.filter(
    (held) =>
      read.hasFile(holderOf(held), kind, hash) && mayOn(read, operation, { ...held, kind, hash }, principal),
  );
}
