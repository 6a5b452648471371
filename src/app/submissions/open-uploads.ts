/**
 * The uploads that are being received. Each holds two descriptors (its connection and its file) and a small buffer, which
 * is why there is a bound at all; it is high, because whoever is slow must not keep others out.
 */
import { AppError } from '../../domain/errors.ts';
import type { App } from '../app.ts';

/** What one account may have of all of them: another one finds room whatever it does. */
const ACCOUNT_SHARE_MAX = 0.5;
/** Uploads end by themselves or are ended as too slow, so that room comes soon. */
const RETRY_SECONDS = 5;

const openOf = new WeakMap<App['store'], Map<number, number>>();

/** Dispose it when the upload is received or has failed. Throws `uploads_full` for the account, `exhausted` for all. */
export function openUpload({ store, config }: App, accountId: number): Disposable {
  const open = openOf.get(store) ?? new Map<number, number>();
  openOf.set(store, open);
  const total = [...open.values()].reduce((sum, count) => sum + count, 0);
  const own = open.get(accountId) ?? 0;
  const ownMax = Math.ceil(config.uploadsMax * ACCOUNT_SHARE_MAX);
  const details = { retryAfterSeconds: RETRY_SECONDS };
  if (own >= ownMax) {
    throw new AppError('uploads_full', `the account has ${own} uploads under way, the maximum`, details);
  }
  if (total >= config.uploadsMax) {
    throw new AppError('exhausted', `${total} uploads are under way, the maximum`, details);
  }
  open.set(accountId, own + 1);
  let isOpen = true;
  return {
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      const left = (open.get(accountId) ?? 1) - 1;
      if (left === 0) open.delete(accountId);
      else open.set(accountId, left);
    },
  };
}

/** An answer over HTTP: it closes when it is written, and when the client is gone. */
interface Answer {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** As openUpload, until the answer closes. */
export function openUploadUntil(answer: Answer, app: App, accountId: number): void {
  if (answer.destroyed) throw new AppError('cancelled', 'the caller went away');
  const upload = openUpload(app, accountId);
  answer.once('close', () => upload[Symbol.dispose]());
}
