/** POST /api/validate: could this file be analysed? It has error shapes of its own (interface.md, Errors). */
import type { FastifyInstance } from 'fastify';
import { admitMedia } from '../../app/admission.ts';
import type { App } from '../../app/app.ts';
import type { RawFields } from '../../app/input.ts';
import { validateMedia } from '../../app/validate.ts';
import { AppError, type FieldViolation } from '../../domain/errors.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media.ts';
import { principalOf, requireAdmission, requireKey, signalOf } from './authenticate.ts';
import { toMediaValidation } from './convert.ts';
import { toErrorReply } from './errors.ts';
import { type Form, receiveForm } from './multipart.ts';

export function routeValidation(fastify: FastifyInstance, app: App): void {
  const admission = requireAdmission(app, () => ({ purpose: 'validate' }));
  const onRequest = [requireKey(app), admission];
  const options = { onRequest, config: { errors: { field: 'file', validation: true } } };
  fastify.post('/api/validate', options, async (request, reply) => {
    const signal = signalOf(reply);
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

function kindOf({ type }: RawFields): MediaKind | undefined {
  return MEDIA_KINDS.find((name) => name === type);
}

/** Both faults at once: a client should not learn of them one by one. */
function requireInput(form: Form): { kind: MediaKind; media: NonNullable<Form['media']> } {
  const fields: FieldViolation[] = [];
  const kind = kindOf(form.fields);
  if (kind === undefined) fields.push({ field: 'type', description: 'expected image, video or audio' });
  if (form.media === undefined) fields.push({ field: 'file', description: 'a file is required' });
  if (kind === undefined || form.media === undefined) {
    throw new AppError('bad_field', 'type or file is missing or not supported', { fields });
  }
  return { kind, media: form.media };
}
