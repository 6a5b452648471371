/** Account operations by name, alike over gRPC and GraphQL: lower-case words, identifiers as text, counts as numbers. */
import assert from 'node:assert/strict';
import { type DescMethodUnary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import { AccountService } from '../../../src/grpc/gen/assay/v1/account_service_pb.ts';
import { ApplianceService } from '../../../src/grpc/gen/assay/v1/appliance_service_pb.ts';
import { PartnerService } from '../../../src/grpc/gen/assay/v1/partner_service_pb.ts';
import { GraphqlCaller } from '../../facade/graphql-caller.ts';
import { type Refusal, refusalIn } from './grpc-refusal.ts';
import { type AccountOperation, DOCUMENTS, SHAPES, WATCH_CREDITS } from './operation-documents.ts';

export type Values = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: each case names the fields that it expects
export type Answer = any;

export type Asked = { value: Answer } | { refusal: Refusal };

export abstract class OperationCaller implements Disposable {
  abstract readonly way: 'gRPC' | 'GraphQL';
  abstract ask(operation: AccountOperation, input?: Values): Promise<Asked>;
  /** The credits that are available, now and after each change. */
  abstract watchCredits(): AsyncGenerator<number>;
  abstract [Symbol.dispose](): void;

  async call(operation: AccountOperation, input: Values = {}): Promise<Answer> {
    const asked = await this.ask(operation, input);
    assert('value' in asked, `${operation} was refused: ${JSON.stringify(asked)}`);
    return asked.value;
  }

  /** Runs the operation, which must be refused. */
  async refused(operation: AccountOperation, input: Values = {}): Promise<Refusal> {
    const asked = await this.ask(operation, input);
    assert('refusal' in asked, `${operation} was answered`);
    return asked.refusal;
  }
}

const METHODS: Record<string, DescMethodUnary> = Object.fromEntries(
  [AccountService, PartnerService, ApplianceService]
    .flatMap(({ methods }) => methods)
    .filter((method) => method.methodKind === 'unary')
    .map((method) => [method.localName, method as DescMethodUnary]),
);

export class GrpcOperations extends OperationCaller {
  readonly way = 'gRPC';
  readonly #client: AssayClient;

  constructor(address: string, key: string) {
    super();
    this.#client = new AssayClient({ address, credentials: credentials.createInsecure() }, key);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async ask(operation: AccountOperation, input: Values = {}): Promise<Asked> {
    const method = METHODS[operation];
    assert(method !== undefined, operation);
    const answer = await this.#client.call(method, requestOf(method, input)).catch((error: Error) => error);
    if (answer instanceof Error) return { refusal: plainRefusal(refusalIn(answer)) };
    return { value: toPlain(toJson(method.output, answer, { alwaysEmitImplicit: true })) };
  }

  async *watchCredits(): AsyncGenerator<number> {
    const departure = new AbortController();
    try {
      const changes = this.#client.receive(AccountService.method.watchCredits, {}, departure.signal);
      for await (const { availableCredits } of changes) yield Number(availableCredits);
    } finally {
      departure.abort();
    }
  }
}

export class GraphqlOperations extends OperationCaller {
  readonly way = 'GraphQL';
  readonly #caller: GraphqlCaller;

  constructor(http: string, key: string) {
    super();
    this.#caller = new GraphqlCaller(http, key);
  }

  [Symbol.dispose](): void {}

  async ask(operation: AccountOperation, input: Values = {}): Promise<Asked> {
    const { data, errors } = await this.#caller.ask(DOCUMENTS[operation], variablesOf(operation, input));
    const [fault] = errors ?? [];
    if (fault !== undefined) return { refusal: refusalOf([fault.extensions ?? {}], fault.message) };
    const answer = (SHAPES[operation] ?? rootOf)(data);
    const mistakes = answer.userErrors ?? [];
    return mistakes.length > 0 ? { refusal: refusalOf(mistakes) } : { value: toPlain(answer) };
  }

  async *watchCredits(): AsyncGenerator<number> {
    for await (const { credits } of this.#caller.subscribe(WATCH_CREDITS)) yield credits.availableCredits;
  }
}

/** Reads `userErrors`, or the extensions of an error. If the extensions name no field, the error's message begins with the argument's name. */
function refusalOf(mistakes: readonly Answer[], message = ''): Refusal {
  const [first = {}] = mistakes;
  const named: { field?: string | null }[] = first.fields ?? mistakes;
  const [, argument] = /^(\w+): /.exec(message) ?? [];
  const fields = named.flatMap(({ field }) => field ?? argument ?? []);
  return { code: String(first.code ?? '').toLowerCase(), reason: first.reason ?? message, fields };
}

function plainRefusal({ code, reason, fields }: Refusal): Refusal {
  return { code: code.toLowerCase(), reason: reason.toLowerCase(), fields: fields.map(plainName) };
}

const rootOf = (data: Answer): Answer => Object.values(data ?? {})[0] ?? {};

const ENUM_PREFIXES: Readonly<Record<string, string>> = {
  role: 'ROLE_',
  c2paPolicy: 'C2PA_POLICY_',
  kinds: 'MEDIA_KIND_',
  direction: 'SORT_DIRECTION_',
};
/** Fields of plans that gRPC wraps, since a list that is empty differs from none. */
const WRAPPED = new Set(['kinds', 'options', 'models']);

function requestOf(method: DescMethodUnary, input: Values): ReturnType<typeof fromJson> {
  return fromJson(method.input, toMessage(input) as JsonValue);
}

function toMessage(value: Values): Values {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fieldOf(name, each)]));
}

