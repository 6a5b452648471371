/** `/exports/records.csv` and `.jsonl`: all records that a filter lets through, streamed, for a key or a session. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { OpenPlaces, type PlacesRule } from '../app/callers/open-places.ts';
import { parseChoice, parseWhole, type RawFields } from '../app/field-parsers.ts';
import { exportRecords } from '../app/records/export-records.ts';
import { SHEET_FORMATS, SHEET_TYPES, type SheetFormat } from '../domain/answers/record-sheet.ts';
import { badField } from '../domain/errors.ts';
import { MEDIA_KINDS } from '../domain/media/media.ts';
import { BYTE_ORDER_MARK } from '../domain/sheets/sheet-columns.ts';
import { parseTime } from '../domain/time.ts';
import { cutBelowPace } from './answer-pace.ts';
import { cutWithoutStanding } from './caller.ts';
import { authoriseReader } from './media.ts';

const PLACES: PlacesRule = {
  countMax: 8,
  what: 'exports',
  accountReason: 'exhausted',
  retryAfterSeconds: 10,
};

interface ExportRequest {
  Querystring: RawFields;
}

export function routeExports(fastify: FastifyInstance, app: App): void {
  const places = new OpenPlaces(PLACES);
  for (const format of SHEET_FORMATS) {
    fastify.get<ExportRequest>(`/exports/records.${format}`, async (request, reply) => {
      const principal = await authoriseReader(app, request, true);
      places.openUntil(reply.raw, principal.account.id);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      cutWithoutStanding(app, principal, reply);
      cutBelowPace(reply.raw);
      const kind = parseChoice(request.query, 'kind', MEDIA_KINDS);
      const query = { principal, kind, filter: toFilter(request.query), format };
      const pieces = exportRecords(app, query, gone.signal);
      // Awaited first, so that a faulty filter gets an answer instead of a broken file.
      const first = await pieces.next();
      reply.type(SHEET_TYPES[format]).headers({
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="assay-records.${format}"`,
      });
      return reply.send(Readable.from(whole(format, first.value ?? '', pieces), { objectMode: false }));
    });
  }
}

async function* whole(
  format: SheetFormat,
  first: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(format === 'csv' ? `${BYTE_ORDER_MARK}${first}` : first);
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** The filter's own names; times as ISO 8601, or as microseconds. */
function toFilter(query: RawFields): RawFields {
  return { ...query, since: toMoment(query, 'since'), until: toMoment(query, 'until') };
}

function toMoment(query: RawFields, field: 'since' | 'until'): number | undefined {
  const value = query[field];
  if (typeof value !== 'string' || /^\d+$/.test(value)) {
    return parseWhole(query, field, 0, Number.MAX_SAFE_INTEGER);
  }
  const time = value === '' ? undefined : parseTime(value);
  if (value !== '' && time === undefined) {
    throw badField(field, `expected a time as 2026-01-31T08:15:00Z, found ${JSON.stringify(value)}`);
  }
  return time;
}
