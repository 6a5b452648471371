/** Accounts, plans, keys, ledger and deliveries as messages, and the fields of users and plans as the app reads them. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { UserView } from '../../app/accounts/user-view.ts';
import type { RawFields } from '../../app/submissions/input.ts';
import type { LedgerEntry, Role } from '../../domain/accounts/account.ts';
import type { C2paPolicy, Plan } from '../../domain/accounts/plan.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import type { WebhookDelivery } from '../../domain/records/webhook.ts';
import { toTimestamp } from '../../domain/time.ts';
import {
  type LedgerEntrySchema,
  LedgerReason,
  type PlanSchema,
  C2paPolicy as ProtoPolicy,
  Role as ProtoRole,
  type UserSchema,
} from '../../grpc/gen/assay/v1/account_pb.ts';
import type { UserFields } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { DeliveryState, type WebhookDeliverySchema } from '../../grpc/gen/assay/v1/webhook_pb.ts';
import { fromEnum, KIND } from './enums.ts';

const ROLE: Readonly<Record<Role, ProtoRole>> = {
  user: ProtoRole.USER,
  partner: ProtoRole.PARTNER,
  admin: ProtoRole.ADMIN,
};

const POLICY: Readonly<Record<C2paPolicy, ProtoPolicy>> = {
  any: ProtoPolicy.ANY,
  generative: ProtoPolicy.GENERATIVE,
  never: ProtoPolicy.NEVER,
};

const LEDGER_REASON: Readonly<Record<LedgerEntry['reason'], LedgerReason>> = {
  grant: LedgerReason.GRANT,
  charge: LedgerReason.CHARGE,
  refund: LedgerReason.REFUND,
};

const DELIVERY_STATE: Readonly<Record<WebhookDelivery['state'], DeliveryState>> = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  failed: DeliveryState.FAILED,
  gone: DeliveryState.GONE,
};

const ROLES = ['user', 'partner', 'admin'] as const;
const POLICIES = ['any', 'generative', 'never'] as const;

/** Undefined where it is unspecified. */
export function fromRole(role: ProtoRole, field: string): Role | undefined {
  return fromEnum(ROLE, ROLES, role, field);
}

/** Undefined where it is unspecified. */
export function fromPolicy(policy: ProtoPolicy, field: string): C2paPolicy | undefined {
  return fromEnum(POLICY, POLICIES, policy, field);
}

export function toUser(view: UserView): MessageInitShape<typeof UserSchema> {
  const { id, balance, role, c2paPolicy, pricing, partner, createdAt, updatedAt } = view;
  const { name, email, heuristic, readonly, hasPassword } = view;
  return {
    ...{ name, email, heuristic, readonly, hasPassword },
    ...detailsOf(view),
    id: BigInt(id),
    balance: BigInt(balance),
    role: ROLE[role],
    c2paPolicy: c2paPolicy === null ? ProtoPolicy.UNSPECIFIED : POLICY[c2paPolicy],
    pricing: { ...pricing, id: BigInt(pricing.id) },
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
    ...timeUnlessNull('emailVerifiedAt', view.emailVerifiedAt),
    ...timeUnlessNull('termsAcceptedAt', view.termsAcceptedAt),
    ...(partner === null ? {} : { partner: toUser(partner) }),
  };
}

const DETAILS = ['address', 'zip', 'city', 'country', 'phone', 'contact', 'vat'] as const;
type Detail = (typeof DETAILS)[number];

function detailsOf(view: UserView): Partial<Record<Detail, string>> {
  const details: Partial<Record<Detail, string>> = {};
  for (const name of DETAILS) {
    const value = view[name];
    if (value !== null) details[name] = value;
  }
  return details;
}

/** A message has no null: a time that is not set is left out. */
export function timeUnlessNull<const N extends string>(
  name: N,
  at: number | null,
): { [K in N]?: ReturnType<typeof toTimestamp> } {
  return (at === null ? {} : { [name]: toTimestamp(at) }) as { [K in N]?: ReturnType<typeof toTimestamp> };
}

export function toPlan(plan: Plan): MessageInitShape<typeof PlanSchema> {
  const { name, sku, options, rateLimitPerMinute, mediaDays, recordDays, zeroRetention } = plan;
  const prices = Object.entries(plan.optionCredits).map(([option, credits]) => [option, BigInt(credits)]);
  return {
    ...{ name, sku, options, rateLimitPerMinute, mediaDays, recordDays, zeroRetention },
    id: BigInt(plan.id),
    kinds: MEDIA_KINDS.filter((kind) => plan.kinds.includes(kind)).map((kind) => ({
      kind: KIND[kind],
      credits: BigInt(plan.credits[kind]),
      fileBytesMax: BigInt(plan.fileBytesMax[kind]),
    })),
    optionCredits: Object.fromEntries(prices),
    ...(plan.models === 'all' ? { allModels: true } : { models: plan.models }),
    c2paPolicy: POLICY[plan.c2paPolicy],
  };
}

export function toLedgerEntry(entry: LedgerEntry): MessageInitShape<typeof LedgerEntrySchema> {
  const { sequence, amount, reason, identifier, at } = entry;
  return {
    identifier,
    sequence: BigInt(sequence),
    amount: BigInt(amount),
    reason: LEDGER_REASON[reason],
    at: toTimestamp(at),
  };
}

export function toDelivery(delivery: WebhookDelivery): MessageInitShape<typeof WebhookDeliverySchema> {
  const { id, identifier, url, state, createdAt, nextAttemptAt, attempts } = delivery;
  return {
    ...{ id, identifier, url },
    state: DELIVERY_STATE[state],
    createdAt: toTimestamp(createdAt),
    ...timeUnlessNull('nextAttemptAt', nextAttemptAt),
    attempts: attempts.map(({ at, status, error, elapsedMs }) => ({
      error,
      at: toTimestamp(at),
      elapsedMs: BigInt(Math.round(elapsedMs)),
      ...(status === null ? {} : { status }),
    })),
  };
}

/** Under the documented names; what is absent in the message is absent here. */
export function fromUserFields(fields: UserFields | undefined): RawFields {
  if (fields === undefined) return {};
  const { email, readonly, pricingId, partnerId, c2paPolicy } = fields;
  return {
    ...fromOwnFields(fields),
    email,
    readonly,
    pricing_id: pricingId === undefined ? undefined : Number(pricingId),
    role: fromRole(fields.role, 'role'),
    partner_id: partnerId === undefined ? undefined : partnerId === 0n ? null : Number(partnerId),
    c2pa_policy: c2paPolicy === undefined ? undefined : (fromPolicy(c2paPolicy, 'c2pa_policy') ?? null),
  };
}

/** What an account may change of itself. */
export function fromOwnFields(fields: Pick<UserFields, Detail> & OwnTexts): RawFields {
  const { name, address, zip, city, country, phone, contact, vat, heuristic } = fields;
  return { name, address, zip, city, country, phone, contact, vat, heuristic };
}

interface OwnTexts {
  name?: string | undefined;
  heuristic?: string | undefined;
}
