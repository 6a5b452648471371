/** POST /api/validate: could this file be analysed? It has error shapes of its own (docs/interface.md, Errors). */
import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { admitMedia } from '../../app/callers/admission.ts';
import { parseEach } from '../../app/check-each.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { parseSubmission, type Submission } from '../../app/submissions/input.ts';
import type { ReceivedMedia } from '../../app/submissions/uploads.ts';
import { validateMedia } from '../../app/submissions/validate.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import { principalOf, requireAdmission, requireKey, signalOf } from '../../port/caller.ts';
import { toErrorReply } from '../../port/errors.ts';
import { toMediaValidation } from './convert.ts';
import { type Form, receiveForm } from './multipart.ts';

export function routeValidation(fastify: FastifyInstance, app: App): void {
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
