/** Desks. Each change and its audit line are one transaction; a foreign desk is as absent as an unknown one. */
import type { Account } from '../../domain/accounts/account.ts';
import type { DeskMemberView, DeskView } from '../../domain/contract/desk.ts';
import { DESK_ROLES, type Desk, type DeskMember, includesRole } from '../../domain/desk.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertPartner, looksAfter } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { parseChoice, parseLine } from '../field-parsers.ts';
import { auditLine } from './audit.ts';
import type { AccountParts } from './parts.ts';

/** Lists merge the records of all desks of an account, and a partner may manage several. */
export const DESKS_MAX = 100;
export const DESK_MEMBERS_MAX = 100;
/** Each list of an account reads so many indexes. */
export const DESKS_OF_ACCOUNT_MAX = 10;
const NAME_CHARACTERS_MAX = 100;

export interface DeskInput {
  principal: Principal;
  id: number;
}

/** Lists the desks of which the caller is a member or that it manages, oldest first. */
export function listDesks(app: AccountParts, { principal }: { principal: Principal }): DeskView[] {
  const { read } = app.store;
  const seen = read.desks.all().filter((desk) => maySee(read, principal, desk));
  return seen.map((desk) => toView(read, principal, desk));
}

export function getDesk(app: AccountParts, { principal, id }: DeskInput): DeskView {
  const { read } = app.store;
  return toView(read, principal, deskSeenBy(read, principal, id));
}

/** A partner's desk is for its own accounts. */
export async function addDesk(
  app: AccountParts,
  { principal, name }: { principal: Principal; name: string },
): Promise<DeskView> {
  assertPartner(principal);
  return await change(app, principal, (tx) => {
    if (tx.desks.all().length >= DESKS_MAX) {
      throw new AppError('too_many', `at most ${DESKS_MAX} desks are kept: remove one first`);
    }
    const { id: ownId, role } = principal.account;
    const desk: Desk = {
      id: tx.desks.newestId() + 1,
      name: parseName(name),
      partnerId: role === 'partner' ? ownId : null,
      createdAt: app.clock.now(),
    };
    tx.desks.put(desk);
    tx.log.appendAudit(auditLine(app, principal, 'desk.add', desk.id, { name: desk.name }));
    return desk;
  });
}

export async function renameDesk(
  app: AccountParts,
  { principal, id, name }: DeskInput & { name: string },
): Promise<DeskView> {
  assertPartner(principal);
  return await change(app, principal, (tx) => {
    const desk = { ...deskLedBy(tx, principal, id), name: parseName(name) };
    tx.desks.put(desk);
    tx.log.appendAudit(auditLine(app, principal, 'desk.rename', id, { name: desk.name }));
    return desk;
  });
}

/** Throws `too_many` while it has records, which would have no owner. */
export async function removeDesk(app: AccountParts, { principal, id }: DeskInput): Promise<DeskView> {
  assertPartner(principal);
  return await change(app, principal, (tx) => {
    const desk = deskLedBy(tx, principal, id);
    if (tx.desks.hasRecords(id)) {
      throw new AppError('too_many', 'this desk has records: delete them, or let their time run out, first');
    }
    tx.desks.remove(id);
    tx.log.appendAudit(auditLine(app, principal, 'desk.remove', id, { name: desk.name }));
    return desk;
  });
}

export interface MemberInput extends DeskInput {
  email: string;
}

/** Adds the account, or changes its role. */
export async function setDeskMember(
  app: AccountParts,
  { principal, id, email, role }: MemberInput & { role: string },
): Promise<DeskView> {
  return await change(app, principal, (tx) => {
    const desk = deskManagedBy(tx, principal, id);
    const parsed = parseChoice({ role }, 'role', DESK_ROLES);
    if (parsed == null) throw badField('role', `expected one of ${DESK_ROLES.join(', ')}, found nothing`);
    const account = memberByEmail(tx, desk, email);
    const members = tx.desks.membersOf(id);
    const before = members.find((member) => member.accountId === account.id);
    if (before === undefined) assertRoom(tx, account, members.length);
    const at = before?.at ?? app.clock.now();
    tx.desks.putMember({ deskId: id, accountId: account.id, role: parsed, at });
    const details = { account: String(account.id), role: parsed };
    tx.log.appendAudit(auditLine(app, principal, 'desk.member', id, details));
    return desk;
  });
}

