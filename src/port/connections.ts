/** Bounds of a connection: slow or silent clients are cut, big uploads and slow answers are not. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { toErrorReply } from './errors.ts';

/** 100 identifiers of 64 characters in a query are 8 KB; cookies and proxies add some. */
const HEADER_BYTES_MAX = 16 * 1024;
const HEADERS_TIMEOUT_MS = 20_000;
const HEADERS_COUNT_MAX = 100;
/** After this long without a byte in either direction the client counts as gone. */
const SILENCE_MS = 120_000;
export const JSON_BODY_BYTES_MAX = 64 * 1024;
/** A small body that takes longer is fed drop by drop. */
const SMALL_BODY_TIMEOUT_MS = 30_000;
/** How long the rest of a refused upload is read, so that the client gets the answer; silence ends it sooner. */
const LINGER_MS = 30_000;
const LINGER_SILENCE_MS = 5_000;
/** Forms with a file, and the pieces of a tus upload. */
const UPLOAD_TYPES = /^(multipart\/|application\/offset\+octet-stream)/i;
const JSON_TYPE = 'application/json; charset=utf-8';
const PARAMETER_CHARACTERS_MAX = 512;

export function connectionOptions(trustedProxies: readonly string[]): FastifyHttpOptions<Server> {
  return {
    logger: false,
    bodyLimit: JSON_BODY_BYTES_MAX,
    connectionTimeout: SILENCE_MS,
    // A whole request may last as long as 5 GB take; silence and small bodies have bounds of their own.
    requestTimeout: 0,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // Other offers, such as curl's of HTTP/2, may be ignored; their request is answered as it is (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS_MAX },
    // While draining, open connections keep their documented answers: reads work, submissions get 503.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    frameworkErrors(error, _request, reply) {
      const { status, body } = toErrorReply(error);
      reply.raw.writeHead(status, { 'content-type': JSON_TYPE }).end(JSON.stringify(body));
    },
    clientErrorHandler(error: Error & { code?: string }, socket: Socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
      }
      const isTooBig = error.code === 'HPE_HEADER_OVERFLOW';
      const status = isTooBig ? '431 Request Header Fields Too Large' : '400 Bad Request';
      const body = JSON.stringify({
        error: isTooBig ? 'the headers are too big' : 'the request cannot be read',
      });
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  };
}

/** A client that asks first (`Expect: 100-continue`) sends its gigabytes only after the key was judged. */
export function expectContinue(fastify: FastifyInstance): void {
  const { server } = fastify;
  server.maxHeadersCount = HEADERS_COUNT_MAX;
  const asked = new WeakSet<IncomingMessage>();
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    asked.add(request);
    server.emit('request', request, response);
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (asked.has(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
}

/** After an answer before the body's end the rest is read for a while, then the connection is cut. */
export function drainAfterAnswer(fastify: FastifyInstance): void {
  fastify.server.prependListener('request', lingerBeforeClose);
  fastify.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    done();
    if (!raw.complete && !raw.destroyed) drain(raw, () => raw.destroy());
  });
}

/** Reads the rest; calls `end` when it is read, when nothing more comes, or when it takes too long. */
function drain(request: IncomingMessage, end: () => void): void {
  const finish = (): void => {
    clearTimeout(cut);
    clearInterval(watch);
    end();
  };
  const cut = setTimeout(finish, LINGER_MS).unref();
  const { socket } = request;
  let { bytesRead } = socket;
  const watch = setInterval(() => {
    if (socket.bytesRead === bytesRead) finish();
    bytesRead = socket.bytesRead;
  }, LINGER_SILENCE_MS).unref();
  const settle = (): void => {
    clearTimeout(cut);
    clearInterval(watch);
  };
  request.once('end', settle).once('close', settle).resume();
}

/** Node closes at once after an answer: unread bytes make that a reset, and a client that still sends never sees it. */
function lingerBeforeClose(request: IncomingMessage): void {
  const { socket } = request;
  const close = (): void => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (request.complete || request.destroyed || !hasBody(request)) {
      close();
      return;
    }
    socket.end();
    request.once('end', close);
    drain(request, close);
  };
}

/** An upload that waits for the disk is silent because of us, so it is not cut; small bodies have a bound of their own. */
export function keepWaitingUploads(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const { raw } = request;
    if (UPLOAD_TYPES.test(raw.headers['content-type'] ?? '')) {
      raw.on('timeout', (socket: Socket) => {
        if (raw.isPaused() || raw.readableLength > 0) socket.setTimeout(SILENCE_MS);
        else socket.destroy();
      });
    } else if (hasBody(raw)) {
      const cut = setTimeout(() => raw.complete || raw.destroy(), SMALL_BODY_TIMEOUT_MS).unref();
      raw.once('close', () => clearTimeout(cut));
    }
    done(null, payload);
  });
}

function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  );
}
