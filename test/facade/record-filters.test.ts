import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openServedApp, type ServedApp } from '../app/open-app.ts';
import { runCommand } from '../cli/run-command.ts';
import { TEST_KEY } from '../daemon.ts';
import { FIRST_TIME_US, identifierOf, seedRecords } from '../seeded-records.ts';

const COUNT = 40;

let open: ServedApp;

before(async () => {
  open = await openServedApp({ ASSAY_ADMIN_API_KEY: TEST_KEY });
  await seedRecords(open.app.store, COUNT, (index) => ({
    name: `picture-${index}.png`,
    refId: index < 2 ? 'desk-4711' : '',
    probability: index % 10 === 3 ? 0.95 : index === 8 ? null : 0.05,
  }));
});

after(() => open?.[Symbol.asyncDispose]());

const QUERY = `query ($filter: ClassificationFilter) { classifications(first: 50, filter: $filter) { nodes { identifier outcome } } }`;

interface Found {
  identifier: string;
  outcome: string;
}

async function askGraphql(filter: object): Promise<{ nodes?: Found[]; errors?: { message: string }[] }> {
  const response = await fetch(`${open.url}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, variables: { filter } }),
  });
  const { data, errors } = (await response.json()) as {
    data?: { classifications: { nodes: Found[] } | null };
    errors?: { message: string }[];
  };
  return { ...(data?.classifications ?? {}), ...(errors === undefined ? {} : { errors }) };
}

async function askCommandLine(options: readonly string[]): Promise<Found[]> {
  const address = { address: open.daemon.grpc.address, key: TEST_KEY };
  const { code, out, err } = await runCommand(address, ['list', '--json', '--all', ...options]);
  assert.equal(code, 0, err);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Found);
}

const isoOf = (index: number): string => new Date((FIRST_TIME_US + index) / 1000).toISOString();

const CASES: readonly [name: string, filter: object, options: readonly string[], expected: number[]][] = [
  ['outcome', { outcome: 'ARTIFICIAL' }, ['--outcome', 'artificial'], [33, 23, 13, 3]],
  [
    'verdict and text',
    { verdict: 'ARTIFICIAL', search: '-2' },
    ['--verdict', 'artificial', '--search', '-2'],
    [23],
  ],
  ['status', { status: 'ERRORED' }, ['--status', 'errored'], [8]],
  ['reference', { refId: 'desk-4711' }, ['--ref-id', 'desk-4711'], [1, 0]],
  ['hash', { hash: identifierOf(11) }, ['--hash', identifierOf(11)], [11]],
  ['time', { since: '2027-01-01T00:00:00Z' }, ['--since', '2027-01-01'], []],
  ['time before', { until: isoOf(0), refId: null }, ['--until', isoOf(0)], []],
];

for (const [name, filter, options, expected] of CASES) {
  test(`both facades filter by ${name}`, async () => {
    const { nodes = [] } = await askGraphql(filter);
    const numbers = nodes.map(({ identifier }) => Number.parseInt(identifier, 16));
    assert.deepEqual(numbers, expected);
    const listed = await askCommandLine(options);
    assert.deepEqual(
      listed.map(({ identifier }) => identifier),
      nodes.map(({ identifier }) => identifier),
    );
  });
}

test('a record says what it comes to', async () => {
  const { nodes = [] } = await askGraphql({ search: 'picture-3' });
  assert.ok(nodes.some(({ outcome }) => outcome === 'ARTIFICIAL'));
  assert.ok(nodes.some(({ outcome }) => outcome === 'HUMAN'));
});

test('a fault in a filter names its field', async () => {
  const { errors } = await askGraphql({ hash: 'xyz' });
  assert.match(errors?.[0]?.message ?? '', /hash: expected 1 to 64 hex characters/);
  const { errors: times } = await askGraphql({ since: 'yesterday' });
  assert.match(times?.[0]?.message ?? '', /DateTime expects ISO 8601 with a zone/);
});
