/**
 * A subscription's payloads without repetition: progress changes a record many times, and a client that did not
 * select it would be sent the same again and again.
 */
import type { Payload } from './payloads.ts';

/**
 * What is watched as payloads, without those that equal the one before. Written by hand: a generator's `return()` waits behind a
 * pending `next()`, which would keep an abandoned watcher forever.
 */
export function withoutRepetition<Watched>(
  watch: AsyncIterable<Watched>,
  toPayload: (watched: Watched) => Promise<Payload>,
): AsyncIterableIterator<Payload, undefined> {
  const source = watch[Symbol.asyncIterator]();
  let last: string | undefined;
  return {
    async next() {
      for (;;) {
        const step = await source.next();
        if (step.done === true) return { done: true, value: undefined };
        const payload = await toPayload(step.value);
        if (payload.text === last) continue;
        last = payload.text;
        return { done: false, value: payload };
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
