/** From an API key to the account behind it. A key is looked up by its hash, so no comparison leaks its bytes. */
import { createHash } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import type { App } from './app.ts';
import type { Principal } from './principal.ts';

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Throws `key` for a missing, unknown or revoked key, `terms` where the terms must be accepted first. */
export function authenticate(app: App, key: string | undefined): Principal {
  if (key === undefined || key === '') {
    throw new AppError('key', 'API key missing: send it as X-Api-Key');
  }
  const record = app.store.read.apiKey(hashKey(key));
  const account = record === undefined ? undefined : app.store.read.account(record.accountId);
  if (account === undefined || account.deletedAt !== null) throw new AppError('key', 'invalid API key');
  const plan = app.store.read.plan(account.planId);
  if (plan === undefined) throw new AppError('not_enabled', 'the account has no pricing plan');
  if (app.config.termsRequired && account.termsAcceptedAt === null) {
    throw new AppError('terms', 'the terms of service have not been accepted');
  }
  return { account, plan };
}

/** A read-only account looks; it does not submit, override or delete. */
export function assertMayWrite({ account }: Principal): void {
  if (account.readonly) throw new AppError('read_only', 'this account can only view results');
}
