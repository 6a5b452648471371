/**
 * Notifies watchers which records changed; they read the state themselves. Nothing is kept for absent watchers, and no timer
 * runs.
 */
import { type Held, holderOf } from '../../domain/desk.ts';
import { Subscription } from './subscription.ts';

/** `holders`: accounts and desks with their records; `judgeId`: an account that may judge others' findings. */
export type WatchFilter = { identifier: string } | { holders: readonly number[] } | { judgeId: number };

/** A watcher this far behind is gone or broken; a fresh list costs it less than the backlog. */
const DIRTY_MAX = 10_000;

export class Feed {
  readonly #dirtyMax: number;
  readonly #byIdentifier = new Map<string, Set<Subscription>>();
  readonly #byHolder = new Map<number, Set<Subscription>>();
  readonly #byJudge = new Map<number, Set<Subscription>>();
  #watchers = 0;
  #changes = 0;

  constructor(dirtyMax: number = DIRTY_MAX) {
    this.#dirtyMax = dirtyMax;
  }

  get watchers(): number {
    return this.#watchers;
  }

  /** The count of published changes: if it differs, earlier reads may be out of date. */
  get changes(): number {
    return this.#changes;
  }

  /** `judgeIds`: accounts that may judge it, besides watchers of its account and its desk. */
  publish(identifier: string, held: Held, judgeIds: readonly number[] = []): void {
    this.#changes += 1;
    for (const subscription of this.#byIdentifier.get(identifier) ?? []) subscription.mark(identifier);
    for (const holder of new Set([held.accountId, holderOf(held)])) {
      for (const subscription of this.#byHolder.get(holder) ?? []) subscription.mark(identifier);
    }
    for (const judgeId of judgeIds) {
      for (const subscription of this.#byJudge.get(judgeId) ?? []) subscription.mark(identifier);
    }
  }

  /** Registers at the call, so that no later change is missed. */
  watch(filter: WatchFilter, signal: AbortSignal): AsyncGenerator<string, undefined, undefined> {
    if ('identifier' in filter) return this.#subscribe(this.#byIdentifier, [filter.identifier], signal);
    if ('judgeId' in filter) return this.#subscribe(this.#byJudge, [filter.judgeId], signal);
    return this.#subscribe(this.#byHolder, filter.holders, signal);
  }

  #subscribe<Key>(
    index: Map<Key, Set<Subscription>>,
    keys: readonly Key[],
    signal: AbortSignal,
  ): Subscription {
    const onEnd = (ended: Subscription) => this.#remove(index, keys, ended);
    const subscription = new Subscription({ dirtyMax: this.#dirtyMax, signal, onEnd });
    if (signal.aborted) return subscription;
    this.#watchers += 1;
    for (const key of keys) index.set(key, (index.get(key) ?? new Set()).add(subscription));
    return subscription;
  }

  #remove<Key>(index: Map<Key, Set<Subscription>>, keys: readonly Key[], ended: Subscription): void {
    const left = keys.filter((key) => index.get(key)?.delete(ended) === true);
    for (const key of left) if (index.get(key)?.size === 0) index.delete(key);
    if (left.length > 0) this.#watchers -= 1;
  }
}
