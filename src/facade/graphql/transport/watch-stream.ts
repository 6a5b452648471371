/** A waiting generator cannot be returned, so leaving aborts its signal first; else every closed tab leaves a watcher. */
import { followStanding } from '../../../app/callers/standing.ts';
import type { GraphqlContext } from './context.ts';

export type Watched<T> = { record: T } | { fault: unknown };
type Step<T> = IteratorResult<Watched<T>, undefined>;

/** Opens a watch that ends with its operation, the client's connection, the caller's standing (a fault) or by itself. */
export function openWatch<T>(
  { app, signal, principal }: GraphqlContext,
  watch: (signal: AbortSignal) => AsyncGenerator<T>,
): AsyncIterableIterator<Watched<T>> {
  const departure = new AbortController();
  const standing = followStanding(app, principal());
  const source = watch(AbortSignal.any([signal, departure.signal, standing.signal]));
  let isOpen = true;
  /** Reports the loss of the standing at once to a reader that waits for the next change. */
  let answer: ((step: Step<T>) => void) | undefined;
  const close = (): Step<T> => {
    if (isOpen) app.metrics.watchers.dec();
    isOpen = false;
    signal.removeEventListener('abort', close);
    standing.signal.removeEventListener('abort', lose);
    standing[Symbol.dispose]();
    return { done: true, value: undefined };
  };
  const fail = (fault: unknown): Step<T> => {
    const isGone = !isOpen || departure.signal.aborted;
    const end = close();
    return isGone ? end : { done: false, value: { fault } };
  };
  const lose = (): void => answer?.(fail(standing.signal.reason));
  app.metrics.watchers.inc();
  signal.addEventListener('abort', close, { once: true });
  standing.signal.addEventListener('abort', lose, { once: true });
  return {
    next() {
      if (!isOpen) return Promise.resolve(close());
      if (standing.signal.aborted) return Promise.resolve(fail(standing.signal.reason));
      // A race against one long-lived promise would keep every record in memory until the watch ends.
      return new Promise((resolve) => {
        answer = (step) => {
          answer = undefined;
          resolve(step);
        };
        source.next().then(
          ({ done, value }) => answer?.(done === true ? close() : { done: false, value: { record: value } }),
          (fault: unknown) => answer?.(fail(fault)),
        );
      });
    },
    async return() {
      departure.abort();
      // After the end of the watch no reader is left for its fault.
      await source.return(undefined).catch(() => {});
      return close();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A fault in the stream is its last value, so that the client reads a reason instead of a broken connection. */
export function recordOrThrow<T>(watched: Watched<T>): T {
  if ('fault' in watched) throw watched.fault;
  return watched.record;
}
