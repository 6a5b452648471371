/** Subscriptions over one WebSocket, opened when the first is asked for and again after a break. */
import { type Client, createClient } from 'graphql-ws';
import { useEffect, useRef } from 'preact/hooks';
import { Cell } from '../state/cell.ts';
import type { Document } from './document.ts';

/** Whether live changes arrive; the page says so if they do not. */
export const isLive = new Cell(true);
/** Counts reconnections. Changes during a break are not sent again, so a reader asks anew. */
export const comebacks = new Cell(0);

const RETRIES_MAX = 1_000_000;
const RETRY_MS_MAX = 10_000;
const IDLE_MS = 3_000;

let client: Client | undefined;

function open(): Client {
  client ??= createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    lazyCloseTimeout: IDLE_MS,
    retryAttempts: RETRIES_MAX,
    shouldRetry: () => true,
    retryWait: (retries) =>
      new Promise((done) => setTimeout(done, Math.min(RETRY_MS_MAX, 500 * 2 ** Math.min(retries, 6)))),
    on: {
      connected: (_socket, _payload, wasRetry) => {
        isLive.set(true);
        if (wasRetry) comebacks.set(comebacks.get() + 1);
      },
      closed: (event) => isLive.set((event as CloseEvent).code === 1000),
    },
  });
  return client;
}

/** The next session must not go on with the socket of the last one. */
export function closeLive(): void {
  void client?.dispose();
  client = undefined;
}

/** Hands each value on until the returned function is called. */
export function follow<T, Variables extends Record<string, unknown>>(
  query: Document<T, Variables>,
  variables: NoInfer<Variables>,
  take: (data: T) => void,
  ended: () => void = () => {},
): () => void {
  return open().subscribe<T>(
    { query, variables },
    {
      next: ({ data, errors }) => {
        // The error that ends a subscription: the role or the session was lost.
        if (errors) isLive.set(false);
        else if (data) take(data);
      },
      error: () => {
        isLive.set(false);
        ended();
      },
      complete: ended,
    },
  );
}

/** Null follows nothing. `catchUp` is called after a break: only a subscription that begins with what is now needs none. */
export function useLive<T, Variables extends Record<string, unknown>>(
  query: Document<T, Variables> | null,
  variables: NoInfer<Variables>,
  take: (data: T) => void,
  catchUp: () => void = () => {},
): void {
  const latest = useRef(take);
  latest.current = take;
  const missed = useRef(catchUp);
  missed.current = catchUp;
  useEffect(() => comebacks.follow(() => missed.current()), []);
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (query === null) return undefined;
    return follow(query, JSON.parse(key) as NoInfer<Variables>, (data) => latest.current(data));
  }, [query, key]);
}
