import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { createKey } from '../../src/app/accounts/keys.ts';
import { deleteUser, updateUser } from '../../src/app/accounts/users.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { SAVED_FILTERS_MAX } from '../../src/domain/records/saved-filter.ts';
import { Outcome } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { addRecord, addUser, openServedApp, principalOf, type ServedApp } from '../app/open-app.ts';
import { linesOf, type Outcome as RunOutcome, runCommand } from '../cli/run-command.ts';

const { method } = ClassificationService;
const FIELDS = 'name kind outcome search text since until deskId waitsForMe';
let open: ServedApp;

before(async () => {
  open = await openServedApp();
});
after(() => open[Symbol.asyncDispose]());

async function addKeyed(): Promise<{ id: number; key: string }> {
  const { id } = await addUser(open.app, open.admin);
  const { secret } = await createKey(open.app, { principal: principalOf(open.app, id), name: 'test' });
  return { id, key: secret };
}

async function askGraphql(key: string, query: string, variables: object = {}) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const { data, errors } = await (
    await fetch(`${open.url}/graphql`, { method: 'POST', headers, body })
  ).json();
  if (errors !== undefined) throw new Error(errors[0].message);
  return data;
}

async function save(key: string, input: object): Promise<Record<string, unknown>> {
  const query = `mutation ($input: SaveFilterInput!) { saveFilter(input: $input) { filter { ${FIELDS} } userErrors { message } } }`;
  const { filter, userErrors } = (await askGraphql(key, query, { input })).saveFilter;
  if (filter === null) throw new Error(userErrors[0].message);
  return filter;
}

const listed = async (key: string) => (await askGraphql(key, `{ savedFilters { ${FIELDS} } }`)).savedFilters;

const assay = (key: string, ...args: string[]): Promise<RunOutcome> =>
  runCommand({ address: open.daemon.grpc.address, key }, args);

function grpcClient(key: string): AssayClient {
  const { address } = open.daemon.grpc;
  return new AssayClient({ address, credentials: credentials.createInsecure() }, key);
}

test('a filter that one facade saves is read, used, replaced and removed by the others', async () => {
  const { id, key } = await addKeyed();
  const night = {
    name: 'Night desk',
    kind: 'IMAGE',
    outcome: 'HUMAN',
    since: '2026-11-24T00:00:00Z',
    deskId: '0',
  };
  const rest = { search: '', text: '', until: null, waitsForMe: false };
  const stored = { ...night, ...rest, since: '2026-11-24T00:00:00.000Z' };
  deepEqual({ ...(await save(key, night)), since: stored.since }, stored);
  using client = grpcClient(key);
  const [filter] = (await client.call(method.listSavedFilters, {})).filters;
  deepEqual(
    [filter?.name, filter?.outcome, filter?.since?.seconds],
    ['Night desk', Outcome.HUMAN, 1795478400n],
  );
  await client.call(method.saveFilter, { name: 'By hand', search: 'abab' });
  const [first, second] = linesOf(await assay(key, 'filters', '--json'));
  deepEqual([first?.name, second?.name, second?.search], ['Night desk', 'By hand', 'abab']);
  match((await assay(key, 'filters')).out, /Night desk.*image, human, since 2026-11-24.*, of no desk/);
  const identifier = await addRecord(open.app, id, { hash: 'ab'.repeat(32) });
  await addRecord(open.app, id, { hash: 'cd'.repeat(32) });
  const found = linesOf(await assay(key, 'list', '--saved', 'By hand', '--json'));
  deepEqual(
    found.map((record) => record.identifier),
    [identifier],
  );
  const said = await assay(key, 'filters', 'save', 'By hand', '--search', 'street', '--kind', 'image');
  equal(said.out, 'saved: By hand: image, "street"\n');
  const ofNone = await assay(key, 'filters', 'save', 'Mine', '--desk', '0');
  equal(ofNone.out, 'saved: Mine: of no desk\n', ofNone.err);
  equal((await assay(key, 'filters', 'remove', 'Mine')).code, 0);
  deepEqual(
    (await listed(key)).map((one: { name: string; search: string }) => [one.name, one.search]),
    [
      ['Night desk', ''],
      ['By hand', 'street'],
    ],
  );
  equal((await assay(key, 'filters', 'remove', 'Night desk')).out, 'removed: Night desk\n');
  deepEqual((await client.call(method.listSavedFilters, {})).filters.length, 1);
});

test('an invalid filter, one too many and an unknown one are refused', async () => {
  const { key } = await addKeyed();
  using client = grpcClient(key);
  await rejects(
    save(key, { name: 'Nothing' }),
    /filter: expected kind, outcome, .*found nothing that narrows/,
  );
  await rejects(
    client.call(method.saveFilter, { name: ' ', search: 'a' }),
    /name: expected text, found nothing/,
  );
  await rejects(
    save(key, { name: 'n'.repeat(41), search: 'a' }),
    /name: expected at most 40 characters, found 41/,
  );
  await rejects(save(key, { name: 'Long', search: 'a'.repeat(300) }), /search: expected at most 256/);
  const unknown = await assay(key, 'list', '--saved', 'No such');
  deepEqual([unknown.code, /no saved filter "No such"; saved: none/.test(unknown.err)], [2, true]);
  const gone = await assay(key, 'filters', 'remove', 'No such');
  deepEqual([gone.code, /no saved filter of this name/.test(gone.err)], [1, true]);
  for (let index = 0; index < SAVED_FILTERS_MAX; index += 1)
    await save(key, { name: `${index}`, search: 'a' });
  await rejects(save(key, { name: 'more', search: 'a' }), /at most 12 saved filters: remove one first/);
  equal((await save(key, { name: '3', search: 'b' })).search, 'b');
});

test('an account keeps its own only, also read-only, and they go with it', async () => {
  const [owner, other] = [await addKeyed(), await addKeyed()];
  const { app, admin } = open;
  await updateUser(app, { principal: admin, id: owner.id, fields: { readonly: true } });
  await save(owner.key, { name: 'Mine', outcome: 'ARTIFICIAL' });
  deepEqual(await listed(other.key), []);
  const query = 'mutation { removeSavedFilter(name: "Mine") { userErrors { message } } }';
  const { userErrors } = (await askGraphql(other.key, query)).removeSavedFilter;
  equal(userErrors[0].message, 'no saved filter of this name');
  equal((await listed(owner.key)).length, 1);
  await deleteUser(app, { principal: admin, id: owner.id });
  deepEqual(app.store.read.accounts.savedFilters(owner.id), []);
});
