/** Accounts, plans, keys, ledger and deliveries as messages, and the fields of users and plans as the app reads them. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RawFields } from '../../app/submissions/input.ts';
import type { Plan } from '../../domain/accounts/plan.ts';
import type { UserView } from '../../domain/contract/account.ts';
import type { DeliveryAttempt } from '../../domain/contract/delivery.ts';
import { badField } from '../../domain/errors.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import type { WebhookDelivery } from '../../domain/records/webhook.ts';
import {
  type PlanFields,
  PlanFieldsSchema,
  PlanSchema,
  UserSchema,
} from '../../grpc/gen/assay/v1/account_pb.ts';
import { type UserFields, UserFieldsSchema } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { WebhookDeliverySchema } from '../../grpc/gen/assay/v1/webhook_pb.ts';
import { fromMessage, toMessage, type Unlisted } from '../../grpc/messages.ts';
import { refuseUnlisted } from './enums.ts';

export function toUser(view: UserView): MessageInitShape<typeof UserSchema> {
  return toMessage(UserSchema, view);
}

export const PLAN_EXCEPTIONS = {
  'assay.v1.Plan': {
    kinds: ({ kinds, credits, fileBytesMax }: Plan) =>
      MEDIA_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => ({
        kind,
        credits: credits[kind],
        fileBytesMax: fileBytesMax[kind],
      })),
    models: ({ models }: Plan) => (models === 'all' ? undefined : models),
    allModels: ({ models }: Plan) => models === 'all',
  },
};

export function toPlan(plan: Plan): MessageInitShape<typeof PlanSchema> {
  return toMessage(PlanSchema, plan, PLAN_EXCEPTIONS);
}

const DELIVERY_EXCEPTIONS = {
  'assay.v1.DeliveryAttempt': { elapsedMs: ({ elapsedMs }: DeliveryAttempt) => Math.round(elapsedMs) },
};

export function toDelivery(delivery: WebhookDelivery): MessageInitShape<typeof WebhookDeliverySchema> {
  return toMessage(WebhookDeliverySchema, delivery, DELIVERY_EXCEPTIONS);
}

/** Under the documented names; what is absent in the message is absent here. */
export function fromUserFields(fields: UserFields | undefined): RawFields {
  if (fields === undefined) return {};
  const said = fromMessage(UserFieldsSchema, fields, refuseUnlisted);
  return {
    ...said,
    partner_id: said.partner_id === 0 ? null : said.partner_id,
    c2pa_policy: fields.c2paPolicy === undefined ? undefined : (said.c2pa_policy ?? null),
  };
}

/** What is absent in the message is absent here. */
export function fromPlanFields(plan: PlanFields | undefined): RawFields {
  if (plan === undefined) return {};
  const said = fromMessage(PlanFieldsSchema, plan, refuseKind);
  return {
    ...said,
    option_credits: Object.keys(plan.optionCredits).length === 0 ? undefined : said.option_credits,
    models: plan.models?.all === true ? 'all' : plan.models?.values,
  };
}

/** In a list an unspecified value is a fault, and the kinds are the only list of values. */
const refuseKind: Unlisted = (value, field) => {
  if (value === 0) throw badField(field, 'expected a media kind, found none');
  return refuseUnlisted(value, field);
};
