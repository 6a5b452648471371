/** What `assay user` changes; each prints the user as it is then. */

import { showText } from '../../domain/shown-text.ts';
import { type User, UserSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { PartnerService } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { findUserId } from '../daemon/lookups.ts';
import { toUserFields, type UserOptions } from '../daemon/user-options.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';
import { formatTimestamp, toUserRow, USER_HEAD } from '../views/account-view.ts';
import { toJsonLine } from '../views/message-json.ts';
import { type OutcomeOptions, printOutcome } from '../views/outcome.ts';
import { formatTable } from '../views/table.ts';

export interface GrantOptions extends OutcomeOptions {
  note: string;
}

function printUser(terminal: Terminal, user: User | undefined, options: { json?: true }): void {
  if (user === undefined) return;
  const line =
    options.json === true ? toJsonLine(UserSchema, user) : formatTable(USER_HEAD, [toUserRow(user)]);
  printLine(terminal, line);
}

export async function createUser(terminal: Terminal, email: string, options: UserOptions): Promise<void> {
  using client = await openClient(terminal);
  const fields = { ...(await toUserFields(client, options)), email };
  const { user } = await client.call(PartnerService.method.createUser, { user: fields });
  printUser(terminal, user, options);
  if (options.json !== true) printNote(terminal, `assay user send-email ${email} mails the link to sign in`);
}

export async function setUser(terminal: Terminal, named: string, options: UserOptions): Promise<void> {
  using client = await openClient(terminal);
  const fields = await toUserFields(client, options);
  if (Object.keys(fields).length === 0) {
    throw new CliFailure('nothing to change: assay user set --help lists what can be', EXIT_CODES.usage);
  }
  const id = await findUserId(client, named);
  const { user } = await client.call(PartnerService.method.updateUser, { id, user: fields });
  printUser(terminal, user, options);
}

export async function deleteUser(terminal: Terminal, named: string, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const id = await findUserId(client, named);
  const { user } = await client.call(PartnerService.method.deleteUser, { id });
  const email = user?.email ?? '';
  printOutcome(terminal, options, { id, email, deleted: true }, `deleted: user ${id} (${showText(email)})`);
}

export async function resetPassword(
  terminal: Terminal,
  email: string,
  options: OutcomeOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const { link, expiresAt } = await client.call(ApplianceService.method.resetPassword, { email });
  const until = formatTimestamp(expiresAt);
  if (options.json !== true) printNote(terminal, `works once, until ${until}:`);
  printOutcome(terminal, options, { link, expires_at: until }, link);
}

export async function sendEmail(terminal: Terminal, named: string, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const id = await findUserId(client, named);
  const { user } = await client.call(PartnerService.method.sendCreationEmail, { id });
  const email = user?.email ?? '';
  printOutcome(terminal, options, { id, email, sent: true }, `sent to ${showText(email)}`);
}

export async function grantCredits(
  terminal: Terminal,
  named: string,
  amountText: string,
  options: GrantOptions,
): Promise<void> {
  const { note } = options;
  if (!/^-?[1-9]\d{0,14}$/.test(amountText)) {
    const message = `credits: expected a whole number other than 0, found ${amountText}`;
    throw new CliFailure(message, EXIT_CODES.usage);
  }
  using client = await openClient(terminal);
  const request = { id: await findUserId(client, named), amount: BigInt(amountText), note };
  const { user } = await client.call(ApplianceService.method.grantCredits, request);
  const { id, email = '', balance = 0 } = user ?? {};
  const text = `${showText(email)} has ${balance} credits`;
  printOutcome(terminal, options, { id: id ?? request.id, email, balance }, text);
}
