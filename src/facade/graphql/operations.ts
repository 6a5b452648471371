/** The root fields that `src/operations` has a row for: a query answers its value, a mutation a payload. */
import type { RawFields } from '../../app/field-parsers.ts';
import { ACCOUNT_DETAILS } from '../../domain/contract/account.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { NOTICE_CHANNEL } from '../../domain/contract/words.ts';
import { toSnakeCase } from '../../domain/field.ts';
import type { Answer, FormName, InputRow, InputRows, Operation } from '../../operations/operation.ts';
import { OPERATIONS, type OperationName } from '../../operations/operations.ts';
import { parseLineNumber } from '../../operations/pages.ts';
import {
  builder,
  c2paPolicyEnum,
  enumOf,
  heuristicEnum,
  mediaKindEnum,
  outcomeEnum,
  roleEnum,
} from './builder.ts';
import { connectionOf, defineConnection, FIRST_DESCRIPTION, pageLimitOf } from './connection.ts';
import { inputFieldsOf, shapeOf } from './nouns.ts';
import type { OptionPrice } from './plans.ts';
import { countCall, type Payload, settleCall } from './transport/calls.ts';
import type { GraphqlContext } from './transport/context.ts';
import { toId, toRawFields } from './transport/input.ts';
import { userErrorType } from './user-errors.ts';

type Values = Readonly<Record<string, unknown>>;
type PayloadRef<Value> = ReturnType<typeof builder.objectRef<Payload<Value>>>;

/** Pothos infers types from literals; rows have none. */
interface Loose {
  field(options: object): never;
  arg(options: object): never;
}

export function addOperations(): void {
  for (const [name, operation] of Object.entries<Operation>(OPERATIONS)) {
    if (operation.kind === 'query') addQuery(operation);
    else addMutation(name, operation);
  }
}

function addQuery(operation: Operation): void {
  const { answer, field } = operation;
  const [held = ''] = Object.keys(answer.fields);
  if (field === null) return;
  const name = field ?? held;
  builder.queryField(name, (t) =>
    (t as unknown as Loose).field({
      ...answerOf(answer),
      ...rootOptions(t as unknown as Loose, operation),
      resolve: (_: unknown, args: Values, context: GraphqlContext) =>
        countCall(context, name, () => runOperation(context, operation, args)),
    }),
  );
}

function addMutation(name: string, operation: Operation): void {
  builder.mutationField(name, (t) =>
    (t as unknown as Loose).field({
      type: payloadOf(operation),
      ...rootOptions(t as unknown as Loose, operation),
      resolve: (_: unknown, args: Values, context: GraphqlContext) =>
        settleCall(context, name, () => runOperation(context, operation, args)),
    }),
  );
}

function answerOf({ fields, page }: Answer): object {
  const [row] = Object.values(fields);
  if (row === undefined) throw new Error('a query answers a field');
  if (page === undefined) return shapeOf(row);
  if (typeof row.type === 'string' || 'choice' in row.type) throw new Error('a page has lines of a noun');
  const { type } = shapeOf(row);
  return { type: defineConnection(row.type.noun, type as Parameters<typeof defineConnection>[1]) };
}

/** Root fields are nullable, so that one that fails leaves the others standing. */
function rootOptions(t: Loose, operation: Operation): object {
  const { role, input, inputObject } = operation;
  const sentences = [operation.description, role === 'admin' ? 'Administrators only.' : undefined];
  const description = sentences.filter((sentence) => sentence !== undefined).join(' ');
  const rows = Object.entries(input);
  const args =
    inputObject === undefined
      ? rows.map(([name, row]) => argumentOf(t, name, row))
      : [['input', t.arg({ type: inputTypeOf(inputObject, rows), required: true })]];
  return {
    nullable: true,
    ...(description === '' ? {} : { description }),
    args: Object.fromEntries(args),
  };
}

function inputTypeOf(
  { name, description }: NonNullable<Operation['inputObject']>,
  rows: [string, InputRow][],
) {
  return builder.inputType(name, {
    ...(description === undefined ? {} : { description }),
    fields: (t) =>
      Object.fromEntries(rows.map(([field, row]) => [field, (t as unknown as Loose).field(optionsOf(row))])),
  });
}

function argumentOf(t: Loose, name: string, row: InputRow): [string, never] {
  if (row.form !== undefined) return ['input', t.arg({ type: FORMS[row.form].type, required: true })];
  if (row.page === 'before') return ['after', t.arg({ type: 'String' })];
  if (row.page === undefined) return [name, t.arg(optionsOf(row))];
  return ['first', t.arg({ type: 'Int', description: `${row.description ?? ''}${FIRST_DESCRIPTION}` })];
}

function optionsOf(row: InputRow): object {
  const { initial, isOptional, description } = row;
  return {
    ...shapeOf(row),
    required: isOptional !== true && initial === undefined,
    ...(initial === undefined ? {} : { defaultValue: initial }),
    ...(description === undefined ? {} : { description }),
  };
}

async function runOperation(
  context: GraphqlContext,
  { input, inputObject, answer, run, isBeforeTerms }: Operation,
  args: Values,
): Promise<unknown> {
  const principal = isBeforeTerms === true ? context.newcomer() : context.principal();
  const given = readArguments(input, inputObject === undefined ? args : (args.input as Values));
  const value = await run(context.app, { principal, ...given }, context.signal);
  if (answer.page === undefined) return value;
  return connectionOf(value as readonly object[], answer.page, Number(given.limit));
}

