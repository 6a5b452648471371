/** Common to every request of the port: faults as JSON, headers, a count and a line of the log. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { type ErrorShape, isInternal, toErrorReply } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: ErrorShape;
  }
  interface FastifyInstance {
    /** The page that a browser gets at an unknown address; null until the page is plugged in. */
    nothingThere: { show: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | null };
  }
}

const UNKNOWN_PATH = 'unknown path';

/** Errors and unknown paths of the whole port; a plugin with another protocol sets its own in its own scope. */
export function answerFaults(fastify: FastifyInstance, app: App): void {
  fastify.decorateRequest('principal', null);
  fastify.setErrorHandler((error, request, reply) => {
    if (isInternal(error)) {
      app.log.error({ err: error, method: request.method, route: routeOf(request) }, 'request failed');
    }
    const { status, headers, body } = toErrorReply(error, request.routeOptions.config.errors);
    reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
  });
  fastify.decorate('nothingThere', { show: null });
  fastify.setNotFoundHandler((request, reply) => {
    countRequest(app, request, 404);
    const { show } = fastify.nothingThere;
    // A person who mistyped an address reads no JSON.
    const isPerson = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
    if (isPerson && show !== null) return show(request, reply.code(404));
    return reply.code(404).send({ error: `there is nothing at ${request.url.split('?', 1)[0]}` });
  });
}

/** Hooks of the routes made in this scope from now on. */
export function followRequests(scope: FastifyInstance, app: App): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', "default-src 'none'").header('cache-control', 'no-store');
    done();
  });
  scope.addHook('onResponse', (request, reply, done) => {
    countRequest(app, request, reply.statusCode);
    if (app.log.isLevelEnabled('debug')) logRequest(app, request, reply);
    done();
  });
}

function countRequest(app: App, request: FastifyRequest, status: number): void {
  const method = `${request.method} ${routeOf(request)}`;
  app.metrics.requests.inc({ facade: 'rest', method, code: String(status) });
}

function logRequest(app: App, request: FastifyRequest, reply: FastifyReply): void {
  app.log.debug(
    {
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      account: request.principal?.account.id,
    },
    'request',
  );
}

/** The route's pattern: a label of bounded values, and no identifier in the log. */
const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? UNKNOWN_PATH;
