/** The operations of the description: one entry per documented path, aliases included. */
import { IDENTIFIERS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../domain/limits.ts';
import type { MediaKind } from '../../../domain/media/media.ts';
import { newUserBody, USER_EXAMPLE, USER_PAGE_EXAMPLE, USER_QUERY, userIdBody } from './accounts.ts';
import { EXAMPLES } from './examples.ts';
import { addressForm, type DescribedForm, uploadForm, validationForm } from './forms.ts';
import { KIND_PATHS } from './routes.ts';
import type { Schema } from './schema.ts';
import { HEX_64, reference } from './schemas.ts';

type Paths = Record<string, Record<string, Schema>>;

const RECORDS: Readonly<Record<MediaKind, string>> = {
  image: 'ImageClassification',
  video: 'VideoClassification',
  audio: 'AudioClassification',
};

const JSON_TYPE = 'application/json';

export function answer(description: string, schema: string, ...examples: unknown[]): Schema {
  return { description, content: jsonContent(reference(schema), examples) };
}

function jsonContent(schema: Schema, examples: readonly unknown[]): Schema {
  const named = examples.map((value, index) => [`example${index + 1}`, { value }]);
  return { [JSON_TYPE]: { schema, ...(named.length === 0 ? {} : { examples: Object.fromEntries(named) }) } };
}

function errors(...names: string[]): Schema {
  return Object.fromEntries(
    names.map((name) => [name.slice(0, 3), { $ref: `#/components/responses/${name}` }]),
  );
}

const EVERYWHERE = ['401', '403', '421', '429', '500'];
const SUBMISSION_ERRORS = errors('400', '402', '408', ...EVERYWHERE, '413', '422', '503');

const ACCEPTED = {
  'by upload':
    'The file is stored before this is answered; its analysis follows. Poll the record by the identifier, or name a webhook.',
  'from an address':
    'The address is judged now and fetched as part of the work: what cannot be fetched ends `errored`, with the reason. ' +
    'Addresses of private networks are refused unless the operator allows them.',
};

function pathParameter(name: string): Schema {
  return { name, in: 'path', required: true, schema: HEX_64 };
}

function queryParameter(name: string, description: string, schema: Schema): Schema {
  return { name, in: 'query', description, schema };
}

function submission(kind: MediaKind, form: DescribedForm, how: keyof typeof ACCEPTED): Schema {
  return {
    tags: ['submission'],
    summary: `Submit ${kind === 'audio' ? 'speech' : `a${kind === 'image' ? 'n' : ''} ${kind}`} ${how}`,
    description: ACCEPTED[how],
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'a repeated submission with the same key is answered with the first record',
        schema: { type: 'string', maxLength: 128 },
      },
    ],
    requestBody: { required: true, content: { 'multipart/form-data': form } },
    responses: {
      200: {
        description: 'accepted and stored; JSON only where `Accept` names application/json, else plain text',
        // JSON first: generated clients ask for JSON wherever it is described, and read the answer as the type that stands first.
        content: {
          ...jsonContent(reference('Submission'), [{ identifier: EXAMPLES.identifier }]),
          'text/plain': { schema: HEX_64, example: EXAMPLES.identifier },
        },
      },
      ...SUBMISSION_ERRORS,
    },
  };
}

function getOne(kind: MediaKind): Schema {
  const examples = kind === 'image' ? [EXAMPLES.image, EXAMPLES.imageNew] : [EXAMPLES[kind]];
  return {
    tags: ['records'],
    summary: `Get one ${kind} classification`,
    description:
      'To be polled while `status` is `new`; there is no verdict before `done`. Frames and the track of a video have ' +
      'identifiers of their own, and are read here too.',
    parameters: [pathParameter('identifier')],
    responses: { 200: answer('the record', RECORDS[kind], ...examples), ...errors(...EVERYWHERE, '404') },
  };
}

