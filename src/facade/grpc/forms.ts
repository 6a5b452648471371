/** How the fields that a noun is written with are read: under the documented names; what a message leaves out is absent. */
import type { RawFields } from '../../app/field-parsers.ts';
import { badField } from '../../domain/errors.ts';
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
import { fromMessage, type Unlisted } from '../../grpc/messages.ts';
import type { FormName } from '../../operations/operation.ts';
import { refuseUnlisted } from './enums.ts';

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
