import { open } from 'node:fs/promises';
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { getCredits } from '../../app/accounts/credits.ts';
import { listUsers } from '../../app/accounts/user-list.ts';
import { toUserView } from '../../app/accounts/user-view.ts';
import { createUser, deleteUser, sendCreationEmail } from '../../app/accounts/users.ts';
import type { App } from '../../app/appliance/app.ts';
import { admitMedia } from '../../app/callers/admission.ts';
import { parseEach } from '../../app/check-each.ts';
import { parseId, type RawFields } from '../../app/field-parsers.ts';
import { getHeatmap } from '../../app/records/classifications.ts';
import { PIECE_BYTES } from '../../app/records/media-files.ts';
import { overrideClassification } from '../../app/records/overrides.ts';
import { parseSubmission, type Submission } from '../../app/submissions/input.ts';
import type { ReceivedMedia } from '../../app/submissions/uploads.ts';
import { validateMedia } from '../../app/submissions/validate.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import {
  cutWithoutStanding,
  principalOf,
  requireAdmission,
  requireKey,
  signalOf,
} from '../../port/caller.ts';
import { toErrorReply } from '../../port/errors.ts';
import { followRequests } from '../../port/requests.ts';
import { JSON_TYPE, readerOf, routeClassifications } from './classifications.ts';
import { toMediaValidation } from './convert.ts';
import { readFields, takeUrlEncoded } from './form-fields.ts';
import { type Form, isFilePart, MULTIPART_LIMITS, receiveForm } from './multipart.ts';
import { describeInterface } from './openapi/openapi.ts';
import { KIND_PATHS } from './openapi/routes.ts';
import { routeSubmissions } from './submissions.ts';
import { toUser, toUserPage } from './user-convert.ts';

export async function plugRest(fastify: FastifyInstance, app: App): Promise<void> {
  const openapi = JSON.stringify(describeInterface());
  await fastify.register(async (scope) => {
    await scope.register(multipart, {
      limits: MULTIPART_LIMITS,
      throwFileSizeLimit: false,
      isPartAFile: isFilePart,
    });
    // Bodies of other types are left unread: the handler names the field at fault instead of a bare 415.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    followRequests(scope, app);
    routeSubmissions(scope, app);
    routeClassifications(scope, app);
    routeHeatmaps(scope, app);
    routeOverrides(scope, app);
    routeCredits(scope, app);
    routeValidation(scope, app);
    await scope.register(async (forms) => {
      takeUrlEncoded(forms);
      routeUsers(forms, app);
      routePartners(forms, app);
    });
    scope.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(openapi));
  });
}

function routeCredits(fastify: FastifyInstance, app: App): void {
  fastify.get('/api/user/credits', { onRequest: requireKey(app) }, async (request) => {
    const credits = getCredits(app, { principal: principalOf(request) });
    return { available_credits: credits.availableCredits, total_spent: credits.totalSpent };
  });
}

const PATHS = ['/api/classification/heatmap', '/api/classification_image/heatmap'];

function routeHeatmaps(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  for (const path of PATHS) {
    fastify.get<{ Params: { identifier: string } }>(
      `${path}/:identifier`,
      { onRequest, exposeHeadRoute: false },
      async (request, reply) => {
        const { identifier } = request.params;
        const heatmap = await getHeatmap(app, { principal: readerOf(request, 'image'), identifier });
        // A heatmap is written once, so the record and the size name its content.
        const etag = `"${identifier}-${heatmap.sizeBytes}"`;
        reply.header('etag', etag).header('cache-control', 'private, no-cache');
        if (request.headers['if-none-match'] === etag) return reply.code(304).send();
        cutWithoutStanding(app, principalOf(request), reply);
        const file = await open(heatmap.path);
        return reply
          .type('image/png')
          .header('content-length', heatmap.sizeBytes)
          .send(file.createReadStream({ highWaterMark: PIECE_BYTES }));
      },
    );
  }
}

