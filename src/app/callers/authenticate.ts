/** From an API key to the account behind it. A key is looked up by its hash, so no comparison leaks its bytes. */
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import { hashSecret } from '../accounts/tokens.ts';
import type { App } from '../app.ts';
import type { CallOrigin, Principal } from './principal.ts';

/** Throws `key` for a missing, unknown or revoked key, `terms` where the terms must be accepted first. */
export function authenticate(app: App, key: string | undefined, from: CallOrigin): Principal {
  const principal = identify(app, key, from);
  assertTerms(app, principal);
  return principal;
}

/** As authenticate, before the terms are accepted: for reading and accepting them, and nothing else. */
export function identify(app: App, key: string | undefined, from: CallOrigin): Principal {
  if (key === undefined || key === '') {
    throw new AppError('key', 'API key missing: send it as X-Api-Key');
  }
  const record = app.store.read.apiKey(hashSecret(key));
  const account = record === undefined ? undefined : app.store.read.account(record.accountId);
  if (record === undefined || account === undefined || account.deletedAt !== null) {
    throw new AppError('key', 'invalid API key');
  }
  noteUse(app, record);
  const { id, name } = record;
  return { ...toPrincipal(app, account, from), key: { id, name } };
}

export function toPrincipal(app: App, account: Account, from: CallOrigin): Principal {
  const plan = app.store.read.plan(account.planId);
  if (plan === undefined) throw new AppError('not_enabled', 'the account has no pricing plan');
  return { account, plan, facade: from.facade, remoteAddress: from.remoteAddress };
}

export function assertTerms(app: App, { account }: Principal): void {
  if (!app.config.termsRequired || account.termsAcceptedAt !== null) return;
  throw new AppError('terms', 'the terms of service have not been accepted');
}

/** For calls that last: an upload or a stream may outlive the account that began it. */
export function assertNotDeleted(read: StoreReader, { account }: Principal): void {
  if (read.account(account.id)?.deletedAt === null) return;
  throw new AppError('key', 'the account was deleted');
}

/** A read-only account looks; it does not submit, override or delete. */
export function assertMayWrite({ account }: Principal): void {
  if (account.readonly) throw new AppError('read_only', 'this account can only view results');
}

/** The last use is told to the minute: a write per request would cost more than the request. */
const USE_NOTED_EVERY_US = 60 * 1_000_000;

/** Hashes of keys whose use is about to be written, so that a burst writes once. */
const noting = new WeakMap<App, Set<string>>();

/** Behind the request, never in its way: the caller's answer does not wait for the disk. */
function noteUse(app: App, { hash, lastUsedAt }: ApiKey): void {
  if (lastUsedAt !== null && app.clock.now() - lastUsedAt < USE_NOTED_EVERY_US) return;
  const pending = noting.get(app) ?? new Set();
  noting.set(app, pending);
  if (pending.has(hash)) return;
  pending.add(hash);
  setImmediate(async () => {
    try {
      await app.store.transact((tx) => {
        // Read again: a key revoked meanwhile must not come back with its last use.
        const key = tx.apiKey(hash);
        if (key !== undefined) tx.putApiKey({ ...key, lastUsedAt: app.clock.now() });
      });
    } catch (error) {
      app.log.debug({ err: error }, 'the last use of a key was not noted');
    } finally {
      pending.delete(hash);
    }
  });
}