function fieldOf(name: string, value: unknown): unknown {
  const prefix = ENUM_PREFIXES[name];
  const word = (each: unknown) => (prefix === undefined ? each : `${prefix}${String(each).toUpperCase()}`);
  if (value === null && name === 'models') return { all: true };
  if (value === null) return prefix === undefined ? '' : word('unspecified');
  if (Array.isArray(value)) return WRAPPED.has(name) ? { values: value.map(word) } : value.map(word);
  if (typeof value === 'object') return toMessage(value as Values);
  return word(value);
}

const ENUMS = new Set([...Object.keys(ENUM_PREFIXES), 'heuristic', 'sort']);

function variablesOf(operation: AccountOperation, input: Values): Values {
  const variables = toVariables(input);
  return operation === 'updateAccount' ? { fields: variables } : variables;
}

function toVariables(value: Values): Values {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (name === 'optionCredits') return [name, optionsOf(each as Record<string, number>)];
      if (each !== null && typeof each === 'object' && !Array.isArray(each))
        return [name, toVariables(each as Values)];
      return [name, ENUMS.has(name) ? upperCase(each) : each];
    }),
  );
}

const optionsOf = (credits: Record<string, number>) =>
  Object.entries(credits).map(([option, each]) => ({ option, credits: each }));

function upperCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(upperCase);
  return typeof value === 'string' ? value.toUpperCase() : value;
}

const COUNTS = new Set([
  ...['availableCredits', 'totalSpent', 'balance', 'amount', 'credits', 'fileBytesMax', 'totalSize'],
  ...['runningTotal', 'waitingTotal', 'optionCredits'],
]);
const WORDS = new Set(['role', 'kind', 'heuristic', 'c2paPolicy', 'reason']);
const PREFIX_OF_ENUM = /^(role|media_kind|c2pa_policy|ledger_reason)_/;

/** Removes values that are empty by default in one protocol and absent in the other. */
function toPlain(value: unknown, name = ''): Answer {
  if (Array.isArray(value))
    return name === 'optionCredits'
      ? Object.fromEntries(value.map(({ option, credits }) => [option, credits]))
      : value.map((each) => toPlain(each));
  if (value !== null && typeof value === 'object') return toPlainFields(value as Values, name);
  if (value === null) return null;
  if (WORDS.has(name)) return String(value).toLowerCase().replace(PREFIX_OF_ENUM, '');
  return COUNTS.has(name) ? Number(value) : value;
}

function toPlainFields(value: Values, name: string): Values {
  const inner = name === 'optionCredits' ? 'credits' : null;
  const { pageInfo, userErrors: _none, allModels, ...fields } = value as Answer;
  const plain = Object.entries(fields).map(([key, each]) => [key, toPlain(each, inner ?? key)]);
  const named = Object.fromEntries(
    plain.filter(([, each]) => each !== null && each !== '' && each !== 'unspecified'),
  );
  if (allModels === true) delete named.models;
  return pageInfo?.hasNextPage === true ? { ...named, nextPageToken: pageInfo.endCursor } : named;
}

/** `user.pricing_id` of a message is `pricingId`. */
function plainName(path: string): string {
  return (path.split('.').at(-1) ?? path).replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
