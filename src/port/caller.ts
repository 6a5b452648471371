/** Authenticates a caller by the header `X-Api-Key`, and judges what it may send, before a byte of the body is read. */
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { admitCaller, admitMedia, identifyCaller, type MediaIntent } from '../app/callers/admission.ts';
import { authenticate } from '../app/callers/authenticate.ts';
import { assertAdmin } from '../app/callers/authority.ts';
import { readBrowserCall } from '../app/callers/browser.ts';
import type { CallOrigin, Principal } from '../app/callers/principal.ts';
import { followUntilClosed, type StandingNeeds } from '../app/callers/standing.ts';
import { rateHeaders } from './rate-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by requireKey; null on the routes that need no key. */
    principal: Principal | null;
  }
}

/** A hook rather than a line of each handler: it runs before Fastify parses or streams the body. */
export function requireKey(app: App): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { principal, rate } = await admitCaller(app, { key: keyOf(request) }, originOf(request));
    request.principal = principal;
    if (rate !== null) reply.headers(rateHeaders(rate));
  };
}

/** Runs behind requireKey on routes that take media: refuses what need not be sent, and counts the rest. */
export function requireAdmission(
  app: App,
  intentOf: (request: FastifyRequest) => MediaIntent,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const principal = principalOf(request);
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    await admitMedia(app, principal, { announcedBytes, ...intentOf(request) });
    app.openUploads.openUntil(reply.raw, principal.account.id);
  };
}

export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error(`${request.url} is served without requireKey`);
  return request.principal;
}

/** Runs behind requireKey: aborts when the client goes away before its answer, or its caller loses its standing. */
export function signalOf(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  needs: StandingNeeds = {},
): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return AbortSignal.any([controller.signal, followUntilClosed(app, principalOf(request), reply.raw, needs)]);
}

/** For answers whose head may already be sent: only a cut shows that such an answer is not whole. */
export function cutWithoutStanding(
  app: App,
  principal: Principal,
  reply: FastifyReply,
  needs: StandingNeeds = {},
): void {
  const lost = followUntilClosed(app, principal, reply.raw, needs);
  const cut = (): void => void reply.raw.destroy();
  if (lost.aborted) cut();
  else lost.addEventListener('abort', cut, { once: true });
}

/** Whether the call comes from this box itself, not through a proxy that hides the caller. */
export function isLocal(request: FastifyRequest): boolean {
  const { headers, ip, socket } = request;
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  if (isForwarded && ip === socket.remoteAddress) return false;
  return ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.');
}

/** Facts about the box need the administrator's key, except on the box itself. */
export function requireAdminOffLoopback(
  app: App,
  { behindProxy }: { behindProxy: boolean },
): onRequestHookHandler {
  return (request, _reply, done) => {
    if (behindProxy || !isLocal(request)) {
      const principal = authenticate(app, keyOf(request) ?? bearerOf(request), originOf(request));
      assertAdmin(principal);
      request.principal = principal;
    }
    done();
  };
}

/** Descriptions of the interface need a caller who may use it, by key or session, except on the box itself. */
export function requireCallerOffLoopback(
  app: App,
  { behindProxy }: { behindProxy: boolean },
): onRequestHookHandler {
  return (request, _reply, done) => {
    if (behindProxy || !isLocal(request)) {
      const call = readBrowserCall(app, request.headers);
      const browser = call && { call, proof: 'read' as const };
      const key = keyOf(request) ?? bearerOf(request);
      request.principal = identifyCaller(app, { key, browser }, originOf(request));
    }
    done();
  };
}

/** Collectors of metrics send `Authorization`, not headers of our own. */
function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['x-api-key'];
  return Array.isArray(key) ? key[0] : key;
}

const originOf = ({ ip }: FastifyRequest): CallOrigin => ({ facade: 'rest', remoteAddress: ip });
