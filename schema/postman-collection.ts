/**
 * The REST description as a Postman collection (v2.1), which Postman, Bruno, Insomnia and Hoppscotch open: one request
 * for each operation, in a folder for each tag, with the description's own examples.
 */
import type { Schema } from '../src/facade/rest/openapi/schema.ts';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
/** No record has this identifier or hash: requests answer 404 until it is set. */
const NO_RECORD = '0'.repeat(64);
const VARIABLES = [
  { key: 'baseUrl', value: 'http://127.0.0.1:8480' },
  { key: 'apiKey', value: '' },
  { key: 'identifier', value: NO_RECORD },
  { key: 'hash', value: NO_RECORD },
];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Parameter {
  name: string;
  in: string;
  description?: string;
}

interface MediaType {
  schema: { properties?: Record<string, { format?: string; description?: string }>; required?: string[] };
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
}

interface Description {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

export function describeCollection(openapi: Schema): object {
  const { info, tags, paths } = openapi as unknown as Description;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  return {
    info: { name: info.title, description: info.description, version: info.version, schema: FORMAT },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-Api-Key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: VARIABLES,
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ operation }) => operation.tags.includes(name)).map(toRequest),
    })),
  };
}

function toRequest({ path, method, operation }: { path: string; method: string; operation: Operation }) {
  const { summary, description, parameters = [], requestBody } = operation;
  const isFile = requestBody !== undefined && 'multipart/form-data' in requestBody.content;
  const header = isFile ? [{ key: 'Accept', value: 'application/json' }] : [];
  return {
    name: `${method.toUpperCase()} ${path}`,
    request: {
      method: method.toUpperCase(),
      description: [summary, description].filter(Boolean).join('. '),
      header,
      url: toUrl(path, parameters),
      ...(requestBody === undefined ? {} : { body: toBody(requestBody.content) }),
    },
  };
}

/** Parameters of the query are there and off: an empty value would be one. */
function toUrl(path: string, parameters: readonly Parameter[]): object {
  const segments = path.split('/').filter(Boolean);
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const described = ({ name, description }: Parameter) => ({ key: name, value: '', description });
  return {
    raw: `{{baseUrl}}${path.replace(/\{(\w+)\}/g, ':$1')}`,
    host: ['{{baseUrl}}'],
    path: segments.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1')),
    variable: of('path').map((parameter) => ({ ...described(parameter), value: `{{${parameter.name}}}` })),
    query: of('query').map((parameter) => ({ ...described(parameter), disabled: true })),
  };
}

function toBody(content: Record<string, MediaType>): object {
  const form = content['multipart/form-data'];
  if (form !== undefined) return { mode: 'formdata', formdata: toFields(form) };
  const json = content['application/json'];
  const example = json?.example ?? Object.values(json?.examples ?? {})[0]?.value ?? {};
  const options = { raw: { language: 'json' } };
  return { mode: 'raw', raw: `${JSON.stringify(example, null, 2)}\n`, options };
}

/** What must be given is on, with the example's value; the rest is one click away. */
function toFields({ schema, example }: MediaType): object[] {
  const given = (example ?? {}) as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).map(([key, { format, description }]) => {
    const about = { key, description, disabled: schema.required?.includes(key) !== true };
    if (format === 'binary') return { ...about, type: 'file', src: [] };
    return { ...about, type: 'text', value: String(given[key] ?? '') };
  });
}
