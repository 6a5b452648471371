/**
 * Notifies watchers which records changed; they read the state themselves. Nothing is kept for a watcher that is
 * not there, and no timer runs.
 */
import { Subscription } from './subscription.ts';

/** `judgeId`: the records of others that this account may judge. */
export type WatchFilter = { identifier: string } | { accountId: number } | { judgeId: number };

/** A watcher this far behind is gone or broken; a fresh list costs it less than the backlog. */
const DIRTY_MAX = 10_000;

export class Feed {
  readonly #dirtyMax: number;
  readonly #byIdentifier = new Map<string, Set<Subscription>>();
  readonly #byAccount = new Map<number, Set<Subscription>>();
  readonly #byJudge = new Map<number, Set<Subscription>>();
  #watchers = 0;
  #changes = 0;

  constructor(dirtyMax: number = DIRTY_MAX) {
    this.#dirtyMax = dirtyMax;
  }

  get watchers(): number {
    return this.#watchers;
  }

  /** How often a change was published: another number, and what was read before may be out of date. */
  get changes(): number {
    return this.#changes;
  }

  /** `judgeIds`: accounts that may judge it, beside the one whose record it is. */
  publish(identifier: string, accountId: number, judgeIds: readonly number[] = []): void {
    this.#changes += 1;
    for (const subscription of this.#byIdentifier.get(identifier) ?? []) subscription.mark(identifier);
    for (const subscription of this.#byAccount.get(accountId) ?? []) subscription.mark(identifier);
    for (const judgeId of judgeIds) {
      for (const subscription of this.#byJudge.get(judgeId) ?? []) subscription.mark(identifier);
    }
  }

  /** Registers at the call, so that what changes after it is never missed. */
  watch(filter: WatchFilter, signal: AbortSignal): AsyncGenerator<string, undefined, undefined> {
    if ('identifier' in filter) return this.#subscribe(this.#byIdentifier, filter.identifier, signal);
    if ('judgeId' in filter) return this.#subscribe(this.#byJudge, filter.judgeId, signal);
    return this.#subscribe(this.#byAccount, filter.accountId, signal);
  }

  #subscribe<Key>(index: Map<Key, Set<Subscription>>, key: Key, signal: AbortSignal): Subscription {
    const onEnd = (ended: Subscription) => this.#remove(index, key, ended);
    const subscription = new Subscription({ dirtyMax: this.#dirtyMax, signal, onEnd });
    if (signal.aborted) return subscription;
    this.#watchers += 1;
    const subscriptions = index.get(key);
    if (subscriptions === undefined) index.set(key, new Set([subscription]));
    else subscriptions.add(subscription);
    return subscription;
  }

  #remove<Key>(index: Map<Key, Set<Subscription>>, key: Key, ended: Subscription): void {
    const subscriptions = index.get(key);
    if (subscriptions?.delete(ended) !== true) return;
    this.#watchers -= 1;
    if (subscriptions.size === 0) index.delete(key);
  }
}
