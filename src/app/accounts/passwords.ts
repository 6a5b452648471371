/** Passwords set, reset and changed, addresses verified, accounts registered by their owners. */
import type { Account } from '../../domain/accounts/account.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { addressKey } from '../callers/attempts.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin, currentAccount } from '../callers/authority.ts';
import type { CallOrigin, Principal } from '../callers/principal.ts';
import {
  accountOfToken,
  endSessions,
  type IssuedToken,
  issueToken,
  PASSWORD_PURPOSES,
  redeemToken,
  removeTokens,
} from '../callers/tokens.ts';
import { parseEach } from '../check-each.ts';
import { parseAccountChange, parseEmail, requireNameAndEmail } from './account-fields.ts';
import { blankAccount, nextAccountId } from './account-rules.ts';
import { auditLine } from './audit.ts';
import { assertPassword, assertPasswordOf } from './keys.ts';
import { passwordLink, passwordMail, verifyMail } from './mail-texts.ts';
import type { AccountParts } from './parts.ts';
import { hashPassword, parsePassword } from './password.ts';

/** Mails a link if the address has an account. The answer and its time are the same if it has none. */
export async function requestPasswordReset(
  app: AccountParts,
  { email: given, from }: { email: unknown; from: CallOrigin },
): Promise<void> {
  await app.attempts.count('addressMail', addressKey(from.remoteAddress));
  const email = parseEmail({ email: given });
  app.mailer.later(async () => {
    const account = app.store.read.accounts.byEmail(email);
    if (account !== undefined) await mailPasswordLink(app, account, from, 'reset_password');
  });
}

/** Silent past the mailbox's bound: the caller must not learn that it exists. */
async function mailPasswordLink(
  app: AccountParts,
  account: Account,
  from: CallOrigin,
  kind: 'reset_password' | 'already_registered',
): Promise<void> {
  try {
    await app.attempts.count('mailboxMail', `account ${account.id}`);
  } catch (error) {
    if (error instanceof AppError && error.reason === 'rate') return;
    throw error;
  }
  const purpose = account.passwordHash === null ? 'set_password' : 'reset_password';
  const issued = await app.store.transact((tx) => {
    tx.log.appendAudit(auditLine(app, from, 'password.request', account.id));
    return issueToken(tx, { accountId: account.id, purpose, now: app.clock.now() });
  });
  const text = kind === 'reset_password' ? purpose : kind;
  app.mailer.post(passwordMail(app, account, issued, text));
}

/** Single use. Reading the mailbox verifies the address; every browser is signed out. */
export async function setPassword(
  app: AccountParts,
  { token, password: given, from }: { token: string; password: unknown; from: CallOrigin },
): Promise<Account> {
  const use = { purposes: PASSWORD_PURPOSES, now: app.clock.now() };
  await app.attempts.count('addressGuess', addressKey(from.remoteAddress));
  accountOfToken(app.store.read, token, use);
  const passwordHash = await hashPassword(parsePassword(given));
  return await app.store.transact((tx) => {
    const account = redeemToken(tx, token, use);
    tx.log.appendAudit(auditLine(app, from, 'password.set', account.id));
    const emailVerifiedAt = account.emailVerifiedAt ?? app.clock.now();
    return storePassword(app, tx, { ...account, emailVerifiedAt }, passwordHash);
  });
}

/** The asking session stays, the others end. */
export async function changePassword(
  app: AccountParts,
  input: { principal: Principal; current: string; password: unknown; exceptSessionHash?: string | undefined },
): Promise<Account> {
  const { principal, current, password, exceptSessionHash } = input;
  await assertPassword(app, principal, current, 'current');
  const passwordHash = await hashPassword(parsePassword(password));
  return await app.store.transact((tx) => {
    const account = currentAccount(tx, principal);
    tx.log.appendAudit(auditLine(app, principal, 'password.change', account.id));
    return storePassword(app, tx, account, passwordHash, exceptSessionHash);
  });
}

function storePassword(
  app: AccountParts,
  tx: StoreTransaction,
  account: Account,
  passwordHash: string,
  exceptSessionHash?: string,
): Account {
  const set = { ...account, passwordHash, updatedAt: app.clock.now() };
  tx.accounts.put(set);
  endSessions(tx, account.id, exceptSessionHash);
  removeTokens(tx, account.id);
  return set;
}

