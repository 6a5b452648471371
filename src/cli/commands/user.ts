/** `assay user`: accounts, for partners their own users, for administrators all. */

import type { Command } from 'commander';
import { UserSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { PartnerService, SortDirection } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { findPlan } from '../daemon/lookups.ts';
import { allOption, type CountOptions, limitOption, readPages } from '../daemon/pages.ts';
import { addUserOptions, type UserOptions } from '../daemon/user-options.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { toUserRow, USER_HEAD } from '../views/account-view.ts';
import { toJsonLine } from '../views/message-json.ts';
import { type OutcomeOptions, outcomeOption } from '../views/outcome.ts';
import { formatTable } from '../views/table.ts';
import {
  createUser,
  deleteUser,
  type GrantOptions,
  grantCredits,
  resetPassword,
  sendEmail,
  setUser,
} from './user-changes.ts';

interface ListOptions extends CountOptions {
  json?: true;
  filter?: string;
  plan?: string;
  sort?: string;
  descending?: true;
}

const USER = 'its id or e-mail address';

export function addUserCommand(program: Command, terminal: Terminal): void {
  const user = program.command('user').description('users: a partner manages its own, an administrator all');
  user
    .command('list', { isDefault: true })
    .description('list them')
    .option('--json', 'one user per line')
    .option('--filter <text>', 'part of a name or an e-mail address')
    .option('--plan <plan>', 'only users of this plan: its id, name or SKU')
    .option('--sort <field>', 'field to order by, such as name, email, created_at or balance')
    .option('--descending', 'the last first')
    .addOption(allOption())
    .addOption(limitOption())
    .action((options: ListOptions) => listUsers(terminal, options));
  addUserOptions(
    user
      .command('create')
      .description('make a user')
      .argument('<email>', 'e-mail address')
      .requiredOption('--name <text>', '(required) its name'),
  ).action((email: string, options: UserOptions) => createUser(terminal, email, options));
  addUserOptions(user.command('set').description('change a user').argument('<user>', USER))
    .option('--name <text>', 'another name')
    .option('--email <email>', 'another e-mail address')
    .action((named: string, options: UserOptions) => setUser(terminal, named, options));
  addUserChanges(user, terminal);
}

function addUserChanges(user: Command, terminal: Terminal): void {
  user
    .command('delete')
    .description('delete a user; its keys stop at once')
    .argument('<user>', USER)
    .addOption(outcomeOption())
    .action((named: string, options: OutcomeOptions) => deleteUser(terminal, named, options));
  user
    .command('reset')
    .description('print a single-use link with which a user sets a new password (administrators)')
    .argument('<email>', 'its e-mail address')
    .addOption(outcomeOption())
    .action((email: string, options: OutcomeOptions) => resetPassword(terminal, email, options));
  user
    .command('send-email')
    .description('mail a user a link to set the first password, or to reset it')
    .argument('<user>', USER)
    .addOption(outcomeOption())
    .action((named: string, options: OutcomeOptions) => sendEmail(terminal, named, options));
  user
    .command('grant')
    .description('add credits, or take some back: assay user grant USER -- -5 (administrators)')
    .argument('<user>', USER)
    .argument('<credits>', 'how many')
    .option('--note <text>', 'why, for the audit log', '')
    .addOption(outcomeOption())
    .action((named: string, amount: string, options: GrantOptions) =>
      grantCredits(terminal, named, amount, options),
    );
}

async function listUsers(terminal: Terminal, options: ListOptions): Promise<void> {
  using client = await openClient(terminal);
  const { filter = '', sort = '' } = options;
  const pricingId = options.plan === undefined ? 0n : (await findPlan(client, options.plan)).id;
  const direction = options.descending === true ? SortDirection.DESC : SortDirection.ASC;
  const users = readPages(options, async (page) => {
    const request = { ...page, filter, sort, direction, pricingId };
    const answer = await client.call(PartnerService.method.listUsers, request);
    return { items: answer.users, nextPageToken: answer.nextPageToken };
  });
  const rows: string[][] = [];
  for await (const user of users) {
    if (options.json === true) printLine(terminal, toJsonLine(UserSchema, user));
    else rows.push(toUserRow(user));
  }
  if (options.json !== true) printLine(terminal, formatTable(USER_HEAD, rows));
}
