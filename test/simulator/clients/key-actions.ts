/** Keys that clients make and revoke, and the streams that they open with them. */
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import type { ActionParts } from './action.ts';

export async function makeKey({ life, book, accountId, isAlive }: ActionParts): Promise<void> {
  const principal = life.principalOf(accountId);
  const { key, secret } = await createKey(life.app, { principal, name: 'newsroom' });
  if (isAlive()) book.keys.push({ id: key.id, accountId, secret, revokedMs: null });
}

export async function openStream({ life, book, random, streams }: ActionParts): Promise<void> {
  const keys = book.keys.filter(({ revokedMs }) => revokedMs === null);
  if (keys.length > 0) streams.open(life, random.pick(keys));
}

export async function revokeSomeKey({ life, book, random, isAlive }: ActionParts): Promise<void> {
  const keys = book.keys.filter(({ revokedMs }) => revokedMs === null);
  if (keys.length === 0) return;
  const key = random.pick(keys);
  // From here on no one relies on it: the answer may be lost.
  book.keys.splice(book.keys.indexOf(key), 1);
  await revokeKey(life.app, { principal: life.principalOf(key.accountId), id: key.id });
  if (isAlive()) key.revokedMs = life.app.clock.now() / 1000;
}
