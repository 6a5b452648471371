/** Admits an upload by key or session and by its announced type, before a byte of it is read. */
import { Metadata } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { admitCaller, admitMedia, type MediaIntent } from '../../app/callers/admission.ts';
import { type BrowserProof, readBrowserCall } from '../../app/callers/browser.ts';
import type { Principal } from '../../app/callers/principal.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { readUpload } from '../../app/submissions/unfinished-uploads.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import { cutWithoutStanding } from '../../port/caller.ts';
import { toFields } from './uploads.ts';

/** The pieces of one upload count as one call, at its begin. */
export async function authorise(app: App, { headers, ip, method }: FastifyRequest): Promise<Principal> {
  const key = headers['x-api-key'];
  const call = readBrowserCall(app, headers);
  const proof: BrowserProof = method === 'GET' || method === 'HEAD' ? 'page' : 'token';
  const credential = { key: Array.isArray(key) ? key[0] : key, browser: call && { call, proof } };
  const from = { facade: 'rest', remoteAddress: ip } as const;
  const { principal } = await admitCaller(app, credential, from, { isCounted: method !== 'PATCH' });
  return principal;
}

/** Authorises a request that brings or announces bytes. */
export async function admit(app: App, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
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
