/** GraphQL on the HTTP server's port, which checks hosts and times: /graphql (answers, SSE, GraphiQL) and WebSockets. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { admitCaller, admitMedia } from '../../app/callers/admission.ts';
import { CSRF_HEADER, readBrowserCall } from '../../app/callers/browser.ts';
import type { Principal } from '../../app/callers/principal.ts';
import { tooSlow, UPLOAD_WINDOW_MS } from '../../app/submissions/upload-pace.ts';
import { AppError, badField, toAppError } from '../../domain/errors.ts';
import { toGraphqlError, withoutHttp } from './transport/errors.ts';
import { JSON_BYTES_MAX } from './transport/limits.ts';
import { eventsOf } from './transport/subscribe.ts';
import { type PendingUpload, readMultipart } from './transport/uploads.ts';
import { openSocketServer, type WebSocketConfig } from './websocket.ts';
import { type Caller, GRAPHQL_PATH, type GraphqlYoga, openYoga, originOf, type YogaConfig } from './yoga.ts';

export interface GraphqlConfig extends YogaConfig, WebSocketConfig {}

/** GraphiQL is one page with its scripts inside; it may talk to this daemon and load nothing from elsewhere. */
const GRAPHIQL_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' blob:; style-src 'unsafe-inline'; font-src data:; " +
  "img-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'; base-uri 'none'";

/** Plugs GraphQL into the server before it listens. Disposing ends the subscriptions. */
export async function plugGraphql(
  app: App,
  fastify: FastifyInstance,
  config: GraphqlConfig,
): Promise<AsyncDisposable> {
  let opened: GraphqlYoga | undefined;
  // The schema takes a twentieth of a start; a daemon whose clients speak another protocol does not need it.
  const yoga = (): GraphqlYoga => {
    opened ??= openYoga(app, config);
    return opened;
  };
  const admitted = new WeakMap<FastifyRequest, Principal>();
  const shutdown = new AbortController();
  await fastify.register(async (scope) => {
    takeBodies(scope);
    scope.addHook('onRequest', async (request) => refuseForgery(request));
    scope.addHook('onRequest', async (request, reply) => {
      if (isUpload(request)) admitted.set(request, await admitUpload(app, request, reply));
    });
    scope.setErrorHandler((error, _request, reply) => answerFault(app, error, reply));
    const run = (request: FastifyRequest, reply: FastifyReply) =>
      answer(yoga(), request, reply, shutdown.signal, {
        ...senderOf(app, request),
        admitted: admitted.get(request),
      });
    scope.get(GRAPHQL_PATH, run);
    scope.post(GRAPHQL_PATH, run);
    scope.options(GRAPHQL_PATH, (_request, reply) =>
      reply.code(204).header('allow', 'GET, POST, OPTIONS').send(),
    );
  });
  const sockets = openSocketServer(app, yoga, config);
  fastify.server.on('upgrade', sockets.upgrade);
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    shutdown.abort();
    ended ??= Promise.resolve(sockets[Symbol.asyncDispose]());
    await ended;
  };
  // The server waits for its connections, and a subscription would keep one forever.
  fastify.addHook('preClose', end);
  return {
    async [Symbol.asyncDispose]() {
      await end();
      await opened?.dispose();
    },
  };
}

/** JSON is read whole, up to its bound; a multipart body stays a stream. */
function takeBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: JSON_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
  scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
}

const NON_SIMPLE_HEADERS = [
  'x-api-key',
  CSRF_HEADER,
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-requested-with',
];

/** A foreign page can post a form without a preflight, but not with such a header. */
function refuseForgery({ method, headers }: FastifyRequest): void {
  if (method !== 'POST' || NON_SIMPLE_HEADERS.some((name) => headers[name] !== undefined)) return;
  throw badField('headers', `expected one of ${NON_SIMPLE_HEADERS.join(', ')} on a POST`);
}

function isUpload({ method, headers }: FastifyRequest): boolean {
  return method === 'POST' && /^multipart\//i.test(headers['content-type'] ?? '');
}

