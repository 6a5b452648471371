/** Notifies watchers which records changed; they read the state themselves. Nothing is kept for absent watchers. */
import { Subscription } from './subscription.ts';

/** `readerId`: an account with its own records and those of its desks; `judgeId`: an account that may judge others' findings. */
export type WatchFilter = { identifier: string } | { readerId: number } | { judgeId: number };

/** A watcher this far behind is gone or broken; a fresh list costs it less than the backlog. */
const DIRTY_MAX = 10_000;

export class Feed {
  readonly #dirtyMax: number;
  readonly #byIdentifier = new Map<string, Set<Subscription>>();
  readonly #byReader = new Map<number, Set<Subscription>>();
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

  /** `readerIds`: the account that brought it and the members of its desk; `judgeIds`: accounts that may judge it. */
  publish(identifier: string, readerIds: readonly number[], judgeIds: readonly number[] = []): void {
    this.#changes += 1;
    for (const subscription of this.#byIdentifier.get(identifier) ?? []) subscription.mark(identifier);
    for (const id of readerIds)
      for (const subscription of this.#byReader.get(id) ?? []) subscription.mark(identifier);
    for (const id of judgeIds)
      for (const subscription of this.#byJudge.get(id) ?? []) subscription.mark(identifier);
  }

  /** Registers at the call, so that no later change is missed. */
  watch(filter: WatchFilter, signal: AbortSignal): AsyncGenerator<string, undefined, undefined> {
    if ('identifier' in filter) return this.#subscribe(this.#byIdentifier, filter.identifier, signal);
    if ('judgeId' in filter) return this.#subscribe(this.#byJudge, filter.judgeId, signal);
    return this.#subscribe(this.#byReader, filter.readerId, signal);
  }

  #subscribe<Key>(index: Map<Key, Set<Subscription>>, key: Key, signal: AbortSignal): Subscription {
    const onEnd = (ended: Subscription) => this.#remove(index, key, ended);
    const subscription = new Subscription({ dirtyMax: this.#dirtyMax, signal, onEnd });
    if (signal.aborted) return subscription;
    this.#watchers += 1;
    index.set(key, (index.get(key) ?? new Set()).add(subscription));
    return subscription;
  }

  #remove<Key>(index: Map<Key, Set<Subscription>>, key: Key, ended: Subscription): void {
    const subscriptions = index.get(key);
    if (subscriptions?.delete(ended) !== true) return;
    if (subscriptions.size === 0) index.delete(key);
    this.#watchers -= 1;
  }
}
