/** Holds answers against /openapi.json: path, status and type must be described, and the body must fit its schema exactly. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describeInterface } from '../../src/facade/rest/openapi/openapi.ts';

interface Answered {
  description: string;
  content?: Record<string, { schema?: unknown }>;
}

interface Operation {
  responses: Record<string, Answered | { $ref: string }>;
}

const DOCUMENT = closed(describeInterface()) as {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answered> };
};
const ROOT = 'interface';
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('uri', (text: string) => URL.canParse(text));
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
ajv.addFormat('binary', true);
ajv.addSchema({ $id: ROOT, ...DOCUMENT });
const validators = new Map<string, ValidateFunction>();

/** An object takes the fields that its schema names and no others. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject ? { additionalProperties: false, ...copy } : copy;
}

export interface SeenAnswer {
  method: string;
  /** Without its query. */
  path: string;
  status: number;
  contentType: string;
  /** Parsed where the type is JSON. */
  body: unknown;
}

/** Literal segments win over parameters. */
export function templateOf(path: string, method: string): string | undefined {
  const candidates = Object.keys(DOCUMENT.paths).filter((template) => {
    const pattern = template.replace(/\{\w+\}/g, '[^/]+');
    return (
      new RegExp(`^${pattern}$`).test(path) && DOCUMENT.paths[template]?.[method.toLowerCase()] !== undefined
    );
  });
  return candidates.sort(
    (left, right) => left.split('{').length - right.split('{').length || right.length - left.length,
  )[0];
}

export function assertDescribed({ method, path, status, contentType, body }: SeenAnswer): void {
  const seen = `${method} ${path} → ${status} ${contentType}`;
  const template = templateOf(path, method);
  assert.ok(template !== undefined, `${seen}: the path is not described`);
  const verb = method.toLowerCase();
  const answer = DOCUMENT.paths[template]?.[verb]?.responses[status];
  assert.ok(answer !== undefined, `${seen}: the status is not described: ${JSON.stringify(body)}`);
  const base =
    '$ref' in answer ? answer.$ref : `#/paths/${pointer(template)}/${verb}/responses/${String(status)}`;
  const described = '$ref' in answer ? responseOf(answer.$ref) : answer;
  const type = contentType.split(';', 1)[0] ?? '';
  if (described.content === undefined) {
    assert.equal(type, '', seen);
    return;
  }
  assert.ok(type in described.content, `${seen}: the type is not described`);
  if (described.content[type]?.schema === undefined) return;
  const validate = validatorOf(`${base}/content/${pointer(type)}/schema`);
  assert.ok(validate(body), `${seen}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

/** By the name of a schema of the description. */
export function assertFits(name: string, value: unknown): void {
  const validate = validatorOf(`#/components/schemas/${name}`);
  assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
}

function responseOf(reference: string): Answered {
  const answer = DOCUMENT.components.responses[reference.split('/').at(-1) ?? ''];
  assert.ok(answer !== undefined, reference);
  return answer;
}

function validatorOf(reference: string): ValidateFunction {
  const validate = validators.get(reference) ?? ajv.compile({ $ref: `${ROOT}${reference}` });
  validators.set(reference, validate);
  return validate;
}

function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