function getMany(kind: MediaKind): Schema {
  const list: Schema = { type: 'array', items: reference(RECORDS[kind]) };
  return {
    tags: ['records'],
    summary: `Get several ${kind} classifications, or all of the account, newest first`,
    description: "Identifiers that are unknown or another account's are left out.",
    parameters: [
      queryParameter(
        'identifiers[]',
        'repeated; `identifiers` comma-separated or as a JSON array is taken too',
        {
          type: 'array',
          items: HEX_64,
          maxItems: IDENTIFIERS_MAX,
        },
      ),
      queryParameter('limit', `records in a page; ${PAGE_SIZE_DEFAULT} where only \`cursor\` is given`, {
        type: 'integer',
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
      }),
      queryParameter('cursor', 'where the page before ended, from its Link header', { type: 'string' }),
    ],
    responses: {
      200: {
        description: 'the records; without parameters all of them, streamed',
        headers: { Link: { description: 'the next page, `rel="next"`', schema: { type: 'string' } } },
        content: jsonContent(list, [[EXAMPLES[kind]]]),
      },
      ...errors('400', ...EVERYWHERE, '422list'),
    },
  };
}

function override(kind: MediaKind): Schema {
  return {
    tags: ['records'],
    summary: `Give the correct value of a file (${kind}), for every submission with its hash`,
    description: 'Records show it as `force_classification`; `verdict` stays what was measured.',
    parameters: [pathParameter('hash')],
    requestBody: {
      required: true,
      content: jsonContent(reference('OverrideRequest'), [{ classification: 'human' }]),
    },
    responses: {
      200: answer('the override', 'OverrideResult', { ...EXAMPLES.override, type: kind }),
      ...errors('400', ...EVERYWHERE, '404', '413'),
    },
  };
}

const heatmap: Schema = {
  tags: ['records'],
  summary: "Get an image's AI-content heatmap",
  description:
    'There where `has_heatmap` is true: asked for by `with_heatmap`, and drawn by the time the record is `done`.',
  parameters: [pathParameter('identifier')],
  responses: {
    200: { description: 'the map, with an ETag', content: { 'image/png': {} } },
    304: { description: 'not changed since the ETag of If-None-Match' },
    ...errors(...EVERYWHERE, '404'),
  },
};

const validation: Schema = {
  tags: ['submission'],
  summary: 'Could this file be analysed? Nothing is stored, started or charged',
  description:
    'Looks at type, size and resolution, against the models that the plan and the options select: send the options of ' +
    'the submission itself.',
  requestBody: { required: true, content: { 'multipart/form-data': validationForm() } },
  responses: {
    200: answer('it could', 'MediaValidation', EXAMPLES.validation),
    ...errors('400', ...EVERYWHERE, '413validation', '422validation', '503'),
  },
};

const credits: Schema = {
  tags: ['account'],
  summary: "Get the account's credits",
  description: 'What is left, and what was spent so far.',
  responses: { 200: answer('the credits', 'Credits', EXAMPLES.credits), ...errors(...EVERYWHERE) },
};

const newUser: Schema = {
  tags: ['partners'],
  summary: 'Make an account; for partners and the administrator',
  description: 'It has no password yet: `/api/partner/send_creation_email` mails the link that sets one.',
  requestBody: newUserBody(),
  responses: {
    201: answer('the account', 'UserAnswer', { data: USER_EXAMPLE }),
    ...errors('400', ...EVERYWHERE, '409'),
  },
};

const deletedUser: Schema = {
  tags: ['partners'],
  summary: 'Delete an account; its keys stop at once',
  description:
    'The account is named by `id`, in the query or the body. Its records stay until they are due for removal.',
  parameters: [queryParameter('id', 'here or in the body', { type: 'integer', minimum: 1 })],
  requestBody: userIdBody(false),
  responses: {
    200: answer('the account', 'UserAnswer', { data: USER_EXAMPLE }),
    ...errors('400', ...EVERYWHERE, '404user', '409'),
  },
};

const userPage: Schema = {
  tags: ['partners'],
  summary: "The partner's users; all accounts for the administrator",
  description: 'In pages where `per_page` is given, all in one otherwise.',
  parameters: USER_QUERY,
  responses: { 200: answer('the users', 'UserPage', USER_PAGE_EXAMPLE), ...errors('400', ...EVERYWHERE) },
};

