/** Bounds concurrent work: uploads with two descriptors and a small buffer each, or exports that take turns at the store. */
import { AppError, type Reason } from '../../domain/errors.ts';

/** One account's share of all places, so that another one always finds room. */
const ACCOUNT_SHARE_MAX = 0.5;

export interface PlacesRule {
  countMax: number;
  /** In the plural, for sentences. */
  what: string;
  /** Reason for an account that has used its share. */
  accountReason: Reason;
  /** They end by themselves or are ended as too slow, so room comes soon. */
  retryAfterSeconds: number;
}

/** An HTTP answer: it closes when it is written, or when the client is gone. */
interface Answer {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export class OpenPlaces {
  readonly #rule: PlacesRule;
  readonly #counts = new Map<number, number>();

  constructor(rule: PlacesRule) {
    this.#rule = rule;
  }

  /** Dispose it when the work has ended. Throws the rule's reason for the account, `exhausted` for all. */
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

  /** Like open, until the answer closes. */
  openUntil(answer: Answer, accountId: number): void {
    if (answer.destroyed) throw new AppError('cancelled', 'the caller went away');
    const place = this.open(accountId);
    answer.once('close', () => place[Symbol.dispose]());
  }

  #assertRoom(accountId: number): void {
    const { countMax, what, accountReason, retryAfterSeconds } = this.#rule;
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const own = this.#counts.get(accountId) ?? 0;
    const details = { retryAfterSeconds };
    if (own >= Math.ceil(countMax * ACCOUNT_SHARE_MAX)) {
      throw new AppError(accountReason, `the account has ${own} ${what} under way, the maximum`, details);
    }
    if (total >= countMax) {
      throw new AppError('exhausted', `${total} ${what} are under way, the maximum`, details);
    }
  }

  #add(accountId: number, change: 1 | -1): void {
    const count = (this.#counts.get(accountId) ?? 0) + change;
    if (count === 0) this.#counts.delete(accountId);
    else this.#counts.set(accountId, count);
  }
}

export function uploadPlaces(countMax: number): OpenPlaces {
  return new OpenPlaces({ countMax, what: 'uploads', accountReason: 'uploads_full', retryAfterSeconds: 5 });
}
