/** Finds the account of an API key. A key is looked up by its hash, so no comparison leaks its bytes. */
import type { Account } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { CallerParts } from './parts.ts';
import type { AdmittedBy, CallOrigin, Principal } from './principal.ts';
import { hashSecret } from './tokens.ts';

/** Throws `key` for a missing, unknown or revoked key, `terms` if the terms must be accepted first. */
export function authenticate(app: CallerParts, key: string | undefined, from: CallOrigin): Principal {
  const principal = identify(app, key, from);
  assertTerms(app, principal);
  return principal;
}

/** Like authenticate, before the terms are accepted: only for reading and accepting them. */
export function identify(app: CallerParts, key: string | undefined, from: CallOrigin): Principal {
  if (key === undefined || key === '') {
    throw new AppError('key', 'API key missing: send it as X-Api-Key');
  }
  const record = app.store.read.accounts.apiKey(hashSecret(key));
  const account = record === undefined ? undefined : app.store.read.accounts.get(record.accountId);
  if (record === undefined || account === undefined || account.deletedAt !== null) {
    throw new AppError('key', 'invalid API key');
  }
  app.keyUses.note(record);
  const { id, name, hash } = record;
  return { ...toPrincipal(app, account, from, { type: 'key', hash }), key: { id, name } };
}

export function toPrincipal(
  app: CallerParts,
  account: Account,
  from: CallOrigin,
  admittedBy: AdmittedBy,
): Principal {
  const plan = app.store.read.accounts.plans.get(account.planId);
  if (plan === undefined) throw new AppError('not_enabled', 'the account has no pricing plan');
  return { account, plan, admittedBy, facade: from.facade, remoteAddress: from.remoteAddress };
}

export function assertTerms(app: Pick<CallerParts, 'config'>, { account }: Principal): void {
  if (!app.config.termsRequired || account.termsAcceptedAt !== null) return;
  throw new AppError('terms', 'the terms of service have not been accepted');
}

/** Refuses read-only accounts, which may not submit, override or delete. */
export function assertMayWrite({ account }: Principal): void {
  if (account.readonly) throw new AppError('read_only', 'this account can only view results');
}
