/** All REST routes with what they share: headers, errors, the log line and the count of each request. */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/app.ts';
import { routeClassifications } from './classifications.ts';
import { routeCredits } from './credits.ts';
import { type ErrorShape, isInternal, toErrorReply } from './errors.ts';
import { takeUrlEncoded } from './form-fields.ts';
import { routeHealth } from './health.ts';
import { routeHeatmaps } from './heatmaps.ts';
import { MULTIPART_LIMITS } from './multipart.ts';
import { routeOverrides } from './overrides.ts';
import { routePartners } from './partners.ts';
import { routeSubmissions } from './submissions.ts';
import { routeUsers } from './users.ts';
import { routeValidation } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: ErrorShape;
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
  fastify.setNotFoundHandler((request, reply) => {
    countRequest(app, request, 404);
    reply.code(404).send({ error: `there is nothing at ${request.url.split('?', 1)[0]}` });
  });
}

export async function routeRest(
  fastify: FastifyInstance,
  app: App,
  exposure: { behindProxy: boolean },
): Promise<void> {
  await fastify.register(async (scope) => {
    await scope.register(multipart, { limits: MULTIPART_LIMITS, throwFileSizeLimit: false });
    // Bodies of other types are left unread: the handler names the field at fault instead of a bare 415.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    followRequests(scope, app);
    routeSubmissions(scope, app);
    routeClassifications(scope, app);
    routeHeatmaps(scope, app);
    routeOverrides(scope, app);
    routeCredits(scope, app);
    routeValidation(scope, app);
    await scope.register(async (forms) => {
      takeUrlEncoded(forms);
      routeUsers(forms, app);
      routePartners(forms, app);
    });
    routeHealth(scope, app, exposure);
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
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? UNKNOWN_PATH;
}
