/** Each subscription opens a watch of its own. Events skip Yoga's own stream, which would parse and write payloads again. */
import { Readable } from 'node:stream';
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

/** Watched payloads without repeats. Not a generator: its `return()` waits for ever behind a pending `next()`. */
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

/** Proxies cut what is silent for longer. */
const PING_INTERVAL_MS = 12_000;
const PING = Buffer.from(':\n\n');
const END = Buffer.from('event: complete\ndata:\n\n');

const events = new WeakMap<Payload, Buffer>();

/** Server-sent events: a payload is taken when the one before has left, so that a slow reader skips to the newest. */
function eventOf(payload: Payload): Buffer {
  const known = events.get(payload);
  if (known !== undefined) return known;
  const event = Buffer.from(`event: next\ndata: ${payload.text}\n\n`);
  events.set(payload, event);
  return event;
}

/** Destroying the stream ends the subscription. */
export class EventStream extends Readable {
  readonly #payloads: AsyncIterator<Payload, undefined>;
  #ping: NodeJS.Timeout | undefined;
  #isTaking = false;

  constructor(payloads: AsyncIterator<Payload, undefined>) {
    super({ highWaterMark: 1 });
    this.#payloads = payloads;
  }

  override _read(): void {
    if (this.#ping === undefined) this.#begin();
    else if (!this.#isTaking) this.#take();
  }

  /** Some browsers wait with the answer's head until a byte follows. */
  #begin(): void {
    this.#ping = setInterval(() => {
      if (this.#isTaking) this.push(PING);
    }, PING_INTERVAL_MS);
    this.push(PING);
  }

  #take(): void {
    this.#isTaking = true;
    this.#payloads.next().then(
      (step) => {
        this.#isTaking = false;
        if (this.destroyed) return;
        if (step.done !== true) this.push(eventOf(step.value));
        else this.#end();
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }

  #end(): void {
    clearInterval(this.#ping);
    this.push(END);
    this.push(null);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearInterval(this.#ping);
    const left = this.#payloads.return?.() ?? Promise.resolve();
    left.then(
      () => callback(error),
      (fault: Error) => callback(error ?? fault),
    );
  }
}
