/** POST of a file or of an address: the form is read in one pass, the app judges it, the identifier goes back. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { submitMedia } from '../../app/submissions/submit.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { principalOf, requireAdmission, requireKey, signalOf } from '../../port/caller.ts';
import { type Form, type FormSpec, receiveForm } from './multipart.ts';
import { addressForm, type DescribedForm, uploadForm } from './openapi/forms.ts';
import { KIND_PATHS } from './openapi/routes.ts';

interface SubmissionRoute extends FormSpec {
  kind: MediaKind;
  /** The fields that the documented interface knows. */
  known: ReadonlySet<string>;
}

/** A name of a form's field, as it may stand in a header. */
const SHOWN_NAME_MAX = 60;

export function routeSubmissions(fastify: FastifyInstance, app: App): void {
  for (const { kind, field, one, fromAddress } of KIND_PATHS) {
    const upload = { kind, field, fileField: field, known: namesOf(uploadForm(kind)) };
    for (const path of one) routeSubmission(fastify, app, path, upload);
    const address = { kind, field: 'file_url', fileField: null, known: namesOf(addressForm(kind)) };
    routeSubmission(fastify, app, fromAddress, address);
  }
}

function routeSubmission(fastify: FastifyInstance, app: App, path: string, route: SubmissionRoute): void {
  const admission = requireAdmission(app, (request) => ({
    purpose: 'submit',
    kind: route.kind,
    requestId: requestIdOf(request),
  }));
  fastify.post(
    path,
    { onRequest: [requireKey(app), admission], config: { errors: { field: route.field } } },
    async (request, reply) => {
      const signal = signalOf(app, request, reply, { writes: true });
      await using form = await receiveForm(app, request, route, signal);
      warnOfUnknown(reply, form, route);
      const submission = {
        principal: principalOf(request),
        facade: 'rest' as const,
        kind: route.kind,
        field: route.field,
        media: form.media,
        // These fields belong to the newer protocols; REST ignores a form field that is not documented.
        fields: {
          ...withoutNewOptions(route.kind, form.fields),
          priority: undefined,
          desk_id: undefined,
          request_id: requestIdOf(request),
        },
      };
      const record = await submitMedia(app, submission, signal);
      return sendIdentifier(reply, record.identifier, request.headers.accept);
    },
  );
}

function namesOf({ schema }: DescribedForm): ReadonlySet<string> {
  return new Set(Object.keys(schema.properties ?? {}));
}

/** The interface says that unknown fields are ignored; a misspelt option should be seen all the same (RFC 7234, 5.5.7). */
function warnOfUnknown(
  reply: FastifyReply,
  { fields, ignoredFiles }: Form,
  { known }: SubmissionRoute,
): void {
  const unknown = [...Object.keys(fields), ...ignoredFiles].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const shown = unknown.map((name) => name.slice(0, SHOWN_NAME_MAX).replaceAll(/[^\w.-]/g, '?')).join(', ');
  reply.header('warning', `299 - "unknown form fields were ignored: ${shown}"`);
}

/** Only the newer protocols take options that REST does not document for the kind. */
function withoutNewOptions(kind: MediaKind, fields: RawFields): RawFields {
  const hidden = rowsOf(ANALYSIS_OPTIONS).filter(([, { restKinds }]) => restKinds?.includes(kind) === false);
  return { ...fields, ...Object.fromEntries(hidden.map(([name]) => [toSnakeCase(name), undefined])) };
}

/** A retry with the same Idempotency-Key gets the record of the first try. */
function requestIdOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  return Array.isArray(key) ? key[0] : key;
}

function sendIdentifier(reply: FastifyReply, identifier: string, accept: string | undefined): FastifyReply {
  if (acceptsJson(accept)) return reply.send({ identifier });
  return reply.type('text/plain; charset=utf-8').send(identifier);
}

/** Only a named `application/json` counts; wildcards and silence get plain text, as documented. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((text) => text.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
