/** A whole history is streamed, page by page, as one JSON array; a record that cannot be shown is left out and logged. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { assertKindEnabled } from '../../app/callers/admission.ts';
import type { Principal } from '../../app/callers/principal.ts';
import {
  getClassification,
  getClassifications,
  listClassifications,
} from '../../app/records/classifications.ts';
import { convertEntries } from '../../app/records/find-records.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { shownOf } from '../../domain/answers/refused-record.ts';
import { badField } from '../../domain/errors.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../domain/limits.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { cutBelowPace } from '../../port/answer-pace.ts';
import { cutWithoutStanding, principalOf, requireKey } from '../../port/caller.ts';
import { toClassification } from './convert.ts';
import { KIND_PATHS } from './openapi/routes.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Records of a streamed list that are built at one go: some milliseconds, for which all others wait. */
const STREAM_PAGE = 20;

type Query = Record<string, string | string[] | undefined>;

export function routeClassifications(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  for (const { kind, one, many } of KIND_PATHS) {
    for (const path of one) {
      fastify.get<{ Params: { identifier: string } }>(
        `${path}/:identifier`,
        { onRequest },
        (request, reply) => {
          const { identifier } = request.params;
          const record = getClassification(app, { principal: readerOf(request, kind), identifier, kind });
          reply.type(JSON_TYPE).send(toAnswer(record));
        },
      );
    }
    for (const path of many) {
      // A HEAD would build the whole list for nothing.
      fastify.get<{ Querystring: Query }>(path, { onRequest, exposeHeadRoute: false }, (request, reply) =>
        sendList(app, kind, request, reply),
      );
    }
  }
}

/** The answer of each record object, as long as the record cache keeps it: a record that is read again is the same object. */
const answers = new WeakMap<ClassificationRecord, Buffer>();

function toAnswer(record: ClassificationRecord): Buffer {
  const known = answers.get(record);
  if (known !== undefined) return known;
  const answer = Buffer.from(JSON.stringify(toClassification(record)));
  answers.set(record, answer);
  return answer;
}

/** A kind that the plan does not enable is 403 on its GET paths too (docs/interface.md, Errors). */
export function readerOf(request: FastifyRequest, kind: MediaKind): Principal {
  const principal = principalOf(request);
  assertKindEnabled(principal, kind);
  return principal;
}

function sendList(
  app: App,
  kind: MediaKind,
  request: FastifyRequest<{ Querystring: Query }>,
  reply: FastifyReply,
): void {
  const principal = readerOf(request, kind);
  const identifiers = parseIdentifiers(request.query);
  reply.type(JSON_TYPE);
  if (identifiers !== undefined) {
    const entries = getClassifications(app, { principal, identifiers, kind });
    reply.send(JSON.stringify(shownOf(convertEntries(app, entries, toClassification))));
    return;
  }
  const limit = parseLimit(request.query.limit);
  const cursor = lastOf(request.query.cursor);
  if (limit === undefined && cursor === undefined) {
    cutWithoutStanding(app, principal, reply);
    cutBelowPace(reply.raw);
    reply.send(Readable.from(streamAll(app, principal, kind), { objectMode: false }));
    return;
  }
  const page = {
    principal,
    isOwnOnly: true,
    kind,
    limit: limit ?? PAGE_SIZE_DEFAULT,
    ...(cursor === undefined ? {} : { cursor }),
  };
  const { entries, nextCursor } = listClassifications(app, page);
  if (nextCursor !== null) reply.header('link', linkToNext(request.url, page.limit, nextCursor));
  reply.send(JSON.stringify(shownOf(convertEntries(app, entries, toClassification))));
}

/** The first page is read before the first byte, so that a refusal has its status. Others are served between two pages. */
function streamAll(app: App, principal: Principal, kind: MediaKind): AsyncIterable<string> {
  const first = listClassifications(app, { principal, isOwnOnly: true, kind, limit: STREAM_PAGE });
  return (async function* (): AsyncGenerator<string> {
    let page = first;
    let separator = '[';
    for (;;) {
      const convert = (record: ClassificationRecord) => JSON.stringify(toClassification(record));
      const text = shownOf(convertEntries(app, page.entries, convert)).join(',');
      if (text !== '') {
        yield separator + text;
        separator = ',';
      }
      if (page.nextCursor === null) break;
      await nextTurn();
      page = listClassifications(app, {
        principal,
        isOwnOnly: true,
        kind,
        limit: STREAM_PAGE,
        cursor: page.nextCursor,
      });
    }
    yield separator === '[' ? '[]' : ']';
  })();
}

/** `identifiers[]` or `identifiers`, repeated, comma-separated or a JSON array; undefined if none is given. */
export function parseIdentifiers(query: Query): string[] | undefined {
  const given = Object.entries(query).filter(([name]) => /^identifiers(\[\d*\])?$/.test(name));
  if (given.length === 0) return undefined;
  return given.flatMap(([, value]) => (value ?? []) as string | string[]).flatMap(parseIdentifierText);
}

function parseIdentifierText(text: string): string[] {
  if (!text.trimStart().startsWith('[')) {
    return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  }
  const fault = badField('identifiers', 'expected a JSON array of identifiers');
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list;
  } catch {
    throw fault;
  }
  throw fault;
}

export function parseLimit(value: string | string[] | undefined): number | undefined {
  const text = lastOf(value);
  if (text === undefined) return undefined;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > PAGE_SIZE_MAX) {
    throw badField('limit', `expected a whole number from 1 to ${PAGE_SIZE_MAX}`);
  }
  return limit;
}

function lastOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value;
}

function linkToNext(url: string, limit: number, cursor: string): string {
  const path = url.split('?', 1)[0] ?? url;
  return `<${path}?${new URLSearchParams({ limit: String(limit), cursor })}>; rel="next"`;
}
