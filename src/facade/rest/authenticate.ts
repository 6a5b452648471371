/** Who calls: the key of the header `X-Api-Key`, judged before a byte of the body is read. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { App } from '../../app/app.ts';
import { authenticate } from '../../app/authenticate.ts';
import type { Principal } from '../../app/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by requireKey; null on the routes that need no key. */
    principal: Principal | null;
  }
}

/** A hook rather than a line of each handler: it runs before Fastify parses or streams the body. */
export function requireKey(app: App): onRequestHookHandler {
  return (request, _reply, done) => {
    request.principal = authenticate(app, keyOf(request));
    done();
  };
}

export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error(`${request.url} is served without requireKey`);
  return request.principal;
}

/** Aborts when the client goes away before its answer was written. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Whether the call comes from this box itself and not through a proxy that hides who asks. */
export function isLocal(request: FastifyRequest): boolean {
  const { headers, ip, socket } = request;
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  if (isForwarded && ip === socket.remoteAddress) return false;
  return ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.');
}

/** DESIGN.md section 5: what tells of the box needs a key off loopback. */
export function requireKeyOffLoopback(app: App): onRequestHookHandler {
  return (request, _reply, done) => {
    if (!isLocal(request)) request.principal = authenticate(app, keyOf(request));
    done();
  };
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['x-api-key'];
  return Array.isArray(key) ? key[0] : key;
}
