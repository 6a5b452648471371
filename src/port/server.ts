/** The HTTP server: bounds, host check, headers, health. What lives on the port is plugged in; this file knows none of it. */

import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import proxyAddr from '@fastify/proxy-addr';
import {
  fastify as createFastify,
  type FastifyHttpsOptions,
  type FastifyInstance,
  type HTTPMethods,
} from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { TLS_VERSION_MIN, type TlsFiles, type TlsMaterial } from '../machinery/tls.ts';
import { connectionOptions, drainAfterAnswer, expectContinue, keepWaitingUploads } from './connections.ts';
import { routeDescriptions } from './descriptions.ts';
import { routeEvidenceKeys } from './evidence.ts';
import { routeHealth } from './health.ts';
import { guardUpgrades, type HostCheck, hostCheck, hostOf, WRONG_HOST } from './hosts.ts';
import { answerFaults, followRequests } from './requests.ts';

export interface HttpServerConfig {
  host: string;
  /** 0 = any free one. */
  port: number;
  publicUrl: string;
  /** Further names that the Host header may give, with or without a port. */
  allowedHosts: string[];
  /** One more connection is closed at once. */
  connectionsMax: number;
  /** Addresses or CIDR networks whose X-Forwarded-For counts. */
  trustedProxies: string[];
  /** A proxy in front hides who calls, so that no caller counts as local. */
  behindProxy: boolean;
  /** Null: clear text. */
  tls: TlsFiles | null;
}

const STOP_GRACE_MS = 10_000;

/** Made before it listens, so that its address can be asked for. */
export class HttpServer implements AsyncDisposable {
  /** Whether a name that a request gives is served here. */
  readonly isAllowedHost: HostCheck;
  /** Finds the caller of an upgrade, which Fastify never sees. */
  readonly callerAddress: CallerAddress;
  readonly #config: HttpServerConfig;
  readonly #fastify: FastifyInstance;
  #boundPort: number;
  #stopped: Promise<void> | undefined;

  constructor(config: HttpServerConfig) {
    this.#config = config;
    this.isAllowedHost = hostCheck(config);
    this.callerAddress = callerAddress(config.trustedProxies);
    this.#fastify = createServer(config);
    this.#boundPort = config.port;
  }

  /** Has the bound port, once there is one. */
  get url(): string {
    const { host, tls } = this.#config;
    return `${tls === null ? 'http' : 'https'}://${reachableName(host)}:${this.#boundPort}`;
  }

  /** `plug` adds what lives on the port beside its health. */
  async serve(app: App, plug: (fastify: FastifyInstance) => Promise<void>): Promise<void> {
    const fastify = this.#fastify;
    fastify.server.maxConnections = this.#config.connectionsMax;
    guardUpgrades(fastify.server, this.isAllowedHost);
    expectContinue(fastify);
    drainAfterAnswer(fastify);
    keepWaitingUploads(fastify);
    guardRequests(fastify, this.isAllowedHost, this.#config.tls !== null);
    answerFaults(fastify, app);
    const refuseOtherMethods = noteMethods(fastify);
    await fastify.register(async (scope) => {
      followRequests(scope, app);
      routeHealth(scope, app, this.#config);
      routeDescriptions(scope, app, this.#config);
      routeEvidenceKeys(scope, app);
    });
    await plug(fastify);
    await fastify.after();
    await fastify.register(async (scope) => {
      followRequests(scope, app);
      refuseOtherMethods(scope);
    });
    await fastify.listen({ host: this.#config.host, port: this.#config.port });
    const address = fastify.server.address();
    if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port');
    this.#boundPort = address.port;
  }

  /** Takes no new connection; answers what is under way, up to `graceMs`, then cuts the rest. */
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

function createServer({ trustedProxies, tls }: HttpServerConfig): FastifyInstance {
  const options = connectionOptions(trustedProxies);
  if (tls === null) return createFastify(options);
  const { http, ...rest } = options;
  const secured: unknown = { ...rest, https: { ...http, ...secureContextOf(tls.material) } };
  const fastify = createFastify(secured as FastifyHttpsOptions<Server>);
  tls.onChange((material) => fastify.server.setSecureContext(secureContextOf(material)));
  // The code only uses what both kinds of server have in common.
  return fastify as unknown as FastifyInstance;
}

function secureContextOf({ cert, key }: TlsMaterial) {
  return { cert, key, minVersion: TLS_VERSION_MIN } as const;
}

/** What a browser must not do with any answer; a page's own policy is its route's business. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};
/** A year: a client that came by TLS once must not be lured back to clear text. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' };

function guardRequests(fastify: FastifyInstance, isAllowed: HostCheck, isSecure: boolean): void {
  const headers = { ...SECURITY_HEADERS, ...(isSecure ? STRICT_TRANSPORT : {}) };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    if (isAllowed(hostOf(request.raw))) done();
    else reply.code(WRONG_HOST.status).send(WRONG_HOST.body);
  });
}

function reachableName(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A known path asked by another method answers 405 with `Allow`. Notes routes; the returned function fills the gaps. */
function noteMethods(fastify: FastifyInstance): (scope: FastifyInstance) => void {
  const methodsOf = new Map<string, Set<string>>();
  fastify.addHook('onRoute', (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
  });
  return (scope) => {
    for (const [url, methods] of [...methodsOf]) refuseOthers(scope, url, [...methods].sort());
  };
}

function refuseOthers(scope: FastifyInstance, url: string, methods: string[]): void {
  const missing = METHODS.filter((method) => !methods.includes(method));
  if (missing.length === 0 || url.includes('*')) return;
  const allow = methods.join(', ');
  scope.route({
    method: missing,
    url,
    handler: (_request, reply) => {
      reply
        .code(405)
        .header('allow', allow)
        .send({ error: `this path answers ${allow} only` });
    },
  });
}

type CallerAddress = (request: IncomingMessage) => string;

/** `trusted`: addresses or CIDR networks of proxies. The nearest address that is none of theirs, for upgrades too, which pass no hook of Fastify; what comes before it anybody may have made up. */
export function callerAddress(trusted: readonly string[]): CallerAddress {
  const isTrusted = proxyAddr.compile([...trusted]);
  return (request) => proxyAddr(request, isTrusted);
}
