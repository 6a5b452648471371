/** `/media/…`: uploaders choose the bytes, so they have a type of our table and no rights (docs/security.md). */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { admitCaller } from '../app/callers/admission.ts';
import { readBrowserCall } from '../app/callers/browser.ts';
import type { Principal } from '../app/callers/principal.ts';
import { parseChoice, type RawFields } from '../app/field-parsers.ts';
import { getMedia, type MediaFile, type MediaPart, openMedia } from '../app/records/media-files.ts';
import { openRendition } from '../app/records/renditions.ts';
import { getTranscript } from '../app/records/transcripts.ts';
import { AppError } from '../domain/errors.ts';
import { formatOf } from '../domain/media/formats.ts';
import { HEATMAP_LAYERS } from '../domain/media/heatmap.ts';
import { TRANSCRIPT_FILES, TRANSCRIPT_FORMATS } from '../domain/transcripts/transcript-formats.ts';
import { cutWithoutStanding } from './caller.ts';
import { parseRange } from './ranges.ts';

/** The type of waveforms and the like, which is no accepted format. */
const JSON_TYPE = 'application/json';
/** Transcripts are no accepted format either. */
const TEXT_TYPES: readonly string[] = Object.values(TRANSCRIPT_FILES).map(({ mime }) => mime);
const DOWNLOAD_TYPE = 'application/octet-stream';

/** The page asks again after this time while a rendition is made. */
const MAKING_RETRY_SECONDS = 2;
/** Only renditions that replace the file on the page count as calls; tiles and strips are parts of one look. */
const COUNTED_RENDITIONS: readonly string[] = ['picture.webp', 'film.webm', 'sound.webm'];

interface MediaRequest {
  Params: { identifier: string; index?: string };
  Querystring: RawFields;
}

interface RenditionRequest {
  Params: { identifier: string; '*': string };
}

export function routeMedia(fastify: FastifyInstance, app: App): void {
  const serve =
    (type: MediaPart['type']) => async (request: FastifyRequest<MediaRequest>, reply: FastifyReply) => {
      const principal = await authoriseReader(app, request, type !== 'frame' && isWhole(request));
      const { identifier, index } = request.params;
      const part = toPart(type, index, request.query);
      const file = await getMedia(app, { principal, identifier, part, use: useOf(request) });
      cutWithoutStanding(app, principal, reply);
      return await send(app, file, request, reply);
    };
  fastify.get<MediaRequest>('/media/:identifier/original', serve('original'));
  fastify.get<MediaRequest>('/media/:identifier/heatmap', serve('heatmap'));
  fastify.get<MediaRequest>('/media/:identifier/frame/:index', serve('frame'));
  fastify.get<MediaRequest>('/media/:identifier/track/:index', serve('track'));
  for (const format of TRANSCRIPT_FORMATS) {
    const path = `/media/:identifier/${TRANSCRIPT_FILES[format].name}`;
    fastify.get<MediaRequest>(path, async (request, reply) => {
      const principal = await authoriseReader(app, request, isWhole(request));
      const file = getTranscript(app, { principal, identifier: request.params.identifier, format });
      return await send(app, file, request, reply);
    });
  }
  fastify.get<{ Params: { id: string } }>('/evidence/:id', async (request, reply) => {
    const principal = await authoriseReader(app, request, isWhole(request));
    const file = await app.exportJobs.file(principal, request.params.id);
    cutWithoutStanding(app, principal, reply);
    return await send(app, file, request, reply);
  });
  fastify.get<RenditionRequest>('/media/:identifier/rendition/*', async (request, reply) => {
    const { identifier, '*': resource } = request.params;
    const isCounted = COUNTED_RENDITIONS.includes(resource) && request.method === 'GET' && isWhole(request);
    const principal = await authoriseReader(app, request, isCounted);
    const opened = await openRendition(app, { principal, identifier, resource });
    if (opened.type === 'file') {
      cutWithoutStanding(app, principal, reply);
      return await send(app, opened.file, request, reply);
    }
    const { state, done, total } = opened;
    return reply
      .code(202)
      .headers({ 'retry-after': MAKING_RETRY_SECONDS, 'cache-control': 'no-store' })
      .send({ state, done, total });
  });
}

/** A page fetches what it shows as picture, film or sound; anything else is saved, or read by a program. */
const SHOWN_DESTINATIONS: readonly unknown[] = ['image', 'video', 'audio'];

function useOf({ method, headers }: FastifyRequest): 'shown' | 'taken' | undefined {
  if (method !== 'GET') return undefined;
  return SHOWN_DESTINATIONS.includes(headers['sec-fetch-dest']) ? 'shown' : 'taken';
}

/** Many requests for one video's frames or pieces are one look at it, so only whole files count as calls. */
const isWhole = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => headers.range === undefined;

export async function authoriseReader(
  app: App,
  { headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>,
  isCounted: boolean,
): Promise<Principal> {
  const key = headers['x-api-key'];
  const call = readBrowserCall(app, headers);
  const browser = call && { call, proof: 'read' as const };
  const from = { facade: 'dashboard', remoteAddress: ip } as const;
  const credential = { key: Array.isArray(key) ? key[0] : key, browser };
  const { principal } = await admitCaller(app, credential, from, { isCounted });
  return principal;
}

function toPart(type: MediaPart['type'], index: string | undefined, query: RawFields): MediaPart {
  if (type === 'original') return { type };
  if (type === 'heatmap') return { type, layer: parseChoice(query, 'layer', HEATMAP_LAYERS) ?? 'origin' };
  if (index === undefined || !/^\d{1,4}$/.test(index)) {
    throw new AppError('media', 'expected the number of a frame or track, counted from 0');
  }
  return { type, index: Number(index) };
}

async function send(
  app: App,
  file: MediaFile,
  request: Pick<FastifyRequest, 'headers' | 'method'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sizeBytes } = file;
  const etag = `"${file.tag}"`;
  const shown = shownType(file.mime);
  reply.headers({
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    'content-disposition': disposition(shown === undefined ? 'attachment' : 'inline', file.name),
    etag,
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const ifRange = request.headers['if-range'];
  const range = parseRange(request.headers.range, {
    sizeBytes,
    etag,
    ifRange: typeof ifRange === 'string' ? ifRange : undefined,
  });
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send({ error: 'no such range' });
  }
  const { first, last } = range ?? { first: 0, last: sizeBytes - 1 };
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${first}-${last}/${sizeBytes}`);
  reply.type(shown ?? DOWNLOAD_TYPE).header('content-length', last - first + 1);
  // Fastify would read a whole film only to drop it, and of a string it would send the length.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  if (sizeBytes === 0) return reply.send('');
  if ('bytes' in file) return reply.send(file.bytes.subarray(first, last + 1));
  return reply.send(await openMedia(app, file, { first, last }));
}

/** The types that browsers show; others are downloads. */
function shownType(mime: string): string | undefined {
  if (TEXT_TYPES.includes(mime)) return `${mime}; charset=utf-8`;
  return mime === JSON_TYPE ? `${JSON_TYPE}; charset=utf-8` : formatOf(mime)?.shownAs;
}

function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._ -]/g, '_');
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percent)}`;
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
