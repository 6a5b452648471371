import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { openServedApp, type ServedApp } from '../app/open-app.ts';
import { linesOf, runCommand } from '../cli/run-command.ts';
import { TEST_KEY } from '../daemon.ts';
import { identifierOf } from '../seeded-records.ts';
import { makeSpoiledStore, nameOf, SPOILED, SPOILED_COUNT, WHOLE } from '../store/spoiled-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

let open: ServedApp;
const stack = new AsyncDisposableStack();

before(async () => {
  const folder = stack.use(await makeTemporaryFolder());
  const data = join(folder.path, 'data');
  await makeSpoiledStore(data);
  open = stack.use(await openServedApp({ ASSAY_DATA_DIR: data, ASSAY_ADMIN_API_KEY: TEST_KEY }));
});

after(() => stack.disposeAsync());

const HEADERS = { 'x-api-key': TEST_KEY };
const NAMES = WHOLE.map(nameOf);
const ALL = Array.from({ length: SPOILED_COUNT }, (_, index) => identifierOf(SPOILED_COUNT - 1 - index));

function read(path: string): Promise<Response> {
  return fetch(`${open.url}${path}`, { headers: HEADERS });
}

for (const path of [
  '/api/classifications',
  '/api/classifications?limit=50',
  `/api/classifications?identifiers=${ALL}`,
]) {
  test(`REST ${path.slice(0, 40)} lists the other records, and never a figure as null`, async () => {
    const response = await read(path);
    assert.equal(response.status, 200);
    const records = (await response.json()) as { name: string }[];
    assert.deepEqual(
      records.map(({ name }) => name),
      NAMES,
    );
  });
}

test('REST answers the identifier of a damaged record with a documented error', async () => {
  for (const [index, { reason }] of SPOILED) {
    const response = await read(`/api/classification/${identifierOf(index)}`);
    assert.equal(response.status, 500);
    assert.match(await response.text(), reason);
  }
});

interface Answer {
  data: { classifications: Record<string, unknown> };
  errors: { message: string; path: (string | number)[]; extensions: Record<string, unknown> }[];
}

async function ask(selection: string, args = 'first: 50', accept = 'application/json') {
  const response = await fetch(`${open.url}/graphql`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/json', accept },
    body: JSON.stringify({ query: `{ classifications(${args}) { ${selection} } }` }),
  });
  return { status: response.status, ...((await response.json()) as Answer) };
}

for (const accept of ['application/json', 'application/graphql-response+json']) {
  test(`GraphQL as ${accept}: a damaged record is a null node with its own error, and the page goes on`, async () => {
    const { status, data, errors } = await ask('nodes { name }', 'first: 50', accept);
    assert.equal(status, 200);
    const nodes = data.classifications.nodes as ({ name: string } | null)[];
    assert.equal(nodes.length, SPOILED_COUNT);
    assert.deepEqual(
      nodes.flatMap((node) => node?.name ?? []),
      NAMES,
    );
    assert.equal(errors.length, SPOILED.size);
    for (const { message, path, extensions } of errors) {
      const place = Number(path[2]);
      assert.deepEqual(path, ['classifications', 'nodes', place]);
      assert.equal(nodes[place], null);
      const { code, reason, metadata, http } = extensions as {
        metadata: { identifier: string };
      } & typeof extensions;
      assert.deepEqual([code, reason, http], ['INTERNAL', 'damaged', undefined]);
      assert.equal(metadata.identifier, ALL[place]);
      assert.match(message, SPOILED.get(SPOILED_COUNT - 1 - place)?.reason ?? /nothing/);
    }
  });
}

test('GraphQL pages over damaged records by edges, with a cursor for each', async () => {
  const names: unknown[] = [];
  let after = '';
  for (let pages = 0; pages < SPOILED_COUNT; pages += 1) {
    const selection = 'edges { cursor node { name } } pageInfo { hasNextPage endCursor }';
    const { data } = await ask(selection, `first: 1${after}`);
    const { edges, pageInfo } = data.classifications as {
      edges: { cursor: string; node: { name: string } | null }[];
      pageInfo: { hasNextPage: boolean; endCursor: string };
    };
    assert.equal(edges.length, 1);
    names.push(edges[0]?.node?.name ?? null);
    after = `, after: "${edges[0]?.cursor}"`;
    assert.equal(pageInfo.endCursor, edges[0]?.cursor);
  }
  assert.deepEqual(names, [NAMES[0], NAMES[1], ...Array(SPOILED.size).fill(null), NAMES[2]]);
});

test('gRPC names damaged records in the list and in the list by identifiers', async () => {
  const channel = { address: open.daemon.grpc.address, credentials: credentials.createInsecure() };
  using client = new AssayClient(channel, TEST_KEY);
  const { method } = ClassificationService;
  const answers = [
    await client.call(method.listClassifications, { pageSize: 50 }),
    await client.call(method.batchGetClassifications, { identifiers: ALL }),
  ];
  for (const { classifications, refused } of answers) {
    assert.deepEqual(
      classifications.map(({ name }) => name),
      NAMES,
    );
    assert.deepEqual(
      refused.map(({ identifier }) => identifier),
      [6, 5, 4, 3, 2, 1].map(identifierOf),
    );
    for (const { identifier, reason } of refused) {
      assert.match(reason, SPOILED.get(Number.parseInt(identifier, 16))?.reason ?? /nothing/);
    }
  }
});

async function assay(...argv: string[]) {
  return await runCommand({ address: open.daemon.grpc.address, key: TEST_KEY }, argv);
}

test('the command line lists the other records, and warns beside the list', async () => {
  const outcome = await assay('list', '--json', '--all');
  assert.equal(outcome.code, 0);
  assert.deepEqual(
    linesOf(outcome).map(({ name }) => name),
    NAMES,
  );
  for (const index of SPOILED.keys())
    assert.match(outcome.err, new RegExp(`warning: ${identifierOf(index)} is left out`));
});

test('sheets of the command line and of the daemon hold a line for each record', async () => {
  const { out, err } = await assay('export', '--format', 'jsonl');
  const own = await (await read('/exports/records.jsonl')).text();
  assert.equal(out, own.replace('\ufeff', ''));
  assert.deepEqual(
    linesOf({ out, err, code: 0 }).map(({ identifier }) => identifier),
    ALL,
  );
  assert.match(err, /is left out/);
});
