/** `/files`: resumable uploads by tus 1.0 (tus.io). The protocol is the library's; uploads are the app's, as over gRPC. */
import { type CancellationContext, Metadata, Server, type Server as TusServer } from '@tus/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { admitCaller, admitMedia, type MediaIntent } from '../../app/callers/admission.ts';
import { type BrowserProof, readBrowserCall } from '../../app/callers/browser.ts';
import type { Principal } from '../../app/callers/principal.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { checkFields } from '../../app/submissions/submit.ts';
import { parseKind, submitUpload } from '../../app/submissions/submit-upload.ts';
import { beginUpload, readUpload } from '../../app/submissions/unfinished-uploads.ts';
import { AppError, toAppError } from '../../domain/errors.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { cutWithoutStanding } from '../../port/caller.ts';
import { fileNameOf, toFields, UploadStore, uploadNameOf } from './uploads.ts';

export const TUS_PATH = '/files';
/** The record that an upload became. */
export const IDENTIFIER_HEADER = 'assay-identifier';
const OVERRIDING_METHODS: readonly string[] = ['PATCH', 'DELETE'];
/** A call that takes over gives the one before so long to write what it has read. */
const TAKE_OVER_MS = 500;

interface FileRequest {
  Params: { id: string };
}

export async function plugTus(fastify: FastifyInstance, app: App): Promise<void> {
  const callers = new WeakMap<object, Principal>();
  const tus = openTus(app, (request) => {
    const caller = request === undefined ? undefined : callers.get(request);
    if (caller === undefined) throw new Error('a tus request without a caller');
    return caller;
  });
  await fastify.register(async (scope) => {
    // Bodies are the library's to read.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const hand = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await handOver(app, tus, request, reply);
    };
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (request.method !== 'OPTIONS') callers.set(request.raw, await admit(app, request, reply));
    };
    for (const url of [TUS_PATH, `${TUS_PATH}/`])
      scope.route({ method: ['POST', 'OPTIONS'], url, onRequest, handler: hand });
    scope.route({ method: ['PATCH', 'DELETE', 'OPTIONS'], url: `${TUS_PATH}/:id`, onRequest, handler: hand });
    // For clients and proxies that know neither PATCH nor DELETE (tus 1.0, X-HTTP-Method-Override).
    scope.post(`${TUS_PATH}/:id`, { onRequest: [overrideMethod, onRequest] }, hand);
    scope.head<FileRequest>(`${TUS_PATH}/:id`, async (request, reply) => {
      const principal = await authorise(app, request);
      callers.set(request.raw, principal);
      const identifier = await submitIfWhole(app, principal, request.params.id);
      if (identifier !== null) reply.header(IDENTIFIER_HEADER, identifier);
      await handOver(app, tus, request, reply);
    });
    scope.get<FileRequest>(`${TUS_PATH}/:id`, { exposeHeadRoute: false }, async (request, reply) => {
      const principal = await authorise(app, request);
      const identifier = await submitIfWhole(app, principal, request.params.id);
      if (identifier !== null) reply.header(IDENTIFIER_HEADER, identifier);
      const { committedBytes, sizeBytes, name, expiresAt } = readUpload(app, {
        principal,
        uploadId: request.params.id,
      });
      const expires = new Date(expiresAt / MICROSECONDS_PER_MS).toISOString();
      return { name, offset: committedBytes, length: sizeBytes, identifier, expires_at: expires };
    });
  });
}

/** Submits a whole upload whose submission was refused for a time, when the client asks again. */
async function submitIfWhole(app: App, principal: Principal, uploadId: string): Promise<string | null> {
  const { committedBytes, sizeBytes } = readUpload(app, { principal, uploadId });
  return committedBytes === sizeBytes ? await submitUpload(app, { principal, uploadId }) : null;
}

/** Lets the library answer, with the headers of all our answers. */
async function handOver(
  app: App,
  tus: TusServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // The library knows its endpoint by this spelling alone.
  if (request.url === `${TUS_PATH}/`) request.raw.url = TUS_PATH;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  try {
    await tus.handle(request.raw, reply.raw);
  } catch (error) {
    app.log.error({ err: error, method: request.method }, 'a tus request failed');
    reply.raw.destroy();
  }
}

