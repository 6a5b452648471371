/** The OpenAPI 3.1 description of the REST interface: served at /openapi.json, printed to schema/openapi.json. */
import { EXAMPLES } from './examples.ts';
import { answer, describePaths } from './paths.ts';
import type { Schema } from './schema.ts';
import { reference, SCHEMAS } from './schemas.ts';
import { WEBHOOKS } from './webhooks.ts';

/** Version of the description, as docs/interface.md (Versioning) has it; that of the service is in `api_version` of each record. */
const DESCRIPTION_VERSION = '1.0.0';

export function describeInterface(): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version: DESCRIPTION_VERSION,
      description:
        'Classifies images, videos and speech as human-made or artificial. Submit a file, keep the identifier, ' +
        'poll the record until its `status` is `done` or `errored`; GraphQL and gRPC follow it live instead.',
      contact: { name: 'Whoever runs this box' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'submission', description: 'Hand in media' },
      { name: 'records', description: 'Read and correct results' },
      { name: 'account', description: "The caller's account" },
      { name: 'partners', description: 'Accounts that a partner or the administrator looks after' },
      { name: 'operations', description: 'For whoever runs the box' },
      { name: 'webhooks', description: 'What the box sends to addresses of submissions' },
    ],
    paths: describePaths(),
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      schemas: SCHEMAS,
      responses: describeErrors(),
    },
  };
}

/** On every answer under a plan with a limit (draft-ietf-httpapi-ratelimit-headers). */
const RATE_HEADERS: Schema = {
  RateLimit: { description: 'calls left and seconds until they begin anew', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'calls and seconds of the window', schema: { type: 'string' } },
};

/** Named by their status; a suffix marks the routes with a shape of their own. */
function describeErrors(): Record<string, Schema> {
  const retry = {
    headers: { 'Retry-After': { description: 'seconds', schema: { type: 'integer', minimum: 1 } } },
  };
  const rate = { headers: { ...retry.headers, ...RATE_HEADERS } };
  return {
    400: answer(
      'a field is missing or not readable, or the type is not accepted',
      'FieldError',
      EXAMPLES.fieldError,
    ),
    401: answer('the key is missing or not valid', 'Error', EXAMPLES.key),
    402: answer('not enough credits', 'Error', EXAMPLES.credit),
    403: answer('terms, media kind or account do not allow it', 'Error', EXAMPLES.notEnabled),
    404: answer('no such record of this account, or no heatmap', 'Error', EXAMPLES.notFound),
    '404user': answer('no such user of this partner', 'Error', { error: 'no such user' }),
    409: answer('the box would be left without an administrator, or is full', 'Error', {
      error: 'the last administrator cannot be deleted, made read-only or given another role',
    }),
    408: answer('the upload brought too little for half a minute, and was ended', 'Error', {
      error: 'the upload brought too little',
    }),
    413: answer('the file is too big', 'FieldError', EXAMPLES.tooLarge),
    422: oneOf(
      'corrupt or too small, or no model is left',
      ['FieldError', 'Message'],
      [EXAMPLES.fieldError, EXAMPLES.noModels],
    ),
    429: { ...answer('too many requests', 'Message', EXAMPLES.rate), ...rate },
    500: answer('a fault of the box; the log says which', 'Error', { error: 'internal error' }),
    503: { ...answer('stopping, starting, busy or out of disk', 'Error', EXAMPLES.unavailable), ...retry },
    421: answer('the host name is not served here', 'Error', { error: 'this host name is not served' }),
    '413validation': answer('the file is too big', 'ValidationFailure', EXAMPLES.validationFailure),
    '422validation': oneOf(
      'the file could not be analysed',
      ['ValidationFailure', 'Message'],
      [EXAMPLES.validationFailure, EXAMPLES.noModels],
    ),
    '422list': answer('too many identifiers', 'Message', EXAMPLES.listTooLong),
  };
}

function oneOf(description: string, names: string[], examples: unknown[]): Schema {
  const named = examples.map((value, index) => [`example${index + 1}`, { value }]);
  const schema = { oneOf: names.map(reference) };
  return { description, content: { 'application/json': { schema, examples: Object.fromEntries(named) } } };
}
