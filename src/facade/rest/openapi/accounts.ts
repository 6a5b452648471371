/** The part of the description that is about accounts: users and what their partner does with them. */
import { ROLES } from '../../../domain/accounts/account.ts';
import { ACCOUNT_DETAILS } from '../../../domain/contract/account.ts';
import { C2PA_POLICY } from '../../../domain/contract/words.ts';
import { HEURISTIC_NAMES } from '../../../domain/verdicts/heuristics.ts';
import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const moment: Schema = { type: 'string', format: 'date-time', description: 'UTC with microseconds' };
const nullableText: Schema = { type: ['string', 'null'] };
const heuristic: Schema = { type: 'string', enum: [...HEURISTIC_NAMES] };
const userReference: Schema = { $ref: '#/components/schemas/User' };

function allRequired(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const details = Object.fromEntries(Object.keys(ACCOUNT_DETAILS).map((name) => [name, nullableText]));

export const ACCOUNT_SCHEMAS: Record<string, Schema> = {
  User: allRequired({
    id: integer,
    name: { type: 'string', description: 'full name' },
    email: text,
    email_verified_at: { type: ['string', 'null'], format: 'date-time' },
    ...details,
    created_at: moment,
    updated_at: moment,
    balance: { type: 'number', description: 'credits' },
    heuristic,
    readonly: { type: ['boolean', 'null'], description: 'can only view results' },
    pricing: allRequired({ id: integer, name: text, sku: text }),
    partner: { anyOf: [userReference, { type: 'null' }], description: 'null for a top-level account' },
  }),
  UserAnswer: allRequired({ data: userReference }),
  UserPage: allRequired({
    current_page: integer,
    from: { type: 'integer', description: 'place of the first user of the page, from 1; 0 on an empty page' },
    last_page: integer,
    per_page: integer,
    to: { type: 'integer', description: 'place of the last user of the page; 0 on an empty page' },
    total: integer,
    next_page_url: { type: ['string', 'null'], format: 'uri' },
    data: { type: 'array', items: userReference },
  }),
};

const flag: Schema = { type: 'string', enum: ['true', '1', 'on', 'false', '0', ''] };
const optionalText: Schema = { type: 'string', maxLength: 255 };

/** A form has text only; a JSON body may have numbers, booleans and null as well. */
const userFields: Record<string, Schema> = {
  name: { type: 'string', maxLength: 200 },
  email: { type: 'string', maxLength: 254 },
  ...Object.fromEntries(Object.keys(details).map((name) => [name, optionalText])),
  heuristic,
  readonly: flag,
  pricing_id: {
    type: 'string',
    pattern: '^[0-9]+$',
    description: "a plan's id; the caller's own plan where absent",
  },
  c2pa_policy: { type: 'string', enum: [...C2PA_POLICY.words] },
  role: { type: 'string', enum: [...ROLES], description: 'for the administrator' },
  partner_id: { type: 'string', pattern: '^[0-9]+$', description: 'for the administrator' },
};

const jsonTypes: Record<string, Schema> = {
  readonly: { type: ['boolean', 'string', 'null'] },
  pricing_id: { type: ['integer', 'string'] },
  partner_id: { type: ['integer', 'string', 'null'] },
};

export function newUserBody(): Schema {
  return body(userFields, ['name', 'email'], {
    name: 'Ada Rossi',
    email: 'ada@example.org',
    pricing_id: '1',
  });
}

export function userIdBody(isRequired: boolean): Schema {
  return {
    ...body({ id: { type: 'string', pattern: '^[0-9]+$' } }, isRequired ? ['id'] : [], { id: '7' }),
    required: isRequired,
  };
}

function body(properties: Record<string, Schema>, required: string[], example: unknown): Schema {
  const form = { type: 'object', properties, required };
  const json = {
    ...form,
    properties: { ...properties, ...pick(jsonTypes, properties), ...jsonId(properties) },
  };
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: form, example },
      'application/x-www-form-urlencoded': { schema: form, example },
      'application/json': { schema: json, examples: { example1: { value: example } } },
    },
  };
}

function pick(from: Record<string, Schema>, of: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name in of));
}

function jsonId(properties: Record<string, Schema>): Record<string, Schema> {
  return 'id' in properties ? { id: { type: ['integer', 'string'] } } : {};
}

export const USER_QUERY: readonly Schema[] = [
  query('filter', 'part of the name or of the e-mail address', { type: 'string', maxLength: 254 }),
  query('pricing_id', "a plan's id", { type: 'integer', minimum: 1 }),
  query('sort', 'the field to sort by', { type: 'string', default: 'id' }),
  query('direction', 'asc or desc', { type: 'string', enum: ['asc', 'desc'], default: 'asc' }),
  query('per_page', 'users in a page; all of them where it is absent', { type: 'integer', minimum: 1 }),
  query('page', 'which page, from 1', { type: 'integer', minimum: 1, default: 1 }),
];

function query(name: string, description: string, schema: Schema): Schema {
  return { name, in: 'query', description, schema };
}

const partner = {
  id: 3,
  name: 'Desk Italia',
  email: 'desk@example.org',
  email_verified_at: '2026-01-31T08:15:00.123456Z',
  address: null,
  zip: null,
  city: 'Torino',
  country: 'Italy',
  phone: null,
  contact: null,
  vat: null,
  created_at: '2026-01-30T10:00:00.000001Z',
  updated_at: '2026-01-31T08:15:00.123456Z',
  balance: 5000,
  heuristic: 'balanced',
  readonly: false,
  pricing: { id: 2, name: 'Newsroom', sku: 'newsroom' },
  partner: null,
};

export const USER_EXAMPLE = {
  ...partner,
  id: 7,
  name: 'Ada Rossi',
  email: 'ada@example.org',
  email_verified_at: null,
  balance: 100,
  partner,
};

export const USER_PAGE_EXAMPLE = {
  current_page: 1,
  from: 1,
  last_page: 2,
  per_page: 1,
  to: 1,
  total: 2,
  next_page_url: 'http://127.0.0.1:8480/api/partner/users?filter=ada&per_page=1&page=2',
  data: [USER_EXAMPLE],
};
