import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkRecords } from '../../../src/app/appliance/doctor/storage.ts';
import type { RawFields } from '../../../src/app/field-parsers.ts';
import {
  getClassification,
  getClassifications,
  type ListInput,
  listClassifications,
} from '../../../src/app/records/classifications.ts';
import { exportRecords } from '../../../src/app/records/export-records.ts';
import { watchClassifications } from '../../../src/app/records/watch.ts';
import type { RecordEntry } from '../../../src/domain/answers/refused-record.ts';
import { FIRST_TIME_US, identifierOf } from '../../seeded-records.ts';
import { makeSpoiledStore, nameOf, SPOILED, SPOILED_COUNT, WHOLE } from '../../store/spoiled-records.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { type OpenApp, openApp } from '../open-app.ts';

let open: OpenApp;
const stack = new AsyncDisposableStack();

before(async () => {
  const folder = stack.use(await makeTemporaryFolder());
  const data = join(folder.path, 'data');
  await makeSpoiledStore(data);
  open = stack.use(await openApp({ ASSAY_DATA_DIR: data }));
});

after(() => stack.disposeAsync());

function numberOf({ record, refused }: RecordEntry): number {
  return Number.parseInt((record ?? refused).identifier, 16);
}

/** Lists all rows, page by page. */
function list(filter: RawFields = {}, query: Partial<ListInput> = {}): RecordEntry[] {
  const entries: RecordEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const input = { principal: open.admin, limit: 100, filter, ...query };
    const page = listClassifications(open.app, cursor == null ? input : { ...input, cursor });
    assert.ok(page.entries.length <= input.limit);
    entries.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return entries;
}

const ALL = Array.from({ length: SPOILED_COUNT }, (_, index) => SPOILED_COUNT - 1 - index);

for (const limit of [1, 2, 3, 100]) {
  test(`every row has its place in pages of ${limit}`, () => {
    const entries = list({}, { limit });
    assert.deepEqual(entries.map(numberOf), ALL);
    for (const { record, refused } of entries) {
      if (record !== undefined) continue;
      const number = Number.parseInt(refused.identifier, 16);
      assert.match(refused.reason, SPOILED.get(number)?.reason ?? /nothing/);
      assert.equal(refused.createdAt, FIRST_TIME_US + number);
    }
    const whole = entries.flatMap(({ record }) => record ?? []);
    assert.deepEqual(
      whole.map(({ name }) => name),
      WHOLE.map(nameOf),
    );
  });
}

test('a list of a kind keeps the places of refused rows, and a list of another has none', () => {
  assert.deepEqual(list({}, { kind: 'image' }).map(numberOf), ALL);
  assert.deepEqual(list({}, { kind: 'video' }), []);
  assert.deepEqual(list({ search: 'picture' }, { kind: 'video' }), []);
});

const FILTERS: readonly [string, RawFields, number[]][] = [
  ['a text that all have', { search: 'picture' }, ALL],
  ['a text that one damaged row has', { search: 'picture-4' }, [4]],
  ['a text that one unbuildable row has', { search: 'picture-5' }, [5]],
  ['the identifier of a damaged row', { search: identifierOf(4) }, [4]],
  ['the hash of a damaged row', { hash: identifierOf(4) }, [4]],
  ['the hash of a row with a figure that is none', { hash: identifierOf(1) }, [1]],
  ['a reference that none has', { ref_id: 'desk' }, []],
  ['what no one can say of a damaged row', { verdict: 'human' }, ALL],
  ['the state that damaged rows had', { status: 'done' }, ALL],
  ['a state that no damaged row had', { status: 'errored' }, []],
  ['a span of time', { since: FIRST_TIME_US + 4, until: FIRST_TIME_US + 7 }, [6, 5, 4]],
];

for (const [name, filter, expected] of FILTERS) {
  test(`found: ${name}`, () => assert.deepEqual(list(filter).map(numberOf), expected));
}

test('reading a refused row by its identifier gives the reason', () => {
  for (const [index, { reason }] of SPOILED) {
    const read = () =>
      getClassification(open.app, { principal: open.admin, identifier: identifierOf(index) });
    assert.throws(read, { reason: 'damaged', message: reason });
  }
  const identifiers = [1, 0, 4, 99].map(identifierOf);
  const entries = getClassifications(open.app, { principal: open.admin, identifiers });
  assert.deepEqual(
    entries.map((entry) => [numberOf(entry), entry.refused === undefined]),
    [
      [1, false],
      [0, true],
      [4, false],
    ],
  );
});

test('a sheet has a line for each row', async () => {
  const order = { principal: open.admin, filter: {}, format: 'jsonl' } as const;
  const pieces = await Array.fromAsync(exportRecords(open.app, order, new AbortController().signal));
  const lines = pieces
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ identifier }) => identifier),
    ALL.map(identifierOf),
  );
  for (const [index, { reason }] of SPOILED) {
    const line = lines.find(({ identifier }) => identifier === identifierOf(index));
    assert.equal(line.outcome, 'failed');
    assert.match(line.error, reason);
  }
});

test('a watcher receives the other records', async () => {
  const ended = new AbortController();
  const changes = watchClassifications(open.app, { principal: open.admin }, ended.signal);
  const next = changes.next();
  for (const index of [1, 4, 5, 6, 7]) open.app.feed.publishRecord(identifierOf(index), { accountId: 1 });
  assert.equal((await next).value?.name, nameOf(7));
  ended.abort();
  await changes.return(undefined);
});

test('each refused row counts once, however often it is read, and the doctor reports it', async () => {
  list();
  list();
  const { values } = await open.app.metrics.refusedRecords.get();
  assert.equal(values[0]?.value, 4);
  const [records] = await checkRecords(open.app);
  assert.equal(records?.state, 'bad');
  assert.match(records?.found ?? '', /4 records that cannot be shown/);
});
