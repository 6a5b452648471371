/**
 * One watcher's identifiers that changed since it last looked. Changes coalesce, so a slow watcher costs one
 * entry per record and always ends with the newest state. Written by hand because a generator's `return()` waits
 * behind a pending `next()`, which would keep an abandoned watcher forever.
 */
import { AppError } from '../../domain/errors.ts';

interface Waiter {
  resolve(result: IteratorResult<string, undefined>): void;
  reject(error: unknown): void;
}

export interface SubscriptionConfig {
  dirtyMax: number;
  signal: AbortSignal;
  /** Called once, however the watcher ends. */
  onEnd: (subscription: Subscription) => void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Ends when its signal aborts or the consumer leaves its loop; throws if the watcher fell too far behind. */
export class Subscription implements AsyncGenerator<string, undefined, undefined> {
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