/** The account's records stay with the desk. Each member may leave by itself. */
export async function removeDeskMember(
  app: AccountParts,
  { principal, id, email }: MemberInput,
): Promise<DeskView> {
  return await change(app, principal, (tx) => {
    const desk = deskSeenBy(tx, principal, id);
    const account = tx.accounts.byEmail(email.trim());
    if (account?.id !== principal.account.id) deskManagedBy(tx, principal, id);
    const member = tx.desks.membersOf(id).find(({ accountId }) => accountId === account?.id);
    if (member === undefined) throw notForDesk();
    tx.desks.removeMember(member);
    tx.log.appendAudit(
      auditLine(app, principal, 'desk.member_remove', id, { account: String(member.accountId) }),
    );
    return desk;
  });
}

async function change(
  app: AccountParts,
  principal: Principal,
  run: (tx: StoreTransaction) => Desk,
): Promise<DeskView> {
  assertMayWrite(principal);
  const desk = await app.store.transact(run);
  return toView(app.store.read, principal, desk);
}

function parseName(name: string): string {
  const parsed = parseLine({ name }, 'name', NAME_CHARACTERS_MAX)?.trim() ?? '';
  if (parsed === '') throw badField('name', 'expected a name, found nothing');
  return parsed;
}

/** Accounts without a partner may be members of an administrator's desk; a partner and its accounts of the partner's. */
function memberByEmail(read: StoreReader, { partnerId }: Desk, email: string): Account {
  const account = read.accounts.byEmail(email.trim());
  const isFor = account?.partnerId === partnerId || (partnerId !== null && account?.id === partnerId);
  if (account === undefined || account.deletedAt !== null || !isFor) throw notForDesk();
  return account;
}

function notForDesk(): AppError {
  return badField('email', 'expected the address of an account that this desk is for');
}

function assertRoom(read: StoreReader, { id }: Account, members: number): void {
  if (members >= DESK_MEMBERS_MAX) {
    throw new AppError('too_many', `a desk has at most ${DESK_MEMBERS_MAX} members`);
  }
  if (read.desks.membershipsOf(id).length < DESKS_OF_ACCOUNT_MAX) return;
  throw new AppError('too_many', `an account is a member of at most ${DESKS_OF_ACCOUNT_MAX} desks`);
}

function maySee(read: StoreReader, principal: Principal, desk: Desk): boolean {
  return (
    looksAfter(principal, desk.partnerId) || read.desks.roleOf(desk.id, principal.account.id) !== undefined
  );
}

function isManagedBy(read: StoreReader, principal: Principal, desk: Desk): boolean {
  const ownRole = read.desks.roleOf(desk.id, principal.account.id);
  return looksAfter(principal, desk.partnerId) || includesRole(ownRole, 'heads');
}

function deskSeenBy(read: StoreReader, principal: Principal, id: number): Desk {
  const desk = read.desks.get(id);
  if (desk !== undefined && maySee(read, principal, desk)) return desk;
  throw new AppError('desk', 'no such desk');
}

function deskManagedBy(read: StoreReader, principal: Principal, id: number): Desk {
  const desk = deskSeenBy(read, principal, id);
  if (isManagedBy(read, principal, desk)) return desk;
  throw new AppError('role', 'this needs the role heads at the desk');
}

function deskLedBy(read: StoreReader, principal: Principal, id: number): Desk {
  const desk = deskSeenBy(read, principal, id);
  if (looksAfter(principal, desk.partnerId)) return desk;
  throw new AppError('role', 'this needs an administrator, or the partner that looks after the desk');
}

function toView(read: StoreReader, principal: Principal, desk: Desk): DeskView {
  return {
    ...desk,
    ownRole: read.desks.roleOf(desk.id, principal.account.id) ?? null,
    isManaged: isManagedBy(read, principal, desk),
    members: read.desks.membersOf(desk.id).flatMap((member) => memberView(read, member)),
  };
}

/** A deleted account is no member. */
function memberView(read: StoreReader, { accountId, role, at }: DeskMember): DeskMemberView[] {
  const account = read.accounts.getUnlessDamaged(accountId);
  if (account === undefined || account.deletedAt !== null) return [];
  return [{ accountId, name: account.name, email: account.email, role, at }];
}