/** An argument that is absent or null gets the row's initial value, or none. */
function readArguments(input: InputRows, args: Values): Values {
  const given = Object.entries(input).flatMap(([name, row]): [string, unknown][] => {
    if (row.form !== undefined) return [[name, FORMS[row.form].read(args.input as never)]];
    if (row.page === 'limit') return [[name, pageLimitOf(args)]];
    if (row.page === 'before') return [[name, parseLineNumber(args, 'after')]];
    const value = args[name] ?? row.initial;
    if (value === undefined || value === null) return [];
    if (row.isNumber !== true) return [[name, value]];
    return [[name, toId(value as string, toSnakeCase(name), row.isNoneZero === true ? 0 : 1)]];
  });
  return Object.fromEntries(given);
}

const payloads = new Map<string, unknown>();

/** The payload type of an operation, also for a mutation written by hand with the same answer. */
export function payloadTypeOf<Value>(name: OperationName): PayloadRef<Value> {
  return payloadOf<Value>(OPERATIONS[name]);
}

type Answered = Pick<Operation, 'payload' | 'whenRefused'> & { readonly answer: Omit<Answer, 'holds'> };

/** The payload is defined once for all operations that name it. */
export function payloadOf<Value>({ payload = '', answer, whenRefused = {} }: Answered): PayloadRef<Value> {
  const known = payloads.get(payload);
  if (known !== undefined) return known as PayloadRef<Value>;
  const type = builder.objectRef<Payload<unknown>>(`${payload}Payload`);
  payloads.set(payload, type);
  const isHeld = answer.shape === 'several';
  const fieldOf = (t: Loose, name: string, row: InputRow): never => {
    const refused = whenRefused[name];
    const { description } = row;
    return t.field({
      ...shapeOf(row),
      nullable: refused === undefined,
      ...(description === undefined ? {} : { description }),
      resolve: ({ value }: Payload<unknown>) =>
        (isHeld ? (value as Values | null)?.[name] : value) ?? refused ?? null,
    });
  };
  type.implement({
    fields: (t) => ({
      ...Object.fromEntries(
        Object.entries(answer.fields).map(([name, row]) => [name, fieldOf(t as unknown as Loose, name, row)]),
      ),
      userErrors: t.expose('userErrors', { type: [userErrorType] }),
    }),
  });
  return type as PayloadRef<Value>;
}

interface Form {
  readonly type: unknown;
  read(input: never): RawFields;
}

const accountInput = builder.inputType('UpdateAccountInput', {
  description: 'What is absent stays; null clears it.',
  fields: (t) => ({
    name: t.string(),
    ...inputFieldsOf(t, ACCOUNT_DETAILS),
    heuristic: t.field({ type: heuristicEnum }),
  }),
});

const userInput = builder.inputType('UserInput', {
  description: 'What is absent is not set or stays; null clears it.',
  fields: (t) => ({
    name: t.string({ description: 'Required for a new user.' }),
    email: t.string({ description: 'Required for a new user.' }),
    ...inputFieldsOf(t, ACCOUNT_DETAILS),
    heuristic: t.field({ type: heuristicEnum }),
    readonly: t.boolean(),
    pricingId: t.id(),
    role: t.field({ type: roleEnum, description: 'Administrators only.' }),
    partnerId: t.id({ description: 'Administrators only; null makes a top-level account.' }),
    c2paPolicy: t.field({ type: c2paPolicyEnum, description: 'Null: as the plan says.' }),
  }),
});

const ruleInput = builder.inputType('NoticeRuleInput', {
  fields: (t) => ({
    name: t.string(),
    channel: t.field({ type: enumOf(NOTICE_CHANNEL), required: true }),
    target: t.string({
      required: true,
      description:
        'https, under the guard of webhooks; or an e-mail address, the account’s own but for administrators.',
    }),
    outcomes: t.field({ type: [outcomeEnum], description: 'None: any.' }),
    kinds: t.field({ type: [mediaKindEnum], description: 'None: any.' }),
    ofEveryAccount: t.boolean({ description: 'Administrators only.' }),
  }),
});

const optionPriceInput = builder.inputType('OptionPriceInput', {
  fields: (t) => ({ option: t.string({ required: true }), credits: t.int({ required: true }) }),
});

const { id: _, ...WRITTEN } = PLAN;

const planInput = builder.inputType('PlanInput', {
  description: 'What is absent gets its default in a new plan and stays in an old one.',
  fields: (t) => ({
    ...inputFieldsOf(t, WRITTEN),
    kinds: t.field({ type: [mediaKindEnum] }),
    imageCredits: t.int(),
    videoCredits: t.int(),
    audioCredits: t.int(),
    optionCredits: t.field({ type: [optionPriceInput], description: 'Replaces all earlier ones.' }),
    models: t.stringList({ description: 'Null: the plan follows what is installed.' }),
    imageBytesMax: t.field({ type: 'Long' }),
    videoBytesMax: t.field({ type: 'Long' }),
    audioBytesMax: t.field({ type: 'Long' }),
  }),
});

interface PlanInput {
  models?: readonly string[] | null | undefined;
  optionCredits?: readonly OptionPrice[] | null | undefined;
}

/** Inputs with the fields that are written of a noun, read under their documented names. */
function toPlanFields(input: PlanInput): RawFields {
  const { models, optionCredits, ...rest } = input;
  const prices = optionCredits?.map(({ option, credits }) => [option, credits]);
  return {
    ...toRawFields(rest),
    models: models === null ? 'all' : models,
    option_credits: prices === undefined ? undefined : Object.fromEntries(prices),
  };
}

/** Leaves out fields that are null. */
function toRuleFields(input: object): RawFields {
  return toRawFields(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)));
}

const FORMS: Readonly<Record<FormName, Form>> = {
  account: { type: accountInput, read: toRawFields },
  noticeRule: { type: ruleInput, read: toRuleFields },
  plan: { type: planInput, read: toPlanFields },
  user: { type: userInput, read: toRawFields },
};
