import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RawFields } from '../../../src/app/field-parsers.ts';
import { type ListInput, listClassifications } from '../../../src/app/records/classifications.ts';
import { shownOf } from '../../../src/domain/answers/refused-record.ts';
import { FIRST_TIME_US, identifierOf, seedRecords } from '../../seeded-records.ts';
import { addUser, type OpenApp, openApp } from '../open-app.ts';

const COUNT = 6000;
/** A fifth of the records have this file. */
const SHARED_HASH = 'feed'.repeat(16);
const RARE_HASH = `facade${'0'.repeat(58)}`;

let open: OpenApp;

before(async () => {
  open = await openApp();
  const other = await addUser(open.app, open.admin);
  await seedRecords(open.app.store, COUNT, (index) => ({
    name: index === 17 ? 'Harbour at dawn.jpg' : `picture-${index}.png`,
    refId: index % 2000 === 3 ? 'desk-4711' : '',
    hash: index % 5 === 0 ? SHARED_HASH : index === 29 ? RARE_HASH : identifierOf(index),
    accountId: index === 31 ? other.id : 1,
    probability: index % 2000 === 7 ? 0.95 : index === 40 ? null : index === 41 ? 0.5 : 0.05,
  }));
});

after(() => open?.[Symbol.asyncDispose]());

/** The records that match, and how many pages they took. */
function find(filter: RawFields, query: Partial<ListInput> = {}): { numbers: number[]; pages: number } {
  const numbers: number[] = [];
  let cursor: string | null | undefined;
  let pages = 0;
  do {
    const input = { principal: open.admin, limit: 100, filter, ...query };
    const page = listClassifications(open.app, cursor == null ? input : { ...input, cursor });
    numbers.push(...shownOf(page.entries).map(({ identifier }) => Number.parseInt(identifier, 16)));
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== null);
  return { numbers, pages };
}

const CASES: readonly [string, RawFields, number[]][] = [
  ['part of a name, in either case', { search: 'HARBOUR' }, [17]],
  ['a number in a name', { search: 'picture-5888.' }, [5888]],
  ['the whole reference', { ref_id: 'desk-4711' }, [4003, 2003, 3]],
  ['part of a reference', { search: 'k-47' }, [4003, 2003, 3]],
  ['half a reference as a whole one', { ref_id: 'desk' }, []],
  ['the beginning of a hash', { hash: 'facade' }, [29]],
  ['the beginning of a hash that an index finds', { hash: 'FACADE00' }, [29]],
  ['a whole hash as text', { search: RARE_HASH }, [29]],
  ['a whole identifier as text', { search: identifierOf(29) }, [29]],
  ['a verdict', { verdict: 'artificial' }, [4007, 2007, 7]],
  ['what it comes to', { outcome: 'inconclusive' }, [41]],
  ['what has failed', { status: 'errored' }, [40]],
  ['what has failed, by outcome', { outcome: 'failed' }, [40]],
  ['what waits', { outcome: 'waiting' }, []],
  ['a state and an outcome that exclude one another', { status: 'errored', outcome: 'human' }, []],
  ['two at once', { verdict: 'artificial', search: '4007' }, [4007]],
  ['a foreign record', { search: 'picture-31.' }, []],
  ['a span of time', { since: FIRST_TIME_US + 40, until: FIRST_TIME_US + 43 }, [42, 41, 40]],
  ['a span of time and a hash', { hash: 'facade00', until: FIRST_TIME_US + 29 }, []],
];

for (const [name, filter, expected] of CASES) {
  test(`found: ${name}`, () => assert.deepEqual(find(filter).numbers, expected));
}

test('a hash of many records is paged in order without a gap', () => {
  const { numbers } = find({ hash: SHARED_HASH });
  const expected = Array.from({ length: COUNT / 5 }, (_, index) => COUNT - 5 - 5 * index);
  assert.deepEqual(numbers, expected);
});

test('a page without a match ends in bounded time, and says that there may be more', () => {
  const started = performance.now();
  const page = listClassifications(open.app, {
    ...{ principal: open.admin, limit: 100, filter: { text: 'no' } },
  });
  assert.ok(performance.now() - started < 1000);
  assert.deepEqual(page.entries, []);
  assert.notEqual(page.nextCursor, null);
  assert.ok(find({ text: 'no' }).pages >= 2);
});

test('a verdict, a state and a reference are found in one page each, among however many', () => {
  const filters = [{ verdict: 'artificial' }, { status: 'errored' }, { outcome: 'failed' }, { ref_id: 'no' }];
  for (const filter of filters) assert.equal(find(filter).pages, 1, JSON.stringify(filter));
});

test('a search in a list of one kind finds no other kind', () =>
  assert.deepEqual(find({ search: 'dawn' }, { kind: 'video' }).numbers, []));

const FAULTS: readonly [RawFields, RegExp][] = [
  [{ hash: 'xyz' }, /hash: expected 1 to 64 hex characters, found "xyz"/],
  [{ outcome: 'good' }, /outcome: expected one of waiting, failed/],
  [{ search: 'a'.repeat(257) }, /search: expected at most 256 characters, found 257/],
  [{ since: Number.NaN }, /since: expected a time/],
];

for (const [filter, message] of FAULTS) {
  test(`refused: ${JSON.stringify(filter).slice(0, 40)}`, () => {
    assert.throws(() => find(filter), message);
  });
}
