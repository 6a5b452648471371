import type { Account } from '../../domain/accounts/account.ts';
import type { UserView } from '../../domain/contract/account.ts';
import { badField } from '../../domain/errors.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin, assertPartner, managedAccount, ownOrManaged } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { issueToken, removeTokens, revokeAccess } from '../callers/tokens.ts';
import { parseEach } from '../check-each.ts';
import { parseLine, parseWhole, type RawFields } from '../field-parsers.ts';
import {
  type AccountChange,
  fieldNameOf,
  parseAccountChange,
  requireNameAndEmail,
} from './account-fields.ts';
import {
  assertAdminLeft,
  assertConsistent,
  assertMaySet,
  blankAccount,
  nextAccountId,
  releaseUsers,
} from './account-rules.ts';
import { auditLine } from './audit.ts';
import { passwordMail, verifyMail } from './mail-texts.ts';
import type { AccountParts } from './parts.ts';
import { toUserView } from './user-view.ts';

export interface UserInput {
  principal: Principal;
  id: number;
}

/** `name` and `email` are required; the plan is the caller's own unless `pricing_id` says another. */
export async function createUser(
  app: AccountParts,
  { principal, fields }: { principal: Principal; fields: RawFields },
): Promise<Account> {
  assertPartner(principal);
  assertMayWrite(principal);
  const change = parseAccountChange(fields);
  const { name, email } = requireNameAndEmail(change);
  assertMaySet(principal, change, false);
  return await app.store.transact((tx) => {
    const { id: ownId, role } = principal.account;
    const planId = principal.plan.id;
    const blank = blankAccount(nextAccountId(tx), { name, email, planId }, app.clock.now());
    const account = { ...blank, partnerId: role === 'partner' ? ownId : null, ...change };
    assertConsistent(tx, account);
    tx.accounts.put(account);
    tx.log.appendAudit(auditLine(app, principal, 'account.create', account.id, { email }));
    return account;
  });
}

export async function updateUser(
  app: AccountParts,
  { principal, id, fields }: UserInput & { fields: RawFields },
): Promise<Account> {
  assertMayWrite(principal);
  const change = parseAccountChange(fields);
  const { account, link } = await app.store.transact((tx) => {
    const before = ownOrManaged(tx, principal, id);
    assertMaySet(principal, change, id === principal.account.id);
    const after: Account = { ...before, ...change, updatedAt: app.clock.now() };
    const hasMoved = before.email.toLowerCase() !== after.email.toLowerCase();
    // The new mailbox is not verified yet.
    if (hasMoved) after.emailVerifiedAt = null;
    assertConsistent(tx, after);
    assertAdminLeft(tx, before, after);
    releaseUsers(tx, before, after);
    tx.accounts.put(after);
    tx.log.appendAudit(auditLine(app, principal, 'account.update', id, describeChange(change)));
    return { account: after, link: hasMoved ? moveMailbox(tx, after) : null };
  });
  if (link !== null) app.mailer.post(verifyMail(app, account, link));
  return account;
}

/** Links in the old mailbox must no longer open the account. */
function moveMailbox(tx: StoreTransaction, { id, updatedAt }: Account): ReturnType<typeof issueToken> {
  removeTokens(tx, id);
  return issueToken(tx, { accountId: id, purpose: 'verify_email', now: updatedAt });
}

/** Ends its keys, sessions, links, notices and memberships; its records stay for the retention, a desk's with the desk. */
export async function deleteUser(app: AccountParts, { principal, id }: UserInput): Promise<Account> {
  assertMayWrite(principal);
  return await app.store.transact((tx) => {
    const before = managedAccount(tx, principal, id);
    const now = app.clock.now();
    const after: Account = { ...before, passwordHash: null, deletedAt: now, updatedAt: now };
    assertAdminLeft(tx, before, after);
    releaseUsers(tx, before, after);
    tx.accounts.put(after);
    revokeAccess(tx, id);
    tx.accounts.putSavedFilters(id, []);
    removeNoticeRules(tx, id);
    for (const member of tx.desks.membershipsOf(id)) tx.desks.removeMember(member);
    tx.log.appendAudit(auditLine(app, principal, 'account.delete', id, { email: before.email }));
    return after;
  });
}

/** Their targets are secrets of the account, and no one else could remove them. */
function removeNoticeRules(tx: StoreTransaction, accountId: number): void {
  for (const rule of tx.automation.noticeRules()) {
    if (rule.accountId === accountId) tx.automation.removeNoticeRule(rule.id);
  }
}

/** The caller's own account or one that it manages. */
export function getUser(app: AccountParts, { principal, id }: UserInput): UserView {
  return toUserView(app, ownOrManaged(app.store.read, principal, id), principal);
}

export interface SentMail {
  user: UserView;
  /** False without a mail server: the mail then lies in `file` and must be handed over. */
  sent: boolean;
  file: string | null;
}

/** Mails the link that sets the first password, or one that resets it; throws `mail` if that fails. */
export async function sendCreationEmail(app: AccountParts, { principal, id }: UserInput): Promise<SentMail> {
  assertMayWrite(principal);
  const { account, issued, purpose } = await app.store.transact((tx) => {
    const found = managedAccount(tx, principal, id);
    const kind = found.passwordHash === null ? 'set_password' : 'reset_password';
    tx.log.appendAudit(auditLine(app, principal, 'account.send_creation_email', id, { purpose: kind }));
    const token = issueToken(tx, { accountId: id, purpose: kind, now: app.clock.now() });
    return { account: found, issued: token, purpose: kind } as const;
  });
  const file = await app.mailer.send(passwordMail(app, account, issued, purpose));
  return { user: toUserView(app, account, principal), sent: file === null, file };
}

/** Bounds typing errors, and keeps every sum exact. */
const GRANT_MAX = 1_000_000_000;
const NOTE_CHARACTERS_MAX = 500;

/** Gives credits; a negative amount takes some back, never below zero. For the administrator. */
export async function grantCredits(
  app: AccountParts,
  { principal, id, amount, note = '' }: UserInput & { amount: unknown; note?: unknown },
): Promise<UserView> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const parsed = parseEach<{ amount: number; note: string }>({
    amount: () => parseWhole({ amount }, 'amount', -GRANT_MAX, GRANT_MAX) ?? 0,
    note: () =>
      note === '' || note === null ? '' : (parseLine({ note }, 'note', NOTE_CHARACTERS_MAX) ?? ''),
  });
  if (parsed.amount === 0) throw badField('amount', 'expected a whole number other than 0');
  const account = await app.store.transact((tx) => {
    const found = managedAccount(tx, principal, id);
    const { available } = tx.balance(id);
    if (available + parsed.amount < 0) {
      throw badField('amount', `expected at least -${available}, the balance, found ${parsed.amount}`);
    }
    const line = { accountId: id, reason: 'grant', amount: parsed.amount, identifier: '' } as const;
    tx.appendLedger({ ...line, at: app.clock.now() });
    const details = { amount: String(parsed.amount), note: parsed.note };
    tx.log.appendAudit(auditLine(app, principal, 'credits.grant', id, details));
    return found;
  });
  return toUserView(app, account, principal);
}

function describeChange(change: AccountChange): Record<string, string> {
  const keys = Object.keys(change) as (keyof AccountChange)[];
  return Object.fromEntries(keys.map((key) => [fieldNameOf(key), String(change[key] ?? '')]));
}
