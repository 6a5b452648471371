import type { MessageInitShape } from '@bufbuild/protobuf';
import { Option } from 'commander';
import { ROLES } from '../../domain/accounts/account.ts';
import { ACCOUNT_DETAILS } from '../../domain/contract/account.ts';
import { rowsOf } from '../../domain/field.ts';
import { showText } from '../../domain/shown-text.ts';
import { HEURISTIC_NAMES } from '../../domain/verdicts/heuristics.ts';
import { Role, type User, UserSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import {
  PartnerService,
  SortDirection,
  type UserFieldsSchema,
} from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import type { AssayClient } from '../daemon/client.ts';
import { findPlan, findUserId } from '../daemon/lookups.ts';
import { type Argument, change, commandsOf, listing, outcome } from '../rows/row.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { type Columns, headOf, toCells } from '../views/cells.ts';
import { formatTable } from '../views/table.ts';
import { formatTimestamp } from '../views/timestamp.ts';

type UserFieldsInit = Exclude<MessageInitShape<typeof UserFieldsSchema>, { $typeName: string }>;

const DETAILS = rowsOf(ACCOUNT_DETAILS);
const TEXT_FIELDS = ['name', ...DETAILS.map(([field]) => field)] as const;

type UserOptions = { [K in (typeof TEXT_FIELDS)[number]]?: string } & {
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
function userOptions(): Option[] {
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
async function toUserFields(client: AssayClient, options: UserOptions): Promise<UserFieldsInit> {
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

interface ListOptions {
  filter?: string;
  plan?: string;
  sort?: string;
  descending?: true;
}

interface Named {
  named: string;
}

const { method } = PartnerService;
const appliance = ApplianceService.method;
const USER: readonly Argument[] = [['named', '<user>', 'its id or e-mail address']];
const OF_USER = {
  takes: USER,
  request: async ({ named }: Named, client: AssayClient) => ({ id: await findUserId(client, named) }),
};

const COLUMNS: Columns<User> = {
  id: 'id',
  'e-mail': 'email',
  name: 'name',
  role: 'role',
  plan: ({ pricing }) => pricing?.name ?? '',
  credits: 'balance',
  partner: ({ partner }) => partner?.email ?? '',
  note: ({ readonly, emailVerifiedAt }) =>
    [readonly ? 'read-only' : '', emailVerifiedAt === undefined ? 'e-mail not verified' : '']
      .filter(Boolean)
      .join(', '),
};

const text = (user: User): string => formatTable(headOf(COLUMNS), [toCells(UserSchema, COLUMNS, user)]);
const emailOf = (user: User | undefined): string => user?.email ?? '';

export const addUserCommand = commandsOf('user', 'users: a partner manages its own, an administrator all', [
  listing('list', 'list users', method.listUsers, 'users', {
    isDefault: true,
    json: 'one user per line',
    options: [
      new Option('--filter <text>', 'part of a name or an e-mail address'),
      new Option('--plan <plan>', 'only users of this plan: its id, name or SKU'),
      new Option('--sort <field>', 'field to order by, such as name, email, created_at or balance'),
      new Option('--descending', 'the last first'),
    ],
    request: async ({ filter = '', sort = '', plan, descending }: ListOptions, client) => ({
      filter,
      sort,
      direction: descending === true ? SortDirection.DESC : SortDirection.ASC,
      pricingId: plan === undefined ? 0n : (await findPlan(client, plan)).id,
    }),
    columns: COLUMNS,
  }),
  change('create', 'make a user', method.createUser, 'user', {
    takes: [['email', '<email>', 'e-mail address']],
    options: [new Option('--name <text>', '(required) its name').makeOptionMandatory(), ...userOptions()],
    request: async (said: UserOptions, client) => ({ user: await toUserFields(client, said) }),
    text,
    note: ({ email }) => `assay user send-email ${email} mails the link to sign in`,
  }),
  change('set', 'change a user', method.updateUser, 'user', {
    takes: USER,
    options: [
      ...userOptions(),
      new Option('--name <text>', 'another name'),
      new Option('--email <email>', 'another e-mail address'),
    ],
    request: async ({ named, ...said }: UserOptions & Named, client) => {
      const user = await toUserFields(client, said);
      if (Object.keys(user).length === 0) {
        throw new CliFailure('nothing to change: assay user set --help lists what can be', EXIT_CODES.usage);
      }
      return { id: await findUserId(client, named), user };
    },
    text,
  }),
  outcome('delete', 'delete a user; its keys stop at once', method.deleteUser, {
    ...OF_USER,
    outcome: ({ user }) => ({ id: user?.id, email: emailOf(user), deleted: true }),
    text: ({ user }) => `deleted: user ${user?.id} (${showText(emailOf(user))})`,
  }),
  outcome(
    'reset',
    'print a single-use link with which a user sets a new password (administrators)',
    appliance.resetPassword,
    {
      takes: [['email', '<email>', 'its e-mail address']],
      outcome: ({ link, expiresAt }) => ({ link, expires_at: formatTimestamp(expiresAt) }),
      note: ({ expiresAt }) => `works once, until ${formatTimestamp(expiresAt)}:`,
      text: ({ link }) => link,
    },
  ),
  outcome(
    'send-email',
    'mail a user a link to set the first password, or to reset it',
    method.sendCreationEmail,
    {
      ...OF_USER,
      outcome: ({ user, sent, file }) => ({ id: user?.id, email: emailOf(user), sent, file }),
      text: ({ user, sent, file }) =>
        sent ? `sent to ${showText(emailOf(user))}` : unsent(emailOf(user), file),
    },
  ),
  outcome(
    'grant',
    'add credits, or take some back: assay user grant USER -- -5 (administrators)',
    appliance.grantCredits,
    {
      takes: [...USER, ['amount', '<credits>', 'how many']],
      options: [new Option('--note <text>', 'why, for the audit log').default('')],
      request: async ({ named, amount, note }: Named & { amount: string; note: string }, client) => {
        if (!/^-?[1-9]\d{0,14}$/.test(amount)) {
          const message = `credits: expected a whole number other than 0, found ${amount}`;
          throw new CliFailure(message, EXIT_CODES.usage);
        }
        return { id: await findUserId(client, named), amount: BigInt(amount), note };
      },
      outcome: ({ user }) => ({ id: user?.id, email: emailOf(user), balance: user?.balance }),
      text: ({ user }) => `${showText(emailOf(user))} has ${user?.balance} credits`,
    },
  ),
]);

/** The link in the mail opens the account, so only the user gets it. */
function unsent(email: string, file: string): string {
  return `not sent: no mail server is set (assay config explain mail.smtp_url). The mail lies in ${file} on the box: hand it to ${showText(email)}, or print a link with assay user reset ${showText(email)}`;
}
