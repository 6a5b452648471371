/** Finds the session of a cookie. `accounts/sessions.ts` opens and ends sessions. */
import type { Session } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import { toPrincipal } from './authenticate.ts';
import type { CallerParts } from './parts.ts';
import type { CallOrigin, Principal } from './principal.ts';
import { hashSecret } from './tokens.ts';

/** A working week with its weekend: no daily sign-in is needed, and a lost laptop is not signed in for ever. */
export const SESSION_SECONDS = 7 * 24 * 3600;

export interface SignedIn {
  principal: Principal;
  session: Session;
}

/** Throws `credentials` for a missing, ended or unknown session. Accepted terms are not required. */
export function identifySession(
  app: CallerParts,
  cookieValue: string | undefined,
  from: CallOrigin,
): SignedIn {
  const session =
    cookieValue === undefined ? undefined : app.store.read.accounts.sessions.get(hashSecret(cookieValue));
  const account = session === undefined ? undefined : app.store.read.accounts.get(session.accountId);
  const isOpen = session !== undefined && session.expiresAt > app.clock.now();
  if (!isOpen || account === undefined || account.deletedAt !== null) {
    throw new AppError('credentials', 'not signed in, or the session has ended');
  }
  const { hash, expiresAt } = session;
  return { principal: toPrincipal(app, account, from, { type: 'session', hash, expiresAt }), session };
}