/** Single use. Asks for the password: a person who registered another's address must not be let in by its owner. */
export async function verifyEmail(
  app: AccountParts,
  { token, password, from }: { token: string; password: string; from: CallOrigin },
): Promise<Account> {
  const use = { purposes: ['verify_email'], now: app.clock.now() } as const;
  const claimed = accountOfToken(app.store.read, token, use);
  await assertPasswordOf(app, claimed, { from, password, field: 'password' });
  return await app.store.transact((tx) => {
    const now = app.clock.now();
    const account = redeemToken(tx, token, use);
    const verified = { ...account, emailVerifiedAt: now, updatedAt: now };
    tx.accounts.put(verified);
    tx.log.appendAudit(auditLine(app, from, 'email.verify', account.id));
    return verified;
  });
}

/** A link that sets the account's password once, for the administrator to hand over if mail does not reach the user. */
export async function createPasswordLink(
  app: AccountParts,
  { principal, email }: { principal: Principal; email: unknown },
): Promise<{ link: string; expiresAt: number }> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const account = app.store.read.accounts.byEmail(parseEmail({ email }));
  if (account === undefined) throw new AppError('user', 'no account has this e-mail address');
  const purpose = account.passwordHash === null ? 'set_password' : 'reset_password';
  const { token, expiresAt } = await app.store.transact((tx) => {
    tx.log.appendAudit(auditLine(app, principal, 'password.link', account.id));
    return issueToken(tx, { accountId: account.id, purpose, now: app.clock.now() });
  });
  return { link: passwordLink(app, token), expiresAt };
}

export interface RegisterInput {
  name: unknown;
  email: unknown;
  password: unknown;
  termsAccepted: boolean;
  from: CallOrigin;
}

/** Only if registration is open. The answer is the same for an address with an account, whose owner gets a mail. */
export async function register(app: AccountParts, input: RegisterInput): Promise<void> {
  const { from, termsAccepted } = input;
  if (!app.config.registration.isOpen) {
    throw new AppError('not_enabled', 'registration is closed on this appliance: ask its administrator');
  }
  await app.attempts.count('addressMail', addressKey(from.remoteAddress));
  const { name, email, password } = parseRegistration(app, input);
  const passwordHash = await hashPassword(password);
  const termsAcceptedAt = termsAccepted ? app.clock.now() : null;
  const { account, issued } = await app.store.transact((tx) => {
    const holder = tx.accounts.byEmail(email);
    tx.log.appendAudit(auditLine(app, from, 'account.register', holder?.id ?? '', { email }));
    if (holder !== undefined) return { account: holder, issued: null };
    return insertRegistered(app, tx, { name, email, passwordHash, termsAcceptedAt });
  });
  if (issued !== null) app.mailer.post(verifyMail(app, account, issued));
  else app.mailer.later(() => mailPasswordLink(app, account, from, 'already_registered'));
}

function parseRegistration(
  app: AccountParts,
  { name, email, password, termsAccepted }: RegisterInput,
): { name: string; email: string; password: string } {
  if (app.config.termsRequired && !termsAccepted) {
    throw badField('terms_accepted', 'expected true: the terms of service must be accepted');
  }
  return {
    ...requireNameAndEmail(parseAccountChange({ name, email })),
    ...parseEach<{ password: string }>({ password: () => parsePassword(password) }),
  };
}

function insertRegistered(
  app: AccountParts,
  tx: StoreTransaction,
  given: Pick<Account, 'name' | 'email'> & Pick<Account, 'passwordHash' | 'termsAcceptedAt'>,
): { account: Account; issued: IssuedToken } {
  const { planSku, credits } = app.config.registration;
  const plan = [...tx.accounts.plans.values()].find(({ sku }) => sku === planSku);
  if (plan === undefined) {
    throw new AppError('internal', `registration.plan names no plan: ${JSON.stringify(planSku)}`);
  }
  const now = app.clock.now();
  const id = nextAccountId(tx);
  const account = { ...blankAccount(id, { ...given, planId: plan.id }, now), ...given };
  tx.accounts.put(account);
  const line = { accountId: id, reason: 'grant', amount: credits, identifier: '', at: now } as const;
  if (credits > 0) tx.appendLedger(line);
  return { account, issued: issueToken(tx, { accountId: id, purpose: 'verify_email', now }) };
}