const creationEmail: Schema = {
  tags: ['partners'],
  summary: 'Mail a user the link that sets the first password, or one that resets it',
  description: 'Where no mail server is set, the mail is laid into the data folder.',
  requestBody: userIdBody(true),
  responses: {
    200: answer('the account', 'UserAnswer', { data: USER_EXAMPLE }),
    ...errors('400', ...EVERYWHERE, '404user', '503'),
  },
};

function operation(summary: string, description: string, type: string, more: Schema = {}): Paths[string] {
  const responses = { 200: { description: summary, content: { [type]: {} } }, ...errors('421') };
  return { get: { tags: ['operations'], summary, description, security: [], responses, ...more } };
}

/** A path that needs a key off loopback: the administrator's if `refusals` has 403. */
function guarded(
  summary: string,
  description: string,
  type: string,
  more: Schema = errors('401', '421'),
): Paths[string] {
  const responses = { 200: { description: summary, content: { [type]: {} } }, ...more };
  return operation(summary, description, type, { responses, security: [{}, { apiKey: [] }] });
}

/** The answer is one word, or JSON if that was asked for. */
function readinessAnswer(description: string, example: string): Schema {
  const content = jsonContent(reference('Readiness'), []);
  return { description, content: { 'text/plain': { schema: { type: 'string' }, example }, ...content } };
}

const readiness: Schema = {
  parameters: [queryParameter('verbose', 'any value: JSON instead of text', { type: 'string' })],
  responses: {
    200: readinessAnswer('ready', 'ready'),
    503: readinessAnswer('not ready yet, or no more', 'starting'),
    ...errors('421'),
  },
};

const OPERATIONS: Paths = {
  '/livez': operation('The process lives', 'Asks nothing of the store or the models.', 'text/plain'),
  '/readyz': operation(
    'Work is taken',
    'A load balancer sends files here while the answer is 200.',
    'text/plain',
    readiness,
  ),
  '/metrics': guarded(
    'Figures in Prometheus form',
    "Off loopback only with the administrator's key, also as `Authorization: Bearer`.",
    'text/plain',
    errors('401', '403', '421'),
  ),
  '/openapi.json': operation('This description', 'OpenAPI 3.1.', JSON_TYPE),
  '/schema.graphql': guarded(
    'The GraphQL schema',
    'With its descriptions; off loopback only with a key.',
    'application/graphql',
  ),
  '/proto.zip': guarded(
    'The gRPC interface',
    'Its proto files; off loopback only with a key.',
    'application/zip',
  ),
};

export function describePaths(): Paths {
  const paths: Paths = {
    '/api/validate': { post: validation },
    '/api/user/credits': { get: credits },
    '/api/user': { post: newUser, delete: deletedUser },
    '/api/partner/users': { get: userPage },
    '/api/partner/send_creation_email': { post: creationEmail },
  };
  for (const { kind, one, many, fromAddress } of KIND_PATHS) {
    for (const path of one) {
      const alias = aliasOf(path, one);
      paths[path] = { post: { ...submission(kind, uploadForm(kind), 'by upload'), ...alias } };
      paths[`${path}/{identifier}`] = { get: { ...getOne(kind), ...alias } };
      paths[`${path}/{hash}/override`] = { post: { ...override(kind), ...alias } };
      if (kind === 'image') paths[`${path}/heatmap/{identifier}`] = { get: { ...heatmap, ...alias } };
    }
    paths[fromAddress] = { post: submission(kind, addressForm(kind), 'from an address') };
    for (const path of many) paths[path] = { get: { ...getMany(kind), ...aliasOf(path, many) } };
  }
  return withOperationIds({
    ...paths,
    ...OPERATIONS,
  });
}

function aliasOf(path: string, paths: readonly string[]): Schema {
  return path === paths[0] ? {} : { description: `The same as ${paths[0]}.` };
}

/** Generators name functions by operation ids: `GET /api/classification/{identifier}` is `getClassificationByIdentifier`. */
function withOperationIds(paths: Paths): Paths {
  const named = ([method, described]: [string, Schema], path: string): [string, Schema] => [
    method,
    { operationId: operationIdOf(method, path), ...described },
  ];
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map((entry) => named(entry, path))),
    ]),
  );
}

function operationIdOf(method: string, path: string): string {
  const words = path
    .replace('/api/', '/')
    .replace(/\{/g, 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}
