/** The rpcs that `src/operations` has a row for: reads the request by the row's input, and answers by its answer. */

import type { DescMessage, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import type { RawFields } from '../../app/field-parsers.ts';
import { badField } from '../../domain/errors.ts';
import { PAGE_SIZE_DEFAULT } from '../../domain/limits.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { type PlanFields, PlanFieldsSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import {
  type UpdateAccountRequest,
  UpdateAccountRequestSchema,
} from '../../grpc/gen/assay/v1/account_service_pb.ts';
import {
  type CreateNoticeRuleRequest,
  CreateNoticeRuleRequestSchema,
} from '../../grpc/gen/assay/v1/notify_service_pb.ts';
import { type UserFields, UserFieldsSchema } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { fromField, fromMessage, toMessage, type Unlisted } from '../../grpc/messages.ts';
import type { Answer, FormName, InputRow, Operation } from '../../operations/operation.ts';
import { OPERATIONS, type OperationName } from '../../operations/operations.ts';
import { nextCursorOf, parseLineNumber } from '../../operations/pages.ts';
import { type GrpcContext, type RequestCaller, unary } from './calls.ts';
import { refuseUnlisted } from './enums.ts';
import { within } from './errors.ts';
import { EXCEPTIONS } from './exceptions.ts';

type Values = Readonly<Record<string, unknown>>;

/** The rpcs of a service that have rows. */
type WithRow<S extends DescService> = {
  [Name in keyof S['method'] & OperationName]: S['method'][Name] extends { methodKind: 'unary' }
    ? Name
    : never;
}[keyof S['method'] & OperationName];

export function handlersOf<S extends DescService>(
  context: GrpcContext,
  service: S,
): Pick<Handlers<S>, WithRow<S>> {
  const rows: Readonly<Record<string, Operation>> = OPERATIONS;
  const handlers = service.methods.flatMap((method) => {
    const operation = rows[method.localName];
    if (operation === undefined || method.methodKind !== 'unary') return [];
    return [[method.localName, handlerOf(context, method as DescMethodUnary, operation)]];
  });
  return Object.fromEntries(handlers);
}

function handlerOf(context: GrpcContext, method: DescMethodUnary, operation: Operation) {
  const { input, answer, run, isBeforeTerms } = operation;
  const form = Object.values(input).find((row) => row.form !== undefined)?.form;
  const field = form === undefined ? null : FORMS[form].field;
  const act = async ({ principal, request, signal }: RequestCaller<DescMethodUnary>) => {
    const rows = Object.entries(input).flatMap(([name, row]) => readField(method.input, request, name, row));
    const given = Object.fromEntries(rows);
    const value = await run(context.app, { principal, ...given }, signal);
    return toMessage(method.output, heldBy(answer, value, given), EXCEPTIONS);
  };
  return unary(
    context,
    method,
    (caller) => (field === null ? act(caller) : within(field, () => act(caller))),
    { beforeTerms: isBeforeTerms === true },
  );
}

/** The fields of the message that answers. */
function heldBy({ shape, fields, page }: Answer, value: unknown, { limit = 0 }: { limit?: number }): object {
  const [field = ''] = Object.keys(fields);
  if (shape === 'one') return { [field]: value };
  if (shape !== 'page' || page === undefined) return value as object;
  const lines = value as readonly Values[];
  return { [field]: lines, nextPageToken: nextCursorOf(lines, page, limit) ?? '' };
}

/** The name with its value; empty if an optional value was left out. */
function readField(schema: DescMessage, message: object, name: string, row: InputRow): [string, unknown][] {
  const values = message as Values;
  if (row.form !== undefined) {
    const { field, read } = FORMS[row.form];
    return [[name, read((field === null ? message : values[field]) as never)]];
  }
  if (row.page === 'limit') return [[name, pageSizeOf(values.pageSize as number)]];
  if (row.page === 'before') return [[name, parseLineNumber({ page_token: values.pageToken }, 'page_token')]];
  const field = schema.field[name];
  if (field === undefined) throw new Error(`${schema.typeName} has no field ${name}`);
  const value = fromField(field, values[name], refuseUnlisted, field.name);
  const isUnsaid = value === undefined || value === '' || (value === 0 && row.isNoneZero !== true);
  if (row.isOptional === true && isUnsaid) return [];
  if (value !== undefined) return [[name, value]];
  throw badField(field.name, `expected ${expectedOf(row)}, found none`);
}

function expectedOf({ type }: InputRow): string {
  return typeof type === 'object' && 'choice' in type ? `one of ${type.choice.words.join(', ')}` : 'a value';
}

/** In proto3 a number that was not sent is 0. */
export const pageSizeOf = (pageSize: number): number => (pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize);

interface Form {
  /** The request's field that holds them; null if they are fields of the request. */
  readonly field: string | null;
  read(fields: never): RawFields;
}

export const FORMS: Readonly<Record<FormName, Form>> = {
  account: { field: null, read: fromAccount },
  noticeRule: { field: null, read: fromNoticeRule },
  plan: { field: 'plan', read: fromPlanFields },
  user: { field: 'user', read: fromUserFields },
};

/** How the fields that a noun is written with are read: under the documented names; what a message leaves out is absent. */
function fromAccount(request: UpdateAccountRequest): RawFields {
  return fromMessage(UpdateAccountRequestSchema, request, refuseUnlisted);
}

function fromNoticeRule(request: CreateNoticeRuleRequest): RawFields {
  const { name, ...rest } = fromMessage(CreateNoticeRuleRequestSchema, request, refuseUnlisted);
  return { ...rest, ...(name === '' ? {} : { name }) };
}

export function fromUserFields(fields: UserFields | undefined): RawFields {
  if (fields === undefined) return {};
  const said = fromMessage(UserFieldsSchema, fields, refuseUnlisted);
  return {
    ...said,
    partner_id: said.partner_id === 0 ? null : said.partner_id,
    c2pa_policy: fields.c2paPolicy === undefined ? undefined : (said.c2pa_policy ?? null),
  };
}

export function fromPlanFields(plan: PlanFields | undefined): RawFields {
  if (plan === undefined) return {};
  const said = fromMessage(PlanFieldsSchema, plan, refuseKind);
  return {
    ...said,
    option_credits: Object.keys(plan.optionCredits).length === 0 ? undefined : said.option_credits,
    models: plan.models?.all === true ? 'all' : plan.models?.values,
  };
}

/** An unspecified value in a list is a fault; the kinds are the only list of values. */
const refuseKind: Unlisted = (value, field) => {
  if (value === 0) throw badField(field, 'expected a media kind, found none');
  return refuseUnlisted(value, field);
};
