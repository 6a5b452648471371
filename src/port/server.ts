/** The HTTP server: bounds, host check, headers, health. What lives on the port is plugged in; this file knows none of it. */
import { type IncomingMessage, type Server as PlainServer, STATUS_CODES } from 'node:http';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
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

/** A name that an attacker points at 127.0.0.1 would be same-origin: only known names are answered (docs/security.md). */
interface HostRule {
  host: string;
  publicUrl: string;
  allowedHosts: readonly string[];
}

type HostCheck = (header: string | undefined) => boolean;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::', '[::]'];

/** Names count, ports do not: a proxy or a forwarded port may show another one. */
export function hostCheck(rule: HostRule): HostCheck {
  const listen = WILDCARDS.includes(rule.host) ? [] : [rule.host];
  const names = [...LOOPBACK, ...listen, ...rule.allowedHosts].map(hostnameOf);
  const allowed = new Set([...names, new URL(rule.publicUrl).hostname]);
  return (header) => {
    // The whole text must match: `[::1]evil` and `localhost:1, evil` begin with a served name and are not one.
    const name = HOST.exec(header ?? '')?.[1];
    return name !== undefined && allowed.has(name.toLowerCase());
  };
}

/** `uri-host [ ":" port ]` (RFC 9110, 7.2), the name by itself. */
const HOST = /^(\[[\da-f:.]+\]|[^\s:,;@/[\]]+)(?::\d{0,5})?$/i;

/** Node keeps the first of several `Host` lines; a proxy before it may have judged another. */
function hostOf({ headersDistinct: { host } }: IncomingMessage): string | undefined {
  return host?.join(', ');
}

const WRONG_HOST = {
  status: 421,
  body: {
    error: 'this host name is not served: set ASSAY_PUBLIC_URL or allow the name in the settings',
  },
};

/** Upgrades pass no hook of Fastify, so the server itself refuses those of a foreign name. */
function guardUpgrades(server: PlainServer, isAllowed: HostCheck): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    const [request, socket] = args as [IncomingMessage, Duplex];
    if (event !== 'upgrade' || isAllowed(hostOf(request))) return emit(event, ...args);
    const body = JSON.stringify(WRONG_HOST.body);
    socket.end(
      `HTTP/1.1 ${WRONG_HOST.status} ${STATUS_CODES[WRONG_HOST.status]}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    return true;
  };
}

/** `name:port` or `[v6]:port` without its port, lower case; IPv6 always in brackets. */
function hostnameOf(host: string): string {
  const text = host.trim().toLowerCase();
  if (text.startsWith('[')) return text.slice(0, text.indexOf(']') + 1);
  const colon = text.indexOf(':');
  if (colon === -1) return text;
  return text.indexOf(':', colon + 1) === -1 ? text.slice(0, colon) : `[${text}]`;
}
