/** Notifies watchers which records changed; they read the state themselves. Nothing is kept for absent watchers. */
import { AppError } from '../../domain/errors.ts';

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

/**
 * One watcher's identifiers that changed since it last looked. Changes coalesce, so a slow watcher costs one
 * entry per record and always ends with the newest state. Written by hand because a generator's `return()` waits
 * behind a pending `next()`, which would keep an abandoned watcher forever.
 */
interface Waiter {
  resolve(result: IteratorResult<string, undefined>): void;
  reject(error: unknown): void;
}

interface SubscriptionConfig {
  dirtyMax: number;
  signal: AbortSignal;
  /** Called once, however the watcher ends. */
  onEnd: (subscription: Subscription) => void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Ends when its signal aborts or the consumer leaves its loop; throws if the watcher fell too far behind. */
class Subscription implements AsyncGenerator<string, undefined, undefined> {
  readonly #config: SubscriptionConfig;
  readonly #dirty = new Set<string>();
  readonly #waiters: Waiter[] = [];
  readonly #end = () => this.#close(null);
  #hasEnded = false;
  #failure: AppError | null = null;

  constructor(config: SubscriptionConfig) {
    this.#config = config;
    config.signal.addEventListener('abort', this.#end, { once: true });
    if (config.signal.aborted) this.#end();
  }

  mark(identifier: string): void {
    if (this.#hasEnded) return;
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: identifier });
      return;
    }
    this.#dirty.add(identifier);
    if (this.#dirty.size > this.#config.dirtyMax) {
      this.#close(new AppError('rate', 'the changes were read too slowly: list the records and watch again'));
    }
  }

  next(): Promise<IteratorResult<string, undefined>> {
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      return Promise.reject(failure);
    }
    if (this.#hasEnded) return Promise.resolve(END);
    for (const identifier of this.#dirty) {
      this.#dirty.delete(identifier);
      return Promise.resolve({ done: false, value: identifier });
    }
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<string, undefined>> {
    this.#close(null);
    return Promise.resolve(END);
  }

  throw(error: unknown): Promise<IteratorResult<string, undefined>> {
    this.#close(null);
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close(null);
  }

  #close(failure: AppError | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = failure;
    this.#dirty.clear();
    this.#config.signal.removeEventListener('abort', this.#end);
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(END);
    this.#config.onEnd(this);
  }
}
