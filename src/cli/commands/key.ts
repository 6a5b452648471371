import { Option } from 'commander';
import { type ApiKey, ApiKeySchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import type { AssayClient } from '../daemon/client.ts';
import { findUserId, rowIdParser } from '../daemon/lookups.ts';
import { type Argument, commandsOf, listing, outcome } from '../rows/row.ts';
import { askPassword } from '../terminal/password-prompt.ts';
import { toJsonObject } from '../views/message-json.ts';

interface Owned {
  id: bigint;
  name: string;
  user?: string;
}

interface Secret {
  key?: ApiKey | undefined;
  secret: string;
}

const { method } = AccountService;
const KEY: readonly Argument[] = [['id', '<key>', 'its id, as assay key list shows it', rowIdParser('key')]];

/** 0 stands for the caller itself. */
const OF_OWNER = {
  options: [new Option('--user <user>', 'for a user that you manage: its id or e-mail address')],
  request: async ({ user, ...said }: Owned, client: AssayClient) => ({
    ...said,
    userId: user === undefined ? 0n : await findUserId(client, user),
  }),
};

/** Only the secret goes to standard output, so that a script can read it. */
const SECRET = {
  ...OF_OWNER,
  json: 'the key and its secret as one line of JSON',
  outcome: ({ key, secret }: Secret) => ({ ...(key && toJsonObject(ApiKeySchema, key)), secret }),
  note: ({ key }: Secret) => key && `key ${key.id} (${key.name}):`,
  text: ({ secret }: Secret) => secret,
};

export const addKeyCommand = commandsOf('key', 'the API keys of your account', [
  listing('list', 'list the keys without their secrets', method.listKeys, 'keys', {
    ...OF_OWNER,
    isDefault: true,
    json: 'one key per line',
    columns: {
      id: 'id',
      name: 'name',
      made: 'createdAt',
      'last used': ['lastUsedAt', 'never'],
    },
  }),
  outcome('create', 'make a key and print its secret', method.createKey, {
    ...SECRET,
    takes: [['name', '<name>', 'what it is for']],
  }),
  outcome(
    'reveal',
    "print a key's secret; asks for the account's password, or reads it from standard input",
    method.revealKey,
    {
      takes: KEY,
      request: async ({ id }: Owned, _client, terminal) => ({
        id,
        password: await askPassword(terminal, 'password of the account'),
      }),
      outcome: ({ secret }, { id }) => ({ id, secret }),
      text: ({ secret }) => secret,
    },
  ),
  outcome('replace', 'give a key a new secret and print it; the old one stops at once', method.replaceKey, {
    ...SECRET,
    takes: KEY,
  }),
  outcome('revoke', 'stop a key for good', method.revokeKey, {
    ...OF_OWNER,
    takes: KEY,
    outcome: ({ key }, { id }) => ({ id, name: key?.name ?? '', revoked: true }),
    text: ({ key }, { id }) => `revoked: key ${id}${key === undefined ? '' : ` (${key.name})`}`,
  }),
]);
