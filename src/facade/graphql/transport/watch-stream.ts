/**
 * A watch as GraphQL reads it. A generator that waits for its next change cannot be returned, so leaving aborts
 * its signal first; otherwise every closed browser tab would leave a watcher behind until the next change.
 */
import { followStanding } from '../../../app/callers/standing.ts';
import type { GraphqlContext } from './context.ts';

export type Watched<T> = { record: T } | { fault: unknown };

/** Opens a watch that ends with its operation, the client's connection, the caller's standing (a fault) or by itself. */
export function openWatch<T>(
  { app, signal, principal }: GraphqlContext,
  watch: (signal: AbortSignal) => AsyncGenerator<T>,
): AsyncIterableIterator<Watched<T>> {
  const departure = new AbortController();
  const standing = followStanding(app, principal());
  const source = watch(AbortSignal.any([signal, departure.signal, standing.signal]));
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  standing.signal.addEventListener('abort', () => reject(standing.signal.reason), { once: true });
  let isOpen = true;
  const end = (): IteratorResult<Watched<T>> => {
    if (isOpen) app.metrics.watchers.dec();
    isOpen = false;
    standing[Symbol.dispose]();
    return { done: true, value: undefined };
  };
  app.metrics.watchers.inc();
  signal.addEventListener('abort', end, { once: true });
  const close = (): IteratorResult<Watched<T>> => {
    signal.removeEventListener('abort', end);
    return end();
  };
  return {
    async next() {
      if (!isOpen) return close();
      try {
        standing.signal.throwIfAborted();
        // First the loss: what was on its way is sent no more, and a source may be slow to notice.
        const { done, value } = await Promise.race([lost, source.next()]);
        return done === true ? close() : { done: false, value: { record: value } };
      } catch (fault) {
        const isGone = !isOpen || departure.signal.aborted;
        close();
        return isGone ? close() : { done: false, value: { fault } };
      }
    },
    async return() {
      departure.abort();
      // After the watch has ended, its fault has no reader either.
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