/** Refuses by headers alone; what depends on the operation (the terms, which a mutation reports as data) is refused later. */
async function admitUpload(app: App, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
  const sender = senderOf(app, request);
  const { principal } = await admitCaller(app, sender, originOf(sender), { beforeTerms: true });
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  await admitMedia(app, principal, { purpose: undefined, announcedBytes });
  app.openUploads.openUntil(reply.raw, principal.account.id);
  return principal;
}

type Sender = Omit<Caller['caller'], 'signal' | 'uploads'>;

function senderOf(app: App, request: FastifyRequest): Sender {
  const key = request.headers['x-api-key'];
  return {
    key: typeof key === 'string' ? key : undefined,
    browser: browserOf(app, request),
    remoteAddress: request.ip,
  };
}

async function answer(
  yoga: GraphqlYoga,
  request: FastifyRequest,
  reply: FastifyReply,
  shutdown: AbortSignal,
  sender: Sender,
): Promise<FastifyReply> {
  const departure = new AbortController();
  reply.raw.once('close', () => departure.abort());
  const signal = AbortSignal.any([departure.signal, shutdown]);
  const { body, uploads } = await readBody(request);
  const caller = { ...sender, signal, uploads };
  const init = {
    method: request.method,
    headers: headersOf(request),
    signal,
    ...(body === null ? {} : { body }),
  };
  const url = `http://localhost${request.url}`;
  const response = await yoga.fetch(url, init, { caller });
  for (const upload of uploads.values()) upload.discard();
  response.headers.forEach((value, name) => {
    reply.header(name, value);
  });
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType.startsWith('text/html')) reply.header('content-security-policy', GRAPHIQL_POLICY);
  reply.code(response.status);
  const events = eventsOf(response);
  if (events !== undefined) return reply.send(events);
  if (!contentType.startsWith('text/event-stream') || response.body === null) {
    return reply.send(await response.text());
  }
  return reply.send(Readable.from(readChunks(response.body)));
}

/** GET changes nothing, so the origin is enough proof. */
function browserOf(app: App, { method, headers }: FastifyRequest): Sender['browser'] {
  const call = readBrowserCall(app, headers);
  return call && { call, proof: method === 'GET' ? 'page' : 'token' };
}

/** Returning, which a disconnect does, cancels the stream and with it the subscription. */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

/** Keeps only headers that the GraphQL layer reads: its body may differ from the one that the client sent. */
function headersOf({ method, headers }: FastifyRequest): Record<string, string> {
  return {
    accept: headers.accept ?? '*/*',
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
  };
}

async function readBody(
  request: FastifyRequest,
): Promise<{ body: string | null; uploads: ReadonlyMap<string, PendingUpload> }> {
  if (request.body instanceof Readable) {
    const { parameters, uploads } = await withinWindow(readMultipart(request.body, request.headers));
    return { body: JSON.stringify(parameters), uploads };
  }
  return { body: typeof request.body === 'string' ? request.body : null, uploads: new Map() };
}

/** The operation is small, so it must arrive within the time of a small body. */
async function withinWindow<T>(reading: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const ending = setTimeout(() => reject(tooSlow()), UPLOAD_WINDOW_MS).unref();
  try {
    return await Promise.race([reading, promise]);
  } finally {
    clearTimeout(ending);
  }
}

/** Faults from before the operation, in the shape of any other answer. */
function answerFault(app: App, error: unknown, reply: FastifyReply): FastifyReply {
  const appError = toTransportError(error);
  if (appError.code === 'internal') app.log.error({ err: error }, 'graphql request failed');
  app.metrics.requests.inc({ facade: 'graphql', method: 'unread', code: appError.code });
  const shown = withoutHttp(toGraphqlError(appError));
  return reply.code(appError.httpStatus).send({ errors: [shown.toJSON()] });
}

/** The HTTP server's own refusals (too large, unknown type) carry a status below 500. */
function toTransportError(error: unknown): AppError {
  if (!(error instanceof Error) || error instanceof AppError || !('statusCode' in error))
    return toAppError(error);
  if (error.statusCode === 413) {
    return new AppError('too_large', `the JSON of an operation may have at most ${JSON_BYTES_MAX} bytes`);
  }
  return Number(error.statusCode) < 500 ? badField('body', error.message) : toAppError(error);
}