/** A POST to an upload counts as the method that its header names. */
async function overrideMethod({ raw, headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const named = String(headers['x-http-method-override'] ?? '').toUpperCase();
  if (OVERRIDING_METHODS.includes(named)) raw.method = named;
  else reply.callNotFound();
}

function openTus(app: App, callerOf: (request: object | undefined) => Principal): TusServer {
  return new TusAnswers({
    path: TUS_PATH,
    datastore: new UploadStore(app, app.config.unfinishedUploadMs),
    relativeLocation: true,
    lockDrainTimeout: TAKE_OVER_MS,
    // Pages of other origins may not upload.
    allowedOrigins: () => false,
    namingFunction: (request) => fileNameOf(callerOf(request.runtime?.node?.req)),
    // The library's name for a file contains the account; the address does not.
    getFileIdFromRequest: (request, id = '') => fileNameOf(callerOf(request.runtime?.node?.req), id),
    generateUrl: (_request, { id }) => `${TUS_PATH}/${uploadNameOf(id).uploadId}`,
    async onUploadCreate(request, { id, size = 0, metadata }) {
      const principal = callerOf(request.runtime?.node?.req);
      const { name, fields } = toFields(metadata ?? {});
      const bytesMax = await checkAnnounced(app, principal, fields);
      const { uploadId } = uploadNameOf(id);
      await beginUpload(app, {
        principal,
        uploadId,
        field: 'Upload-Length',
        name,
        sizeBytes: size,
        bytesMax,
        fields,
      });
      return {};
    },
    async onUploadFinish(request, { id }) {
      const principal = callerOf(request.runtime?.node?.req);
      const identifier = await submitUpload(app, { principal, uploadId: uploadNameOf(id).uploadId });
      const headers = { [IDENTIFIER_HEADER]: identifier, 'content-type': 'application/json; charset=utf-8' };
      return { status_code: 200, headers, body: JSON.stringify({ identifier }) };
    },
    onResponseError(request, error) {
      const retryAfter = (seconds: number) =>
        request.runtime?.node?.res?.setHeader('retry-after', String(seconds));
      return sentenceOf(app, error, retryAfter);
    },
  });
}

/** Refuses before the first byte what could not be submitted; answers the largest size that could. */
async function checkAnnounced(
  app: App,
  principal: Principal,
  fields: Readonly<Record<string, string>>,
): Promise<number> {
  const { fileBytesMax } = principal.plan;
  const kind = parseKind(fields);
  if (kind === undefined) return Math.max(...Object.values(fileBytesMax));
  await checkFields(app, { principal, kind, fields }, new AbortController().signal);
  return fileBytesMax[kind];
}

const RETRY_AFTER_SECONDS_DEFAULT = 5;

/** A fault as the library throws it: a status and a sentence. */
interface TusFault {
  status_code: number;
  body: string;
}

/** The status and the sentence for whatever a request threw. */
function sentenceOf(app: App, error: Error | TusFault, retryAfter: (seconds: number) => void): TusFault {
  if (!(error instanceof Error)) return { ...error, body: error.body.trim() };
  const fault = toAppError(error);
  if (fault.code === 'internal') app.log.error({ err: error }, 'a tus request failed');
  const { httpStatus } = fault;
  if (httpStatus === 429 || httpStatus === 503) {
    retryAfter(Math.max(1, Math.ceil(fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS_DEFAULT)));
  }
  return { status_code: httpStatus, body: error instanceof AppError ? fault.message : 'internal error' };
}

/** The library writes a fault's sentence as text. */
class TusAnswers extends Server {
  override write(
    context: CancellationContext,
    headers: Headers,
    status: number,
    body = '',
  ): ReturnType<Server['write']> {
    if (status < 400) return super.write(context, headers, status, body);
    headers.set('content-type', 'application/json; charset=utf-8');
    return super.write(context, headers, status, JSON.stringify({ error: body.trim() }));
  }
}

/**
 * Admits an upload by key or session and by its announced type, before a byte of it is read. The pieces of one upload count
 * as one call, at its begin.
 */
async function authorise(app: App, { headers, ip, method }: FastifyRequest): Promise<Principal> {
  const key = headers['x-api-key'];
  const call = readBrowserCall(app, headers);
  const proof: BrowserProof = method === 'GET' || method === 'HEAD' ? 'page' : 'token';
  const credential = { key: Array.isArray(key) ? key[0] : key, browser: call && { call, proof } };
  const from = { facade: 'rest', remoteAddress: ip } as const;
  const { principal } = await admitCaller(app, credential, from, { isCounted: method !== 'PATCH' });
  return principal;
}

/** Authorises a request that brings or announces bytes. */
async function admit(app: App, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
  const principal = await authorise(app, request);
  if (request.method !== 'POST' && request.method !== 'PATCH') return principal;
  const intent = request.method === 'POST' ? announced(request) : begun(app, principal, request);
  if (intent !== null) await admitMedia(app, principal, intent);
  app.openUploads.openUntil(reply.raw, principal.account.id);
  // Its pieces are kept: the next caller continues where they end.
  cutWithoutStanding(app, principal, reply, { writes: true });
  return principal;
}

/** Headers that cannot be read are refused by the library, in the words of the protocol. */
function announced({ headers }: FastifyRequest): MediaIntent {
  const metadata = headers['upload-metadata'];
  const size = Number(headers['upload-length']);
  return {
    ...intentOf(typeof metadata === 'string' ? fieldsOf(metadata) : {}),
    ...(Number.isSafeInteger(size) && size > 0 ? { announcedBytes: size } : {}),
  };
}

function fieldsOf(metadata: string): RawFields {
  try {
    return toFields(Metadata.parse(metadata)).fields;
  } catch {
    return {};
  }
}

/** Null if the upload has become a record: a caller that missed the answer gets it without a new check of credits. */
function begun(app: App, principal: Principal, { params }: FastifyRequest): MediaIntent | null {
  const { id: uploadId } = params as { id: string };
  const { fields, sizeBytes, committedBytes, identifier } = readUpload(app, { principal, uploadId });
  if (identifier !== null) return null;
  return { ...intentOf(fields), announcedBytes: sizeBytes - committedBytes };
}

function intentOf({ kind, request_id: requestId }: RawFields): MediaIntent {
  return { purpose: 'submit', kind: MEDIA_KINDS.find((name) => name === kind), requestId };
}
