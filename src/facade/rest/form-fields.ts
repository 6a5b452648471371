/** The fields of a small request, wherever a client puts them: a form, a JSON object, the query. The app judges them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { badField } from '../../domain/errors.ts';
import { receiveForm } from './multipart.ts';

const URL_ENCODED = 'application/x-www-form-urlencoded';

/** Older clients send small forms so; Fastify has no parser for them. */
export function takeUrlEncoded(scope: FastifyInstance): void {
  scope.addContentTypeParser(URL_ENCODED, { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(body))));
  });
}

/** `field` is the one that a fault of the whole body belongs to. */
export async function readFields(
  app: App,
  request: FastifyRequest,
  field: string,
  signal: AbortSignal,
): Promise<RawFields> {
  const query = request.query as RawFields;
  if (request.isMultipart()) {
    await using form = await receiveForm(app, request, { field, fileField: null }, signal);
    return { ...query, ...form.fields };
  }
  const { body } = request;
  if (body === undefined || body === null) return query;
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw badField(field, 'send the fields as a form or as a JSON object');
  }
  return { ...query, ...body };
}
