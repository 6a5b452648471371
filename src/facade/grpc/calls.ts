/** What every call has in common: credential, signal, count, error. A handler only names the app's function and converts. */
import { once } from 'node:events';
import type { DescMethod, DescMethodStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerDuplexStream,
  ServerReadableStream,
} from '@grpc/grpc-js';
import type { App } from '../../app/appliance/app.ts';
import { admitCaller } from '../../app/callers/admission.ts';
import type { CallOrigin, Principal } from '../../app/callers/principal.ts';
import { followStanding, type StandingNeeds } from '../../app/callers/standing.ts';
import { AppError, toAppError } from '../../domain/errors.ts';
import type { Input, OutputInit } from '../../grpc/definition.ts';
import { codeNameOf, toServiceError } from './errors.ts';

export interface GrpcContext {
  app: App;
  /** Aborts when the server closes: a watch has no end of its own. */
  closing: AbortSignal;
}

/** One authenticated call; the signal aborts when the caller goes away, its deadline passes or, in a stream, its standing is lost. */
export interface Caller {
  principal: Principal;
  signal: AbortSignal;
}

export interface RequestCaller<M extends DescMethod> extends Caller {
  request: Input<M>;
}

export interface UploadCaller<M extends DescMethod> extends Caller {
  messages: AsyncIterator<Input<M>, unknown>;
}

type Upload = DescMethodStreaming & { methodKind: 'client_streaming' };
type Download = DescMethodStreaming & { methodKind: 'server_streaming' };
type Duplex = DescMethodStreaming & { methodKind: 'bidi_streaming' };

export function unary<M extends DescMethodUnary>(
  { app }: GrpcContext,
  method: M,
  answer: (caller: RequestCaller<M>) => OutputInit<M> | Promise<OutputInit<M>>,
  { beforeTerms = false }: { beforeTerms?: boolean } = {},
): handleUnaryCall<Input<M>, OutputInit<M>> {
  return (call, callback) => {
    const run = (caller: Caller) => answer({ ...caller, request: call.request });
    const answered = follow(app, method, call, run, { beforeTerms });
    answered.then((message) => callback(null, message), callback);
  };
}

export function upload<M extends Upload>(
  { app }: GrpcContext,
  method: M,
  answer: (caller: UploadCaller<M>) => Promise<OutputInit<M>>,
): handleClientStreamingCall<Input<M>, OutputInit<M>> {
  return (call, callback) => {
    const run = (caller: Caller) => answer({ ...caller, messages: messagesOf(call) });
    const answered = follow(app, method, call, whileStanding(app, { writes: true }, run));
    answered.then((message) => callback(null, message), callback);
  };
}

export function download<M extends Download>(
  { app, closing }: GrpcContext,
  method: M,
  answer: (caller: RequestCaller<M>) => AsyncIterable<OutputInit<M>>,
): handleServerStreamingCall<Input<M>, OutputInit<M>> {
  return (call) => {
    const run = (caller: Caller) =>
      writeUntil(closing, caller, call, (bounded) => answer({ ...bounded, request: call.request }));
    const answered = follow(app, method, call, whileStanding(app, {}, run));
    endAfter(call, answered);
  };
}

export function duplex<M extends Duplex>(
  { app, closing }: GrpcContext,
  method: M,
  answer: (caller: UploadCaller<M>) => AsyncIterable<OutputInit<M>>,
): handleBidiStreamingCall<Input<M>, OutputInit<M>> {
  return (call) => {
    const run = (caller: Caller) =>
      writeUntil(closing, caller, call, (bounded) => answer({ ...bounded, messages: messagesOf(call) }));
    const answered = follow(app, method, call, whileStanding(app, { writes: true }, run));
    endAfter(call, answered);
  };
}

interface IncomingCall {
  metadata: Metadata;
  getPeer(): string;
  on(event: 'cancelled', listener: () => void): unknown;
}

/** Rejects with a gRPC status only. */
async function follow<T>(
  app: App,
  method: DescMethod,
  call: IncomingCall,
  run: (caller: Caller) => T | Promise<T>,
  /** Admits callers that have not accepted the terms of service, too. */
  { beforeTerms = false }: { beforeTerms?: boolean } = {},
): Promise<T> {
  const gone = new AbortController();
  call.on('cancelled', () => gone.abort());
  const count = (code: string) => app.metrics.requests.inc({ facade: 'grpc', method: method.name, code });
  try {
    const credential = { key: keyOf(call.metadata) };
    const { principal } = await admitCaller(app, credential, originOf(call), { beforeTerms });
    const value = await run({ principal, signal: gone.signal });
    count('OK');
    return value;
  } catch (error) {
    count(codeNameOf(error));
    if (toAppError(error).code === 'internal')
      app.log.error({ err: error, method: method.name }, 'call failed');
    throw toServiceError(error);
  }
}

/** Ends a stream whose caller loses its standing; single answers go on, such as that of a call that revokes its key. */
function whileStanding<T>(
  app: App,
  needs: StandingNeeds,
  run: (caller: Caller) => T | Promise<T>,
): (caller: Caller) => Promise<T> {
  return async (caller) => {
    using standing = followStanding(app, caller.principal, needs);
    const signal = AbortSignal.any([caller.signal, standing.signal]);
    const { promise: lost, reject } = Promise.withResolvers<never>();
    // The signal is read before the work begins: a listener of the work could otherwise end it first in another way.
    const end = (): void => reject(standing.signal.reason);
    standing.signal.addEventListener('abort', end, { once: true });
    if (standing.signal.aborted) end();
    return await Promise.race([lost, run({ ...caller, signal })]);
  };
}

/** grpc-js names a peer `address:port`. */
export function originOf(call: { getPeer(): string }): CallOrigin {
  const peer = call.getPeer();
  return { facade: 'grpc', remoteAddress: peer.slice(0, Math.max(0, peer.lastIndexOf(':'))) };
}

export function keyOf(metadata: Metadata): string | undefined {
  const [key] = metadata.get('x-api-key');
  return key?.toString();
}

type Incoming<M extends DescMethod> =
  | ServerReadableStream<Input<M>, OutputInit<M>>
  | ServerDuplexStream<Input<M>, OutputInit<M>>;

/** Leaving the loop early must not destroy the call: its status still has to go out. */
function messagesOf<M extends DescMethod>(call: Incoming<M>): AsyncIterator<Input<M>, unknown> {
  return call.iterator({ destroyOnReturn: false });
}

/** Takes the next message only when the last one has room, so that a slow reader skips to the newest state. */
async function writeUntil<M extends DescMethod>(
  closing: AbortSignal,
  caller: Caller,
  call: { write(message: OutputInit<M>): boolean } & NodeJS.EventEmitter,
  answer: (caller: Caller) => AsyncIterable<OutputInit<M>>,
): Promise<void> {
  const signal = AbortSignal.any([caller.signal, closing]);
  try {
    for await (const message of answer({ ...caller, signal })) {
      signal.throwIfAborted();
      if (!call.write(message)) await once(call, 'drain', { signal });
    }
    signal.throwIfAborted();
  } catch (error) {
    if (!closing.aborted || caller.signal.aborted) throw error;
    throw new AppError('draining', 'the daemon is stopping; call again in a moment', {
      retryAfterSeconds: 10,
    });
  }
}

function endAfter(
  call: { end(): void; emit(event: 'error', error: unknown): boolean },
  answered: Promise<void>,
) {
  answered.then(
    () => call.end(),
    // grpc-js reads the status of a stream from this event and sends it after what was written.
    (error) => call.emit('error', error),
  );
}
