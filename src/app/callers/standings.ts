/** The open streams by account, which end when their caller is no longer admitted. `standing.ts` has the rules. */
import type { Alarm, Clock } from '../../domain/clock.ts';
import type { StoreChange } from '../../store/accounts/change.ts';
import type { Principal } from './principal.ts';

/** A session's end is noticed within this time. One alarm serves all streams, since each may last as long as its session. */
export const EXPIRY_LOOK_MS = 500;

/** Dispose it when the stream has ended, or it is kept for ever. */
export interface Standing extends Disposable {
  /** Its reason is the AppError of the refusal. */
  readonly signal: AbortSignal;
}

interface Follower {
  expiresAt: number | null;
  judge: () => void;
  ending: AbortController;
}

export class Standings implements Disposable {
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #followers = new Map<number, Set<Follower>>();
  #expiring = 0;
  #looking: Alarm | undefined;

  constructor(clock: Pick<Clock, 'now' | 'after'>) {
    this.#clock = clock;
  }

  countOf(accountId: number): number {
    return this.#followers.get(accountId)?.size ?? 0;
  }

  /** Called after every commit. */
  publish(change: StoreChange): void {
    if (change.type !== 'standing') return;
    for (const follower of this.#followers.get(change.accountId) ?? []) judge(follower);
  }

  /** `isGood` throws the reason to end; it is called at once, and after each change of the account. */
  follow({ account: { id }, admittedBy }: Principal, isGood: () => void): Standing {
    const expiresAt = admittedBy.type === 'session' ? admittedBy.expiresAt : null;
    const follower = { expiresAt, judge: isGood, ending: new AbortController() };
    this.#add(id, follower);
    judge(follower);
    let isFollowed = true;
    return {
      signal: follower.ending.signal,
      [Symbol.dispose]: () => {
        if (isFollowed) this.#remove(id, follower);
        isFollowed = false;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#looking?.cancel();
    this.#looking = undefined;
  }

  #add(accountId: number, follower: Follower): void {
    const followers = this.#followers.get(accountId);
    if (followers === undefined) this.#followers.set(accountId, new Set([follower]));
    else followers.add(follower);
    if (follower.expiresAt === null) return;
    this.#expiring += 1;
    this.#looking ??= this.#lookLater();
  }

  #remove(accountId: number, follower: Follower): void {
    const followers = this.#followers.get(accountId);
    followers?.delete(follower);
    if (followers?.size === 0) this.#followers.delete(accountId);
    if (follower.expiresAt === null) return;
    this.#expiring -= 1;
    if (this.#expiring === 0) this[Symbol.dispose]();
  }

  #lookLater(): Alarm {
    return this.#clock.after(EXPIRY_LOOK_MS, () => {
      this.#looking = this.#lookLater();
      this.#endExpired();
    });
  }

  #endExpired(): void {
    const now = this.#clock.now();
    for (const followers of this.#followers.values()) {
      for (const follower of followers) {
        if (follower.expiresAt !== null && follower.expiresAt <= now) judge(follower);
      }
    }
  }
}

/** An unreadable row ends the stream too: its caller could not be admitted either. */
function judge({ judge: isGood, ending }: Follower): void {
  if (ending.signal.aborted) return;
  try {
    isGood();
  } catch (error) {
    ending.abort(error);
  }
}
