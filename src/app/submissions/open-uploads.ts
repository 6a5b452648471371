/**
 * The uploads that are being received. Each holds two descriptors (its connection and its file) and a small buffer, which
 * is why there is a bound at all; it is high, because a slow client must not keep others out.
 */
import { AppError } from '../../domain/errors.ts';

/** What one account may have of all of them: another one finds room whatever it does. */
const ACCOUNT_SHARE_MAX = 0.5;
/** Uploads end by themselves or are ended as too slow, so that room comes soon. */
const RETRY_SECONDS = 5;

/** An answer over HTTP: it closes when it is written, and when the client is gone. */
interface Answer {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export class OpenUploads {
  readonly #countMax: number;
  readonly #counts = new Map<number, number>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** Dispose it when the upload is received or has failed. Throws `uploads_full` for the account, `exhausted` for all. */
  open(accountId: number): Disposable {
    this.#assertRoom(accountId);
    this.#add(accountId, 1);
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#add(accountId, -1);
      },
    };
  }

  /** As open, until the answer closes. */
  openUntil(answer: Answer, accountId: number): void {
    if (answer.destroyed) throw new AppError('cancelled', 'the caller went away');
    const upload = this.open(accountId);
    answer.once('close', () => upload[Symbol.dispose]());
  }

  #assertRoom(accountId: number): void {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const own = this.#counts.get(accountId) ?? 0;
    const details = { retryAfterSeconds: RETRY_SECONDS };
    if (own >= Math.ceil(this.#countMax * ACCOUNT_SHARE_MAX)) {
      throw new AppError('uploads_full', `the account has ${own} uploads under way, the maximum`, details);
    }
    if (total >= this.#countMax) {
      throw new AppError('exhausted', `${total} uploads are under way, the maximum`, details);
    }
  }

  #add(accountId: number, change: 1 | -1): void {
    const count = (this.#counts.get(accountId) ?? 0) + change;
    if (count === 0) this.#counts.delete(accountId);
    else this.#counts.set(accountId, count);
  }
}
