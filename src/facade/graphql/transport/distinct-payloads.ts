/**
 * A subscription's payloads without repetition: progress changes a record many times, and a client that did not
 * select it would be sent the same again and again.
 */
import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';

export function useDistinctPayloads(): Plugin {
  return {
    onSubscribe: () => ({
      onSubscribeResult({ result, setResult }) {
        if (isAsyncIterable(result)) setResult(withoutRepetition(result as AsyncIterable<ExecutionResult>));
      },
    }),
  };
}

/**
 * Leaves out what equals the payload before it. Written by hand: a generator's `return()` waits behind a pending
 * `next()`, which would keep an abandoned watcher forever.
 */
export function withoutRepetition(
  payloads: AsyncIterable<ExecutionResult>,
): AsyncIterableIterator<ExecutionResult> {
  const source = payloads[Symbol.asyncIterator]();
  let last: string | undefined;
  return {
    async next() {
      for (;;) {
        const step = await source.next();
        if (step.done === true) return step;
        const text = JSON.stringify(step.value);
        if (text === last) continue;
        last = text;
        return step;
      }
    },
    async return() {
      return (await source.return?.()) ?? { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
