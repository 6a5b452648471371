/** Accounts, keys, ledger and deliveries as rows for a person. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { PLAN_OPTIONS } from '../../domain/plan-option.ts';
import {
  type ApiKey,
  C2paPolicy,
  type LedgerEntry,
  LedgerReason,
  type Plan,
  Role,
  type User,
} from '../../grpc/gen/assay/v1/account_pb.ts';
import { MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import { DeliveryState, type WebhookDelivery } from '../../grpc/gen/assay/v1/webhook_pb.ts';
import { nameOf } from './enum-word.ts';

/** To the second; empty if there is none. */
export function formatTimestamp(at: Timestamp | undefined): string {
  return at === undefined ? '' : new Date(timestampMs(at)).toISOString().replace(/\.\d+Z$/, 'Z');
}

export const USER_HEAD = ['id', 'e-mail', 'name', 'role', 'plan', 'credits', 'partner', 'note'] as const;

export function toUserRow(user: User): string[] {
  const notes = [
    ...(user.readonly ? ['read-only'] : []),
    ...(user.emailVerifiedAt === undefined ? ['e-mail not verified'] : []),
  ];
  return [
    String(user.id),
    user.email,
    user.name,
    nameOf(Role, user.role),
    user.pricing?.name ?? '',
    String(user.balance),
    user.partner?.email ?? '',
    notes.join(', '),
  ];
}

export const KEY_HEAD = ['id', 'name', 'made', 'last used'] as const;

export function toKeyRow(key: ApiKey): string[] {
  return [
    String(key.id),
    key.name,
    formatTimestamp(key.createdAt),
    formatTimestamp(key.lastUsedAt) || 'never',
  ];
}

export const PLAN_HEAD = ['id', 'name', 'kinds and credits', 'options', 'models', 'calls a minute'] as const;

export function toPlanRow(plan: Plan): string[] {
  const kinds = plan.kinds.map(({ kind, credits }) => `${nameOf(MediaKind, kind)} ${credits}`);
  return [
    String(plan.id),
    plan.name,
    kinds.join(', '),
    describeOptions(plan),
    plan.allModels ? 'all' : plan.models.join(', ') || 'none',
    plan.rateLimitPerMinute === 0 ? 'any number' : String(plan.rateLimitPerMinute),
  ];
}

/** `all` if nothing is withheld: the list of all would be wider than a terminal. */
function describeOptions({ options, optionCredits }: Plan): string {
  const priced = (option: string): string => {
    const credits = optionCredits[option] ?? 0n;
    return credits === 0n ? option : `${option} +${credits}`;
  };
  if (PLAN_OPTIONS.some((option) => !options.includes(option)))
    return options.map(priced).join(', ') || 'none';
  return ['all', ...options.filter((option) => optionCredits[option]).map(priced)].join(', ');
}

export function describePlan(plan: Plan): (readonly [string, string])[] {
  const [, , kinds = '', options = '', models = '', rate = ''] = toPlanRow(plan);
  const sizes = plan.kinds.map(
    ({ kind, fileBytesMax }) => `${nameOf(MediaKind, kind)} ${fileBytesMax} bytes`,
  );
  return [
    ['id', String(plan.id)],
    ['name', plan.name],
    ['sku', plan.sku],
    ['kinds and credits', kinds],
    ['options', options],
    ['models', models],
    ['calls a minute', rate],
    ['largest file', sizes.join(', ')],
    ['c2pa forces', nameOf(C2paPolicy, plan.c2paPolicy)],
    ['media kept', plan.zeroRetention ? 'not at all' : formatDays(plan.mediaDays, 'as long as the record')],
    ['records kept', formatDays(plan.recordDays, 'for ever')],
  ];
}

function formatDays(days: number, none: string): string {
  return days === 0 ? none : `${days} days`;
}

export function toLedgerRow(entry: LedgerEntry): string[] {
  const amount = entry.amount > 0n ? `+${entry.amount}` : String(entry.amount);
  return [
    formatTimestamp(entry.at),
    nameOf(LedgerReason, entry.reason),
    amount.padStart(9),
    entry.identifier,
  ];
}

export const DELIVERY_HEAD = ['id', 'made', 'state', 'attempts', 'last answer', 'to'] as const;

export function toDeliveryRow(delivery: WebhookDelivery): string[] {
  const last = delivery.attempts.at(-1);
  const answer = last === undefined ? '' : last.error || String(last.status ?? '');
  return [
    delivery.id,
    formatTimestamp(delivery.createdAt),
    nameOf(DeliveryState, delivery.state),
    String(delivery.attempts.length),
    answer,
    delivery.url,
  ];
}
