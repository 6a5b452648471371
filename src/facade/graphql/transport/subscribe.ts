/** Each subscription opens a watch of its own. Events skip Yoga's own stream, which would parse and write payloads again. */
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { GraphqlContext } from './context.ts';
import type { createErrorMask } from './errors.ts';
import { EventStream } from './event-stream.ts';
import { type Payload, Payloads } from './payloads.ts';
import type { Watched } from './watch-stream.ts';

const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  connection: 'keep-alive',
  'cache-control': 'no-cache',
  'content-encoding': 'none',
};

const streams = new WeakMap<Response, EventStream>();

/** The body of a subscription's answer; undefined for any other answer. */
export const eventsOf = (response: Response): EventStream | undefined => streams.get(response);

export function useSubscriptions(
  maskError: ReturnType<typeof createErrorMask>,
): Plugin<object, GraphqlContext> {
  const payloads = new Payloads(maskError);
  const opened = new WeakMap<Request, AsyncIterableIterator<Payload, undefined>>();
  return {
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        // The engine's own answer reports a fault of the request.
        if (!hasGoodVariables(args)) return await subscribeFn(args as never);
        const watch = await createSourceEventStream(args);
        if (!isAsyncIterable(watch)) return watch;
        const passed = withoutRepetition(watch as AsyncIterable<Watched<unknown>>, payloads.of(args));
        const { request } = args.contextValue as { request?: Request };
        if (request !== undefined) opened.set(request, passed);
        return toResults(passed);
      });
    },
    onResultProcess({ request, result, resultProcessor, setResultProcessor }) {
      const passed = opened.get(request);
      // Without a processor the caller accepts no events.
      if (passed === undefined || resultProcessor === undefined || !isAsyncIterable(result)) return;
      setResultProcessor((_result, { Response }) => {
        const response = new Response(null, { headers: EVENT_STREAM_HEADERS });
        streams.set(response, new EventStream(passed));
        return response;
      }, 'text/event-stream');
    },
  };
}

function hasGoodVariables({ schema, document, operationName, variableValues }: ExecutionArgs): boolean {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions;
  if (definitions === undefined) return false;
  return getVariableValues(schema, definitions, variableValues ?? {}).errors === undefined;
}

function toResults(
  payloads: AsyncIterableIterator<Payload, undefined>,
): AsyncIterableIterator<ExecutionResult, undefined> {
  return {
    async next() {
      const step = await payloads.next();
      return step.done === true ? step : { done: false, value: step.value.result };
    },
    async return() {
      await payloads.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

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
