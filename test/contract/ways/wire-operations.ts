/** Every operation that facades describe (OpenAPI, GraphQL schema, descriptors), aimed at somebody, new ones included. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJsonString,
} from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { SERVICES } from '../../../src/facade/grpc/server.ts';
import { describeInterface } from '../../../src/facade/rest/openapi/openapi.ts';
import { serviceDefinition } from '../../../src/grpc/definition.ts';

/** The account and the things that an operation is aimed at. */
export interface Aim {
  identifier: string;
  hash: string;
  accountId: number;
  deliveryId: string;
  email: string;
}

export interface Actor {
  url: string;
  grpc: string;
  key: string;
}

export interface WireOperation {
  name: string;
  /** Whether the operation names a record, a file, a delivery or an account. */
  isAimed: boolean;
  /** The whole answer as text. */
  run(actor: Actor, aim: Aim): Promise<string>;
}

const AIMED_FIELD = /^(identifiers?|hash|userId)$/;
/** Their `id` is an account's or a delivery's; elsewhere it is one of the caller's own keys or plans. */
const AIMED_NAME = /((get|update|delete)?user|sendCreationEmail|replayDelivery)$/i;
const NOT_AIMED_NAME = /createUser$/i;

function isAimedBy(name: string, fields: string[]): boolean {
  if (NOT_AIMED_NAME.test(name)) return false;
  return AIMED_NAME.test(name) || fields.some((field) => AIMED_FIELD.test(field));
}

export function restOperations(): WireOperation[] {
  const { paths } = describeInterface() as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => restOperation(method, path)));
}

function restOperation(method: string, path: string): WireOperation {
  return {
    name: `REST ${method} ${path}`,
    isAimed: /\{|classifications|send_creation_email/.test(path) || method === 'delete',
    async run({ url, key }, { identifier, hash, accountId, email }) {
      const target = path.replace('{identifier}', identifier).replace('{hash}', hash);
      const query = new URLSearchParams({
        'identifiers[]': identifier,
        filter: email,
        id: String(accountId),
      });
      const body = JSON.stringify({ classification: 'human', id: accountId, name: 'x', email });
      const response = await fetch(`${url}${target}?${query}`, {
        method: method.toUpperCase(),
        headers: { 'x-api-key': key, accept: 'application/json', 'content-type': 'application/json' },
        ...(method === 'get' ? {} : { body }),
      });
      return `${response.status} ${await response.text()}`;
    },
  };
}

/** Streams that end by themselves; a watch of a whole account goes on until it is left. */
export function grpcOperations(): WireOperation[] {
  return SERVICES.flatMap(({ methods }) => methods as readonly DescMethod[])
    .filter(({ methodKind }) => methodKind === 'unary' || methodKind === 'server_streaming')
    .filter(
      ({ methodKind, input }) =>
        methodKind === 'unary' || namesOf(input).some((name) => /^identifiers?$/.test(name)),
    )
    .map((method) => ({
      name: `gRPC ${method.parent.name}.${method.name}`,
      isAimed: isAimedBy(method.name, namesOf(method.input)),
      run: (actor, aim) => callGrpc(actor, method, requestOf(method.input, aim) as JsonObject),
    }));
}

const namesOf = ({ fields }: DescMessage): string[] => fields.map(({ localName }) => localName);

/** Value for fields that hold a time. */
const MOMENT = '2026-01-31T08:15:00Z';

function requestOf(message: DescMessage, aim: Aim): JsonValue {
  return Object.fromEntries(message.fields.map((field) => [field.jsonName, fieldValue(field, aim)]));
}

function fieldValue(field: DescField, aim: Aim): JsonValue {
  // A filter with all its fields set would let nothing through.
  if (field.localName === 'filter' && field.fieldKind === 'message') return { hash: aim.hash };
  if (field.fieldKind === 'message' && field.message.typeName === 'google.protobuf.Timestamp') return MOMENT;
  if (field.fieldKind === 'message') return requestOf(field.message, aim);
  if (field.fieldKind === 'enum') return 1;
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'list') return field.listKind === 'scalar' ? [itemOf(field, aim)] : [];
  switch (field.scalar) {
    case ScalarType.STRING:
      return textOf(field.localName, aim);
    case ScalarType.BOOL:
      return false;
    case ScalarType.BYTES:
      return '';
    case ScalarType.INT64:
      return String(field.localName.endsWith('id') || field.localName.endsWith('Id') ? aim.accountId : 1);
    default:
      return 0;
  }
}

function itemOf({ scalar, localName }: DescField, aim: Aim): JsonValue {
  return scalar === ScalarType.INT64 ? '1' : textOf(localName, aim);
}

