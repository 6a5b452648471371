/** The key comes in `connection_init` or with the upgrade; a wrong one closes with 4401, a refused account with 4403. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs, GraphQLError } from 'graphql';
import type { Context, SubscribePayload } from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { App } from '../../app/appliance/app.ts';
import { assertTerms } from '../../app/callers/authenticate.ts';
import { readBrowserCall } from '../../app/callers/browser.ts';
import { followUntilClosed } from '../../app/callers/standing.ts';
import { AppError, toAppError } from '../../domain/errors.ts';
import { formatErrors, formatResult, toGraphqlError } from './transport/errors.ts';
import { JSON_BYTES_MAX } from './transport/limits.ts';
import { type Caller, GRAPHQL_PATH, type GraphqlYoga, identifySender } from './yoga.ts';

/** Operations under way on one socket; a dashboard has three or four. */
const OPERATIONS_MAX = 32;
/** Sockets at once; each costs some 50 KiB. */
const SOCKETS_MAX = 2000;
/** A socket that sends no `connection_init` in time is closed (4408). */
const INIT_WAIT_MS = 5_000;
const PING_INTERVAL_MS = 12_000;
/** A client that does not answer the closing is cut. */
const CLOSE_WAIT_MS = 2_000;
const UNAUTHENTICATED_CLOSE_CODE = 4401;
/** Each subscription of a socket whose key was revoked ends with an error before the socket closes. */
const LAST_WORDS_MS = 100;

export interface WebSocketConfig {
  isAllowedOrigin(origin: string | undefined, host: string | undefined): boolean;
  callerAddress(request: IncomingMessage): string;
}

type SocketContext = Context<Record<string, unknown> | undefined, Extra>;
type Run = Pick<ReturnType<GraphqlYoga['getEnveloped']>, 'execute' | 'subscribe'>;

export interface SocketServer extends AsyncDisposable {
  /** Takes over an upgrade to /graphql; answers any other with 404. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function openSocketServer(app: App, yoga: () => GraphqlYoga, config: WebSocketConfig): SocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: JSON_BYTES_MAX });
  const departures = new WeakMap<WebSocket, AbortController>();
  const callerOf = (context: SocketContext): Caller['caller'] => ({
    ...credentialsOf(app, config, context),
    signal: departures.get(context.extra.socket)?.signal ?? AbortSignal.abort(),
    uploads: new Map(),
  });
  const server = useServer<Record<string, unknown> | undefined, Partial<Extra>>(
    {
      connectionInitWaitTimeout: INIT_WAIT_MS,
      onConnect: (context) => admit(app, config, context as SocketContext),
      onSubscribe: (context, _id, payload) =>
        prepare(yoga(), callerOf(context as SocketContext), context as SocketContext, payload),
      execute: (args) => (args.rootValue as Run).execute(args),
      subscribe: (args) => (args.rootValue as Run).subscribe(args),
      onNext: (_context, _id, _payload, _args, result) =>
        result.errors === undefined ? undefined : formatResult(result),
      onError: (_context, _id, _payload, errors) => formatErrors(errors),
    },
    sockets,
    PING_INTERVAL_MS,
  );
  return {
    upgrade(request, socket, head) {
      const refusal = refusalOf(request, sockets.clients.size, config);
      if (refusal !== undefined) return refuse(socket, refusal);
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const departure = new AbortController();
        departures.set(webSocket, departure);
        webSocket.once('close', () => departure.abort());
        sockets.emit('connection', webSocket, request);
      });
    },
    async [Symbol.asyncDispose]() {
      const disposed = server.dispose();
      for (const webSocket of sockets.clients) departures.get(webSocket)?.abort();
      const cut = setTimeout(() => {
        for (const webSocket of sockets.clients) webSocket.terminate();
      }, CLOSE_WAIT_MS);
      await disposed;
      clearTimeout(cut);
    },
  };
}

function refusalOf(
  request: IncomingMessage,
  socketCount: number,
  { isAllowedOrigin }: WebSocketConfig,
): number | undefined {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path !== GRAPHQL_PATH) return 404;
  if (!isAllowedOrigin(request.headers.origin, request.headers.host)) return 403;
  return socketCount >= SOCKETS_MAX ? 503 : undefined;
}

function refuse(socket: Duplex, status: number): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

function keyOf(
  request: IncomingMessage,
  parameters: Record<string, unknown> | undefined,
): string | undefined {
  const given = parameters?.['x-api-key'] ?? request.headers['x-api-key'];
  return typeof given === 'string' ? given : undefined;
}

type Credentials = Pick<Caller['caller'], 'key' | 'browser' | 'remoteAddress'>;

/** A browser names the origin of every upgrade, and sends the session's cookie from foreign pages of this host too. */
function credentialsOf(
  app: App,
  { callerAddress }: WebSocketConfig,
  { extra, connectionParams }: SocketContext,
): Credentials {
  const { request } = extra;
  const call = readBrowserCall(app, request.headers);
  return {
    key: keyOf(request, connectionParams),
    browser: call && { call, proof: 'page' },
    remoteAddress: callerAddress(request),
  };
}

/** False makes the protocol close with 4403. */
function admit(app: App, config: WebSocketConfig, context: SocketContext): boolean {
  const { extra } = context;
  try {
    const principal = identifySender(app, credentialsOf(app, config, context));
    assertTerms(app, principal);
    const lost = followUntilClosed(app, principal, extra.socket, { anyRole: true });
    lost.addEventListener('abort', () => closeWithout(extra.socket, lost.reason), { once: true });
    return true;
  } catch (error) {
    const { code, message } = toAppError(error);
    if (code === 'unauthenticated') extra.socket.close(UNAUTHENTICATED_CLOSE_CODE, message);
    if (code === 'internal') app.log.error({ err: error }, 'a socket could not be admitted');
    return false;
  }
}

function closeWithout(socket: WebSocket, reason: unknown): void {
  const { code, message } = toAppError(reason);
  if (code !== 'unauthenticated') return;
  setTimeout(() => socket.close(UNAUTHENTICATED_CLOSE_CODE, message), LAST_WORDS_MS).unref();
}

/** Parses and validates one operation with the same plugins as over HTTP. */
async function prepare(
  yoga: GraphqlYoga,
  caller: Caller['caller'],
  { subscriptions }: SocketContext,
  payload: SubscribePayload,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  if (Object.keys(subscriptions).length > OPERATIONS_MAX) {
    const description = `at most ${OPERATIONS_MAX} operations may run on one socket`;
    return [toGraphqlError(new AppError('rate', description))];
  }
  const { schema, execute, subscribe, contextFactory, parse, validate } = yoga.getEnveloped({
    caller,
    params: payload,
  } as never);
  try {
    const document = parse(payload.query);
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    return {
      schema,
      document,
      operationName: payload.operationName,
      variableValues: payload.variables,
      contextValue: await contextFactory(),
      rootValue: { execute, subscribe } satisfies Run,
    };
  } catch (error) {
    return [
      error instanceof Error && error.name === 'GraphQLError'
        ? (error as GraphQLError)
        : toGraphqlError(error),
    ];
  }
}