function routeOverrides(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  for (const { kind, one } of KIND_PATHS) {
    for (const path of one) {
      fastify.post<{ Params: { hash: string } }>(
        `${path}/:hash/override`,
        { onRequest, config: { errors: { field: 'classification' } } },
        async (request) => {
          const { hash } = request.params;
          const classification = classificationOf(request.body);
          const { reason } = request.body as { reason?: unknown };
          const override = await overrideClassification(app, {
            principal: principalOf(request),
            kind,
            hash,
            classification,
            ...(typeof reason === 'string' ? { reason } : {}),
          });
          return { classification: override.classification, type: override.type, hash: override.hash };
        },
      );
    }
  }
}

function classificationOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('classification' in body)) {
    throw badField('classification', 'expected a JSON object with `classification`: `human` or `artificial`');
  }
  return body.classification;
}

function routePartners(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  fastify.get<{ Querystring: RawFields }>('/api/partner/users', { onRequest }, (request) =>
    toUserPage(listUsers(app, { principal: principalOf(request), fields: request.query })),
  );
  fastify.post(
    '/api/partner/send_creation_email',
    { onRequest, config: { errors: { field: 'id' } } },
    async (request, reply) => {
      const fields = await readFields(app, request, 'id', signalOf(app, request, reply));
      const { user } = await sendCreationEmail(app, { principal: principalOf(request), id: parseId(fields) });
      return { data: toUser(user) };
    },
  );
}

function routeUsers(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  const { create, remove } = {
    create: { onRequest, config: { errors: { field: 'email' } } },
    remove: { onRequest, config: { errors: { field: 'id' } } },
  };
  fastify.post('/api/user', create, async (request, reply) => {
    const fields = await readFields(app, request, 'email', signalOf(app, request, reply));
    const principal = principalOf(request);
    const account = await createUser(app, { principal, fields });
    return reply.code(201).send({ data: toUser(toUserView(app, account, principal)) });
  });
  fastify.delete('/api/user', remove, async (request, reply) => {
    const fields = await readFields(app, request, 'id', signalOf(app, request, reply));
    const principal = principalOf(request);
    const account = await deleteUser(app, { principal, id: parseId(fields) });
    return { data: toUser(toUserView(app, account, principal)) };
  });
}

/** POST /api/validate: could this file be analysed? It has error shapes of its own (docs/interface.md, Errors). */
function routeValidation(fastify: FastifyInstance, app: App): void {
  const admission = requireAdmission(app, () => ({ purpose: 'validate' }));
  const onRequest = [requireKey(app), admission];
  const options = { onRequest, config: { errors: { field: 'file', validation: true } } };
  fastify.post('/api/validate', options, async (request, reply) => {
    const signal = signalOf(app, request, reply);
    const principal = principalOf(request);
    const spec = {
      field: 'file',
      fileField: 'file',
      // The kind is a field of the form, which may come before the file.
      beforeFile: (fields: RawFields) =>
        admitMedia(app, principal, { purpose: 'validate', kind: kindOf(fields) }),
    };
    await using form = await receiveForm(app, request, spec, signal);
    const { kind, media } = requireInput(form);
    try {
      const input = { principal, kind, field: 'file', media, fields: form.fields };
      return toMediaValidation(await validateMedia(app, input, signal));
    } catch (error) {
      // Which status a foreign format gets depends on the type, which only the form knows.
      if (kind !== 'audio' || !(error instanceof AppError) || error.reason !== 'unsupported_media_type')
        throw error;
      const { status, body } = toErrorReply(error, { validation: true, foreignFormatIsUnprocessable: true });
      return reply.code(status).send(body);
    }
  });
}

const kindOf = ({ type }: RawFields): MediaKind | undefined => MEDIA_KINDS.find((name) => name === type);

interface ValidationInput {
  kind: MediaKind;
  media: ReceivedMedia;
  submission: Submission | null;
}

/** Reports all faults of the form; its options mean nothing without the kind. */
function requireInput({ fields, media }: Form): ValidationInput {
  const kind = kindOf(fields);
  return parseEach<ValidationInput>({
    kind: () => kind ?? refuse('type', 'expected image, video or audio'),
    media: () => media ?? refuse('file', 'a file is required'),
    submission: () => (kind === undefined ? null : parseSubmission(kind, fields)),
  });
}

function refuse(field: string, description: string): never {
  throw badField(field, description);
}
