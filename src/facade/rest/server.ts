/**
 * The HTTP server: bounds, host check, security headers, REST. What else lives on the same port (GraphQL, the
 * dashboard) plugs itself in; this file knows none of it.
 */
import { fastify as createFastify, type FastifyInstance } from 'fastify';
import type { App } from '../../app/app.ts';
import { connectionOptions, drainAfterAnswer, expectContinue, keepWaitingUploads } from './connections.ts';
import { guardUpgrades, type HostCheck, hostCheck, WRONG_HOST } from './hosts.ts';
import { noteMethods } from './methods.ts';
import { answerFaults, followRequests, routeRest } from './rest.ts';

export interface HttpServerConfig {
  host: string;
  /** 0 = any free one. */
  port: number;
  publicUrl: string;
  /** Further names that the Host header may give, with or without a port. */
  allowedHosts: string[];
  /** Addresses or CIDR networks whose X-Forwarded-For counts. */
  trustedProxies: string[];
}

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** Takes no new connection; answers what is under way, up to `graceMs`, then cuts the rest. */
  stopServing(graceMs?: number): Promise<void>;
}

const STOP_GRACE_MS = 10_000;

export async function openHttpServer(
  app: App,
  config: HttpServerConfig,
  plug: (fastify: FastifyInstance) => Promise<void>,
): Promise<HttpServer> {
  const fastify = createFastify(connectionOptions(config.trustedProxies));
  const isAllowed = hostCheck(config);
  guardUpgrades(fastify.server, isAllowed);
  expectContinue(fastify);
  drainAfterAnswer(fastify);
  keepWaitingUploads(fastify);
  guardRequests(fastify, isAllowed);
  answerFaults(fastify, app);
  const refuseOtherMethods = noteMethods(fastify);
  await routeRest(fastify, app);
  await plug(fastify);
  await fastify.after();
  await fastify.register(async (scope) => {
    followRequests(scope, app);
    refuseOtherMethods(scope);
  });
  await fastify.listen({ host: config.host, port: config.port });
  return new OpenHttpServer(fastify, config.host);
}

function guardRequests(fastify: FastifyInstance, isAllowed: HostCheck): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
    if (isAllowed(request.headers.host)) done();
    else reply.code(WRONG_HOST.status).send(WRONG_HOST.body);
  });
}

class OpenHttpServer implements HttpServer {
  readonly url: string;
  readonly #fastify: FastifyInstance;
  #stopped: Promise<void> | undefined;

  constructor(fastify: FastifyInstance, host: string) {
    this.#fastify = fastify;
    const address = fastify.server.address();
    if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port');
    this.url = `http://${reachableName(host)}:${address.port}`;
  }

  stopServing(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    const cut = setTimeout(() => this.#fastify.server.closeAllConnections(), graceMs);
    try {
      await this.#fastify.close();
    } finally {
      clearTimeout(cut);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.stopServing(0);
    this.#fastify.server.closeAllConnections();
    await stopped;
  }
}

function reachableName(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