/** What a field of text or an identifier is given, by its name. */
function textOf(name: string, { identifier, hash, accountId, deliveryId, email }: Aim): string {
  const values: Record<string, string> = {
    ...{ identifier, identifiers: identifier, hash, email, filter: email, heuristic: 'balanced' },
    ...{ id: deliveryId, userId: String(accountId), partnerId: String(accountId), pricingId: '1' },
    ...{ pageToken: '', sort: 'id', language: 'en' },
  };
  return values[name] ?? 'x';
}

function callGrpc({ grpc, key }: Actor, method: DescMethod, json: JsonObject): Promise<string> {
  const definition = serviceDefinition(method.parent)[method.localName];
  if (definition === undefined) throw new Error(`no method ${method.name}`);
  const client = new Client(grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', key);
  const request = fromJson(method.input, json);
  const { path, requestSerialize } = definition;
  const toText = (bytes: Buffer): string =>
    toJsonString(method.output, definition.responseDeserialize(bytes) as never);
  return new Promise<string>((resolve) => {
    const refuse = ({ code, details }: ServiceError): void => resolve(`${code} ${details}`);
    if (method.methodKind === 'unary') {
      client.makeUnaryRequest(path, requestSerialize, toText, request, metadata, (error, answer) =>
        error === null ? resolve(answer ?? '') : refuse(error),
      );
      return;
    }
    const answers: string[] = [];
    const call = client.makeServerStreamRequest(path, requestSerialize, toText, request, metadata);
    call.on('data', (answer: string) => answers.push(answer));
    call.on('error', refuse);
    call.on('end', () => resolve(answers.join('\n')));
  }).finally(() => client.close());
}

const SELECTION_DEPTH = 3;
/** These need a file; the test itself sends uploads. */
const UPLOADS = ['submitMedia', 'validateMedia', 'readMarks'];
const PAGING = ['first', 'after'];

export function graphqlOperations(): WireOperation[] {
  const path = join(import.meta.dirname, '../../../schema/assay.graphql');
  const schema = buildSchema(readFileSync(path, 'utf8'));
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  return roots.flatMap(([kind, root]) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ name }) => !UPLOADS.includes(name))
      .map((field) => graphqlOperation(schema, kind, field)),
  );
}

function graphqlOperation(
  schema: GraphQLSchema,
  kind: string,
  field: GraphQLField<unknown, unknown>,
): WireOperation {
  const args = field.args.filter(({ name }) => !PAGING.includes(name));
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const head = args.length === 0 ? '' : `(${declared})`;
  const call = args.length === 0 ? field.name : `${field.name}(${passed})`;
  const query = `${kind} ${head} { ${call} ${selectionOf(schema, field.type, SELECTION_DEPTH)} }`;
  const names = args.flatMap(({ name, type }) => {
    const named = getNamedType(type);
    return isInputObjectType(named) ? Object.keys(named.getFields()) : [name];
  });
  return {
    name: `GraphQL ${kind} ${field.name}`,
    isAimed: isAimedBy(field.name, names),
    async run({ url, key }, aim) {
      // Every other `id` is an account's.
      const id = field.name === 'replayDelivery' ? aim.deliveryId : String(aim.accountId);
      const aimed = { ...aim, deliveryId: id };
      const variables = Object.fromEntries(
        args.map(({ name, type }) => [name, argumentOf(name, type, aimed)]),
      );
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return await response.text();
    },
  };
}

function argumentOf(name: string, type: GraphQLInputType, aim: Aim): unknown {
  if (isNonNullType(type)) return argumentOf(name, type.ofType, aim);
  if (isListType(type)) return name === 'identifiers' ? [aim.identifier] : [];
  if (isEnumType(type)) return type.getValue('IMAGE')?.name ?? type.getValues()[0]?.name;
  if (isInputObjectType(type) && name === 'filter') return { hash: aim.hash };
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return Object.fromEntries(fields.map((field) => [field.name, argumentOf(field.name, field.type, aim)]));
  }
  switch (type.name) {
    case 'Boolean':
      return false;
    case 'Int':
    case 'Long':
      return 1;
    case 'DateTime':
      return MOMENT;
    default:
      return textOf(name, aim);
  }
}

/** Everything that the type shows, down to a depth that the bounds of an operation allow. */
function selectionOf(schema: GraphQLSchema, type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isAbstractType(named)) {
    const possible = schema.getPossibleTypes(named);
    const parts = possible.map((each) => `... on ${each.name} { identifier name refId hash }`);
    return `{ __typename ${parts.join(' ')} }`;
  }
  if (!isObjectType(named)) return '';
  const parts = Object.values(named.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    const isLeaf = !isObjectType(inner) && !isAbstractType(inner);
    if (isLeaf) return [field.name];
    return depth > 1 ? [`${field.name} ${selectionOf(schema, field.type, depth - 1)}`] : [];
  });
  return `{ ${['__typename', ...parts].join(' ')} }`;
}
