/** API keys and the webhook secret: made, shown again, replaced, revoked. Stored sealed, looked up by hash. */
import { randomBytes } from 'node:crypto';
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import type { ApiKeyView } from '../../domain/contract/key.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { addressKey } from '../callers/attempts.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { currentAccount, ownOrManaged } from '../callers/authority.ts';
import type { CallOrigin, Principal } from '../callers/principal.ts';
import { hashSecret } from '../callers/tokens.ts';
import { parseLine } from '../field-parsers.ts';
import { auditLine } from './audit.ts';
import type { AccountParts } from './parts.ts';
import { verifyPassword } from './password.ts';

/** One for each system, with room; more are a leak. */
export const KEYS_MAX = 20;
const KEY_NAME_CHARACTERS_MAX = 100;
const KEY_BYTES = 32;

export interface NewApiKey {
  key: ApiKeyView;
  secret: string;
}

/** The key's owner: the caller, or with `userId` an account that it manages. */
export interface KeyOwnerInput {
  principal: Principal;
  userId?: number | undefined;
}

export interface KeyInput extends KeyOwnerInput {
  id: number;
}

export const newApiKey = (): string => `assay_${randomBytes(KEY_BYTES).toString('hex')}`;

/** A read-only account may make keys: without one it could not use the interfaces. */
export async function createKey(
  app: AccountParts,
  { principal, userId, name }: KeyOwnerInput & { name: unknown },
): Promise<NewApiKey> {
  const parsed = parseLine({ name }, 'name', KEY_NAME_CHARACTERS_MAX);
  if (parsed === undefined) throw badField('name', 'expected text, found nothing');
  const secret = newApiKey();
  const key = await app.store.transact((tx) => {
    const owner = keyOwner(tx, principal, userId);
    if (tx.accounts.apiKeyHashes(owner.id).length >= KEYS_MAX) {
      throw new AppError('too_many', `an account has at most ${KEYS_MAX} keys: revoke one first`);
    }
    const id = owner.lastKeyId + 1;
    const made = { accountId: owner.id, id, name: parsed, createdAt: app.clock.now(), lastUsedAt: null };
    const record = { ...made, hash: hashSecret(secret), sealed: app.sealer.seal(secret) };
    tx.accounts.put({ ...owner, lastKeyId: id });
    tx.accounts.putApiKey(record);
    tx.log.appendAudit(auditLine(app, principal, 'key.create', keyTarget(record), { name: parsed }));
    return record;
  });
  return { key: toKeyView(key), secret };
}

/** In the order in which they were made. */
export function listKeys(app: AccountParts, { principal, userId }: KeyOwnerInput): ApiKeyView[] {
  const { id } = ownOrManaged(app.store.read, principal, userId);
  return app.store.read.accounts.apiKeys(id).map(toKeyView);
}

/** Shows one of the caller's own keys again, after the account's password. */
export async function revealKey(
  app: AccountParts,
  { principal, id, password }: { principal: Principal; id: number; password: string },
): Promise<string> {
  await assertPassword(app, principal, password);
  const account = currentAccount(app.store.read, principal);
  const key = findKey(app.store.read, account.id, id);
  await app.store.transact((tx) =>
    tx.log.appendAudit(auditLine(app, principal, 'key.reveal', keyTarget(key))),
  );
  return app.sealer.unseal(key.sealed);
}

/** The old key is invalid at once; name and id stay. */
export async function replaceKey(app: AccountParts, { principal, userId, id }: KeyInput): Promise<NewApiKey> {
  const secret = newApiKey();
  const key = await app.store.transact((tx) => {
    const old = findKey(tx, keyOwner(tx, principal, userId).id, id);
    const made = { createdAt: app.clock.now(), lastUsedAt: null };
    const record = { ...old, ...made, hash: hashSecret(secret), sealed: app.sealer.seal(secret) };
    tx.accounts.removeApiKey(old);
    tx.accounts.putApiKey(record);
    tx.log.appendAudit(auditLine(app, principal, 'key.replace', keyTarget(record)));
    return record;
  });
  return { key: toKeyView(key), secret };
}

