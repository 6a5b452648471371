/** Browsers that signed in with e-mail and password; each is a hashed secret with an end. */
import type { Session } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { addressKey } from '../callers/attempts.ts';
import { toPrincipal } from '../callers/authenticate.ts';
import type { CallOrigin, Principal } from '../callers/principal.ts';
import { SESSION_SECONDS, type SignedIn } from '../callers/session.ts';
import { endSessions, hashSecret, newSecret, SWEPT_MAX } from '../callers/tokens.ts';
import { auditLine } from './audit.ts';
import type { AccountParts } from './parts.ts';
import { verifyPassword } from './password.ts';

/** Browsers of one account; one more signs out the oldest. */
const SESSIONS_MAX = 20;
const USER_AGENT_CHARACTERS_MAX = 300;
const EMAIL_KEY_CHARACTERS_MAX = 300;

export interface SignInInput {
  email: string;
  password: string;
  userAgent: string;
  from: CallOrigin;
}

/** The answer and its time are the same for an unknown account and for a wrong password. */
export async function signIn(
  app: AccountParts,
  { email, password, userAgent, from }: SignInInput,
): Promise<{ session: Session; cookieValue: string }> {
  const guessed = `email ${email.toLowerCase().slice(0, EMAIL_KEY_CHARACTERS_MAX)}`;
  await app.attempts.count('addressGuess', addressKey(from.remoteAddress));
  await app.attempts.count('accountGuess', guessed);
  const account = app.store.read.accounts.byEmail(email);
  const isRight = await verifyPassword(password, account?.passwordHash ?? null);
  if (account === undefined || !isRight) {
    await app.store.transact((tx) =>
      tx.log.appendAudit(auditLine(app, from, 'session.refuse', account?.id ?? '')),
    );
    throw wrongCredentials();
  }
  await app.attempts.forget('accountGuess', guessed);
  if (account.emailVerifiedAt === null) {
    throw new AppError(
      'not_enabled',
      'the e-mail address is not verified: open the link that was mailed to it',
    );
  }
  return await openSession(app, toPrincipal(app, account, from, { type: 'rule' }), userAgent);
}

async function openSession(
  app: AccountParts,
  principal: Principal,
  userAgent: string,
): Promise<{ session: Session; cookieValue: string }> {
  const { id, passwordHash } = principal.account;
  const cookieValue = newSecret();
  const session = await app.store.transact((tx) => {
    const now = app.clock.now();
    // The account was deleted, or got another password, while the hash was computed.
    if (tx.accounts.get(id)?.passwordHash !== passwordHash) throw wrongCredentials();
    makeRoom(tx, id, now);
    const made: Session = {
      hash: hashSecret(cookieValue),
      accountId: id,
      csrfToken: newSecret(),
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS_MAX),
      createdAt: now,
      expiresAt: now + SESSION_SECONDS * 1_000_000,
    };
    tx.accounts.putSession(made);
    tx.log.appendAudit(auditLine(app, principal, 'session.start', id));
    return made;
  });
  return { session, cookieValue };
}

/** One sentence for every reason, so that no caller learns which addresses have an account. */
function wrongCredentials(): AppError {
  return new AppError('credentials', 'the e-mail address or the password is wrong');
}

function makeRoom(tx: StoreTransaction, accountId: number, now: number): void {
  for (const ended of tx.accounts.endedSessionKeys(now, SWEPT_MAX)) tx.accounts.removeSession(ended);
  const own = tx.accounts
    .sessionsOfAccount(accountId)
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((left, right) => right.createdAt - left.createdAt);
  for (const session of own.slice(SESSIONS_MAX - 1)) tx.accounts.removeSession(session);
}

export async function signOut(app: AccountParts, { principal, session }: SignedIn): Promise<void> {
  await app.store.transact((tx) => {
    tx.accounts.removeSession(session);
    tx.log.appendAudit(auditLine(app, principal, 'session.end', principal.account.id));
  });
}

/** Signs out every browser of the account; returns their number. */
export async function signOutEverywhere(
  app: AccountParts,
  { principal }: { principal: Principal },
): Promise<number> {
  return await app.store.transact((tx) => {
    const count = endSessions(tx, principal.account.id);
    const details = { sessions: String(count) };
    tx.log.appendAudit(auditLine(app, principal, 'session.end_all', principal.account.id, details));
    return count;
  });
}

/** The account's open sessions, newest first. */
export function listSessions(app: AccountParts, { principal }: { principal: Principal }): Session[] {
  const now = app.clock.now();
  return app.store.read.accounts
    .sessionsOfAccount(principal.account.id)
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((left, right) => right.createdAt - left.createdAt);
}
