/** Options for the fields of a user, the same for making and changing one. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Option } from 'commander';
import { ROLES } from '../../domain/accounts/account.ts';
import { ACCOUNT_DETAILS } from '../../domain/contract/account.ts';
import { rowsOf } from '../../domain/field.ts';
import { HEURISTIC_NAMES } from '../../domain/verdicts/heuristics.ts';
import { Role } from '../../grpc/gen/assay/v1/account_pb.ts';
import type { UserFieldsSchema } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import type { AssayClient } from './client.ts';
import { findPlan, findUserId } from './lookups.ts';

type UserFieldsInit = Exclude<MessageInitShape<typeof UserFieldsSchema>, { $typeName: string }>;

const DETAILS = rowsOf(ACCOUNT_DETAILS);
const TEXT_FIELDS = ['name', ...DETAILS.map(([field]) => field)] as const;

export type UserOptions = { [K in (typeof TEXT_FIELDS)[number]]?: string } & {
  json?: true;
  email?: string;
  heuristic?: string;
  readonly?: boolean;
  plan?: string;
  role?: (typeof ROLES)[number];
  partner?: string;
};

const ROLE_VALUES = { user: Role.USER, partner: Role.PARTNER, admin: Role.ADMIN } as const;

/** All but the name, which is required. */
export function userOptions(): Option[] {
  return [
    ...DETAILS.map(([field, { description = '' }]) => new Option(`--${field} <text>`, toHelp(description))),
    new Option('--heuristic <name>', 'the heuristic that gives the verdict').choices(HEURISTIC_NAMES),
    new Option('--readonly', 'may only view results'),
    new Option('--no-readonly', 'may submit'),
    new Option('--plan <plan>', 'pricing plan: its id, name or SKU'),
    new Option('--role <role>', 'administrators only').choices(ROLES),
    new Option('--partner <user>', 'whose user it is: id or e-mail address, or none (administrators only)'),
  ];
}

/** A sentence of the contract as help writes it. */
function toHelp(sentence: string): string {
  const isAbbreviated = /^[A-Z]{2}/.test(sentence);
  const first = sentence.charAt(0);
  return `${isAbbreviated ? first : first.toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}

/** Only the options that were given; plans and partners are looked up. */
export async function toUserFields(client: AssayClient, options: UserOptions): Promise<UserFieldsInit> {
  const fields: UserFieldsInit = {};
  for (const field of [...TEXT_FIELDS, 'email', 'heuristic'] as const) {
    const value = options[field];
    if (value !== undefined) fields[field] = value;
  }
  if (options.readonly !== undefined) fields.readonly = options.readonly;
  if (options.role !== undefined) fields.role = ROLE_VALUES[options.role];
  if (options.plan !== undefined) fields.pricingId = (await findPlan(client, options.plan)).id;
  if (options.partner === 'none') fields.partnerId = 0n;
  else if (options.partner !== undefined) fields.partnerId = await findUserId(client, options.partner);
  return fields;
}
