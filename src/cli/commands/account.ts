/** `assay account`: the account of the key. */

import type { Command } from 'commander';
import type { Plan, User } from '../../grpc/gen/assay/v1/account_pb.ts';
import { Role, UserSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { askPassword } from '../terminal/password-prompt.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { describePlan, formatTimestamp } from '../views/account-view.ts';
import { formatColumns } from '../views/columns.ts';
import { nameOf } from '../views/enum-word.ts';
import { toJsonLine } from '../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../views/outcome.ts';

const { method } = AccountService;

export function addAccountCommand(program: Command, terminal: Terminal): void {
  const account = program.command('account').description('the account of your key');
  account
    .command('show', { isDefault: true })
    .description('show it with its plan')
    .option('--json', 'as one line of JSON')
    .action((options: { json?: true }) => showAccount(terminal, options));
  account
    .command('accept-terms')
    .description('accept the terms of service')
    .addOption(outcomeOption())
    .action((options: OutcomeOptions) => acceptTerms(terminal, options));
  account
    .command('password')
    .description('change the password: asks for the present and the new one, or reads two lines')
    .addOption(outcomeOption())
    .action((options: OutcomeOptions) => changePassword(terminal, options));
}

async function showAccount(terminal: Terminal, options: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { user, plan } = await client.call(method.getAccount, {});
  if (user === undefined) return;
  printLine(terminal, options.json === true ? toJsonLine(UserSchema, user) : describe(user, plan));
}

function describe(user: User, plan: Plan | undefined): string {
  return formatColumns([
    ['id', String(user.id)],
    ['name', user.name],
    ['e-mail', user.email],
    ['role', nameOf(Role, user.role)],
    ['credits', String(user.balance)],
    ['heuristic', user.heuristic],
    ['read-only', user.readonly ? 'yes' : 'no'],
    ['terms accepted', formatTimestamp(user.termsAcceptedAt) || 'no'],
    ['made', formatTimestamp(user.createdAt)],
    ...(plan === undefined ? [] : describePlan(plan).map(([name, value]) => [`plan: ${name}`, value])),
  ]);
}

async function acceptTerms(terminal: Terminal, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const { user } = await client.call(method.acceptTerms, {});
  const at = formatTimestamp(user?.termsAcceptedAt);
  printOutcome(terminal, options, { terms_accepted_at: at }, `accepted: ${at}`);
}

async function changePassword(terminal: Terminal, options: OutcomeOptions): Promise<void> {
  const current = await askPassword(terminal, 'present password');
  const password = await askPassword(terminal, 'new password');
  using client = await openClient(terminal);
  await client.call(method.changePassword, { current, password });
  printOutcome(terminal, options, { changed: true }, 'the password is changed');
}
