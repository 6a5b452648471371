/** `assay key`: the account's own API keys. */

import type { Command } from 'commander';
import { type ApiKey, ApiKeySchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { findUserId, rowIdParser } from '../daemon/lookups.ts';
import { askPassword } from '../terminal/password-prompt.ts';
import { printLine, printNote, type Terminal } from '../terminal/terminal.ts';
import { KEY_HEAD, toKeyRow } from '../views/account-view.ts';
import { toJsonLine } from '../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../views/outcome.ts';
import { formatTable } from '../views/table.ts';

interface KeyOptions {
  json?: true;
  user?: string;
}

const { method } = AccountService;
const ID = 'its id, as assay key list shows it';
const parseId = rowIdParser('key');
const USER = 'of a user that you manage: its id or e-mail address';

export function addKeyCommand(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('the API keys of your account');
  key
    .command('list', { isDefault: true })
    .description('list them, without their secrets')
    .option('--json', 'one key per line')
    .option('--user <user>', USER)
    .action((options: KeyOptions) => listKeys(terminal, options));
  key
    .command('create')
    .description('make a key and print its secret')
    .argument('<name>', 'what it is for')
    .option('--json', 'the key and its secret as one line of JSON')
    .option('--user <user>', USER)
    .action((name: string, options: KeyOptions) => createKey(terminal, name, options));
  key
    .command('reveal')
    .description("print a key's secret; asks for the account's password, or reads it from standard input")
    .argument('<key>', ID, parseId)
    .addOption(outcomeOption())
    .action((id: bigint, options: OutcomeOptions) => revealKey(terminal, id, options));
  key
    .command('replace')
    .description('give a key a new secret and print it; the old one stops at once')
    .argument('<key>', ID, parseId)
    .option('--json', 'the key and its secret as one line of JSON')
    .option('--user <user>', USER)
    .action((id: bigint, options: KeyOptions) => replaceKey(terminal, id, options));
  key
    .command('revoke')
    .description('stop a key for good')
    .argument('<key>', ID, parseId)
    .option('--user <user>', USER)
    .addOption(outcomeOption())
    .action((id: bigint, options: KeyOptions) => revokeKey(terminal, id, options));
}

/** 0 is the caller itself. */
async function findOwner(client: AssayClient, { user }: KeyOptions): Promise<bigint> {
  return user === undefined ? 0n : await findUserId(client, user);
}

async function listKeys(terminal: Terminal, options: KeyOptions): Promise<void> {
  using client = await openClient(terminal);
  const { keys } = await client.call(method.listKeys, { userId: await findOwner(client, options) });
  if (options.json === true) {
    for (const key of keys) printLine(terminal, toJsonLine(ApiKeySchema, key));
  } else printLine(terminal, formatTable(KEY_HEAD, keys.map(toKeyRow)));
}

async function createKey(terminal: Terminal, name: string, options: KeyOptions): Promise<void> {
  using client = await openClient(terminal);
  const userId = await findOwner(client, options);
  printSecret(terminal, await client.call(method.createKey, { name, userId }), options);
}

async function replaceKey(terminal: Terminal, id: bigint, options: KeyOptions): Promise<void> {
  using client = await openClient(terminal);
  const userId = await findOwner(client, options);
  printSecret(terminal, await client.call(method.replaceKey, { id, userId }), options);
}

/** The secret alone goes to standard output, so that a script can take it. */
function printSecret(
  terminal: Terminal,
  { key, secret }: { key?: ApiKey | undefined; secret: string },
  options: KeyOptions,
): void {
  if (options.json === true && key !== undefined) {
    printLine(terminal, JSON.stringify({ ...JSON.parse(toJsonLine(ApiKeySchema, key)), secret }));
    return;
  }
  if (key !== undefined) printNote(terminal, `key ${key.id} (${key.name}):`);
  printLine(terminal, secret);
}

async function revealKey(terminal: Terminal, id: bigint, options: OutcomeOptions): Promise<void> {
  const password = await askPassword(terminal, 'password of the account');
  using client = await openClient(terminal);
  const { secret } = await client.call(method.revealKey, { id, password });
  printOutcome(terminal, options, { id, secret }, secret);
}

async function revokeKey(terminal: Terminal, id: bigint, options: KeyOptions): Promise<void> {
  using client = await openClient(terminal);
  const userId = await findOwner(client, options);
  const { key } = await client.call(method.revokeKey, { id, userId });
  const text = `revoked: key ${id}${key === undefined ? '' : ` (${key.name})`}`;
  printOutcome(terminal, options, { id, name: key?.name ?? '', revoked: true }, text);
}