export async function revokeKey(app: AccountParts, { principal, userId, id }: KeyInput): Promise<ApiKeyView> {
  return await app.store.transact((tx) => {
    const key = findKey(tx, keyOwner(tx, principal, userId).id, id);
    tx.accounts.removeApiKey(key);
    tx.log.appendAudit(auditLine(app, principal, 'key.revoke', keyTarget(key), { name: key.name }));
    return toKeyView(key);
  });
}

/** Throws on the field for a wrong password; every try is counted. */
export async function assertPassword(
  app: AccountParts,
  principal: Principal,
  password: string,
  field = 'password',
): Promise<void> {
  await assertPasswordOf(app, currentAccount(app.store.read, principal), {
    from: principal,
    password,
    field,
  });
}

/** Like `assertPassword`, for a caller who is not signed in. */
export async function assertPasswordOf(
  app: AccountParts,
  { id, passwordHash }: Pick<Account, 'id' | 'passwordHash'>,
  { from, password, field }: { from: Principal | CallOrigin; password: string; field: string },
): Promise<void> {
  await app.attempts.count('addressGuess', addressKey(from.remoteAddress));
  await app.attempts.count('accountGuess', `account ${id}`);
  if (!(await verifyPassword(password, passwordHash))) {
    await app.store.transact((tx) => tx.log.appendAudit(auditLine(app, from, 'password.refuse', id)));
    throw badField(
      field,
      passwordHash === null
        ? 'expected a password, found none yet: ask for a link that sets one'
        : 'expected the password of this account',
    );
  }
  await app.attempts.forget('accountGuess', `account ${id}`);
}

/** The Standard Webhooks secret (`whsec_…`), made at the first request. */
export async function webhookSecretOf(
  app: AccountParts,
  { principal }: { principal: Principal },
): Promise<string> {
  return await webhookSecretOfAccount(app, currentAccount(app.store.read, principal).id);
}

/** Like webhookSecretOf, for the delivery itself. */
export async function webhookSecretOfAccount(app: AccountParts, accountId: number): Promise<string> {
  const sealed = app.store.read.accounts.get(accountId)?.webhookSecret;
  if (sealed !== null && sealed !== undefined) return app.sealer.unseal(sealed);
  return await app.store.transact((tx) => {
    const account = tx.accounts.get(accountId);
    if (account === undefined) throw new AppError('user', 'no such user');
    // Two deliveries may ask at once; the second takes the first one's.
    if (account.webhookSecret !== null) return app.sealer.unseal(account.webhookSecret);
    return putWebhookSecret(app, tx, account);
  });
}

/** The old secret is no longer used. */
export async function rotateWebhookSecret(
  app: AccountParts,
  { principal }: { principal: Principal },
): Promise<string> {
  assertMayWrite(principal);
  return await app.store.transact((tx) => {
    const account = currentAccount(tx, principal);
    tx.log.appendAudit(auditLine(app, principal, 'webhook_secret.rotate', account.id));
    return putWebhookSecret(app, tx, account);
  });
}

function putWebhookSecret(app: AccountParts, tx: StoreTransaction, account: Account): string {
  const secret = `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;
  tx.accounts.put({ ...account, webhookSecret: app.sealer.seal(secret) });
  return secret;
}

/** Every account may revoke its own keys, a read-only one too: a leaked key must not stay valid. */
function keyOwner(tx: StoreTransaction, principal: Principal, userId: number | undefined): Account {
  if (userId !== undefined && userId !== principal.account.id) assertMayWrite(principal);
  return ownOrManaged(tx, principal, userId);
}

function findKey(read: StoreReader, accountId: number, id: number): ApiKey {
  const key = read.accounts.apiKeys(accountId).find((it) => it.id === id);
  if (key === undefined) throw new AppError('api_key', 'no such API key');
  return key;
}

const keyTarget = ({ accountId, id }: Pick<ApiKey, 'accountId' | 'id'>): string => `${accountId}/${id}`;

function toKeyView({ id, name, createdAt, lastUsedAt }: ApiKey): ApiKeyView {
  return { id, name, createdAt, lastUsedAt };
}
