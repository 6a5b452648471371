import { createReadStream } from 'node:fs';
import type { App } from '../../app/appliance/app.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import {
  getClassification,
  getClassifications,
  getHeatmap,
  searchClassifications,
} from '../../app/records/classifications.ts';
import { convertEntries } from '../../app/records/find-records.ts';
import { getContactSheet } from '../../app/records/renditions.ts';
import { seenAgain, seenBefore } from '../../app/records/seen-before.ts';
import { getTranscript } from '../../app/records/transcripts.ts';
import { watchClassification, watchClassifications } from '../../app/records/watch.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { type RecordEntry, refusedOf, shownOf } from '../../domain/answers/refused-record.ts';
import { PAGE_SIZE_DEFAULT } from '../../domain/limits.ts';
import type { HeatmapLayer } from '../../domain/media/heatmap.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { TranscriptFormat } from '../../domain/transcripts/transcript-formats.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { type Classification, HeatmapLayerSchema } from '../../grpc/gen/assay/v1/classification_pb.ts';
import {
  type ClassificationFilter,
  ClassificationFilterSchema,
  ClassificationService,
  TranscriptFormatSchema,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { fromMessage } from '../../grpc/messages.ts';
import { counted } from './accounts.ts';
import { download, type GrpcContext, unary } from './calls.ts';
import { toClassification } from './convert.ts';
import { fromEnum, fromKind, refuseUnlisted } from './enums.ts';

const { method } = ClassificationService;

type Readers = 'getClassification' | 'batchGetClassifications' | 'listClassifications';
type Watchers = 'watchClassification' | 'watchClassifications';

export function readHandlers(context: GrpcContext): Pick<Handlers<typeof ClassificationService>, Readers> {
  const { app } = context;
  return {
    getClassification: unary(context, method.getClassification, ({ principal, request }) => {
      const input = { principal, identifier: request.identifier };
      const record = getClassification(app, input);
      const asked = { reader: principal, identifier: request.identifier };
      const seen = { seenBefore: seenBefore(app, asked), seenAgain: seenAgain(app, asked) };
      return { classification: toClassification({ ...record, ...seen }) };
    }),
    batchGetClassifications: unary(context, method.batchGetClassifications, ({ principal, request }) => {
      const { identifiers } = request;
      const kind = fromKind(request.kind, 'kind');
      return toLists(app, getClassifications(app, { principal, identifiers, kind }));
    }),
    listClassifications: unary(context, method.listClassifications, async ({ principal, request }) => {
      const limit = request.pageSize === 0 ? PAGE_SIZE_DEFAULT : request.pageSize;
      const cursor = request.pageToken === '' ? undefined : request.pageToken;
      const kind = fromKind(request.kind, 'kind');
      const filter = toRawFilter(request.filter);
      const page = await searchClassifications(app, { principal, kind, limit, cursor, filter });
      return { ...toLists(app, page.entries), nextPageToken: page.nextCursor ?? '' };
    }),
  };
}

/** The records that can be shown, and the others by name. */
function toLists(app: App, entries: readonly RecordEntry[]) {
  const rows = convertEntries(app, entries, toClassification);
  return {
    classifications: shownOf(rows),
    refused: refusedOf(rows).map(({ identifier, createdAt, reason }) => ({
      identifier,
      reason,
      ...(createdAt === null ? {} : { createdAt: toTimestamp(createdAt) }),
    })),
  };
}

/** The filter under the app's names; empty fields of the message are absent. */
function toRawFilter(filter: ClassificationFilter | undefined): RawFields {
  return filter === undefined ? {} : fromMessage(ClassificationFilterSchema, filter, refuseUnlisted);
}

export async function* toUpdates(
  app: App,
  records: AsyncIterable<ClassificationRecord>,
): AsyncGenerator<Classification> {
  for await (const record of counted(app, records)) {
    yield app.refusals.shown(record.identifier, () => toClassification(record));
  }
}

export function watchHandlers(context: GrpcContext): Pick<Handlers<typeof ClassificationService>, Watchers> {
  const { app } = context;
  return {
    watchClassification: download(
      context,
      method.watchClassification,
      async function* ({ principal, request, signal }) {
        const { identifier } = request;
        const records = watchClassification(app, { principal, identifier }, signal);
        for await (const classification of toUpdates(app, records)) {
          yield { classification };
        }
      },
    ),
    watchClassifications: download(
      context,
      method.watchClassifications,
      async function* ({ principal, request, signal }) {
        const kind = fromKind(request.kind, 'kind');
        const { waitsForMe } = request;
        const records = watchClassifications(app, { principal, kind, waitsForMe }, signal);
        for await (const classification of toUpdates(app, records)) {
          yield { classification };
        }
      },
    ),
  };
}

/** Pieces of a PNG or a text. */
const CHUNK_BYTES = 256 * 1024;

export function mediaHandlers(
  context: GrpcContext,
): Pick<Handlers<typeof ClassificationService>, 'getHeatmap' | 'getContactSheet' | 'getTranscript'> {
  const { app } = context;
  return {
    getHeatmap: download(context, method.getHeatmap, async function* ({ principal, request, signal }) {
      const layer = fromEnum<HeatmapLayer>(HeatmapLayerSchema, request.layer, 'layer');
      const { path } = await getHeatmap(app, { principal, identifier: request.identifier, layer });
      yield* readChunks(path, signal);
    }),
    getContactSheet: download(
      context,
      method.getContactSheet,
      async function* ({ principal, request, signal }) {
        const { identifier } = request;
        const { path } = await getContactSheet(app, { principal, identifier }, signal);
        yield* readChunks(path, signal);
      },
    ),
    getTranscript: download(context, method.getTranscript, async function* ({ principal, request }) {
      const asked = fromEnum<TranscriptFormat>(TranscriptFormatSchema, request.format, 'format');
      const input = { principal, identifier: request.identifier, format: asked ?? 'json' };
      const { bytes } = getTranscript(app, input);
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        yield { chunk: bytes.subarray(at, at + CHUNK_BYTES) };
      }
    }),
  };
}

async function* readChunks(path: string, signal: AbortSignal): AsyncGenerator<{ chunk: Buffer }> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) yield { chunk };
}
