/** Whether an admitted caller still would be: work longer than an answer gets a signal that aborts with the new refusal. */
import type { Role } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Core } from '../core.ts';
import { assertMayWrite, assertTerms } from './authenticate.ts';
import type { CallerParts } from './parts.ts';
import type { Principal } from './principal.ts';
import type { Standing } from './standings.ts';

export interface StandingNeeds {
  /** Media or changes are being sent, which an account that became read-only may not continue. */
  writes?: boolean;
  /** For a socket, which outlives the need for a role: each subscription is followed by itself. */
  anyRole?: boolean;
}

/** For a stream that is about to begin; its signal has aborted already if the caller lost its standing meanwhile. */
export function followStanding(app: CallerParts, principal: Principal, needs: StandingNeeds = {}): Standing {
  return app.standings.follow(principal, () => assertStands(app, app.store.read, principal, needs));
}

/** Like followStanding, until the answer closes. */
export function followUntilClosed(
  app: CallerParts,
  principal: Principal,
  answer: { readonly destroyed?: boolean; once(event: 'close', listener: () => void): unknown },
  needs: StandingNeeds = {},
): AbortSignal {
  const standing = followStanding(app, principal, needs);
  const end = (): void => standing[Symbol.dispose]();
  if (answer.destroyed === true) end();
  else answer.once('close', end);
  return standing.signal;
}

/** Throws `key`, `credentials`, `role`, `terms` or `read_only`; a higher role or other rights apply from the next call on. */
export function assertStands(
  app: Pick<Core, 'config' | 'clock'>,
  read: StoreReader,
  principal: Principal,
  { writes = false, anyRole = false }: StandingNeeds = {},
): void {
  const account = read.accounts.get(principal.account.id);
  if (account === undefined || account.deletedAt !== null) {
    const reason = principal.admittedBy.type === 'session' ? 'credentials' : 'key';
    throw new AppError(reason, 'the account was deleted');
  }
  assertCredential(app, read, principal);
  const { role } = principal.account;
  if (!anyRole && RANK[account.role] < RANK[role]) {
    throw new AppError('role', `the account has lost the role ${role}: it has the role ${account.role} now`);
  }
  const current = { ...principal, account };
  assertTerms(app, current);
  if (writes) assertMayWrite(current);
}

const RANK: Readonly<Record<Role, number>> = { user: 0, partner: 1, admin: 2 };

function assertCredential(
  { clock }: Pick<Core, 'clock'>,
  read: StoreReader,
  { admittedBy }: Principal,
): void {
  switch (admittedBy.type) {
    case 'key':
      if (read.accounts.apiKey(admittedBy.hash) !== undefined) return;
      throw new AppError('key', 'the API key was revoked or replaced');
    case 'session': {
      if (admittedBy.expiresAt <= clock.now()) throw new AppError('credentials', 'the session has expired');
      if (read.accounts.sessions.get(admittedBy.hash) !== undefined) return;
      throw new AppError('credentials', 'the session was ended');
    }
    case 'rule':
  }
}
