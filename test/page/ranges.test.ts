import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ByteRange, parseRange } from '../../src/port/ranges.ts';

const FILE = { sizeBytes: 100, etag: '"a"' };

const CASES: [
  header: string | undefined,
  ifRange: string | undefined,
  expected: ReturnType<typeof parseRange>,
][] = [
  [undefined, undefined, undefined],
  ['bytes=0-', undefined, { first: 0, last: 99 }],
  ['bytes=5-5', undefined, { first: 5, last: 5 }],
  ['bytes=90-500', undefined, { first: 90, last: 99 }],
  ['bytes=-10', undefined, { first: 90, last: 99 }],
  ['bytes=-500', undefined, { first: 0, last: 99 }],
  ['bytes=-0', undefined, 'unsatisfiable'],
  ['bytes=100-', undefined, 'unsatisfiable'],
  ['bytes=9-3', undefined, undefined],
  ['bytes=-', undefined, undefined],
  ['bytes=0-1,5-6', undefined, undefined],
  ['bytes=0x1-2', undefined, undefined],
  ['bytes=0-1', '"a"', { first: 0, last: 1 }],
  ['bytes=0-1', '"b"', undefined],
];

for (const [header, ifRange, expected] of CASES) {
  test(`${header ?? 'no range'}${ifRange === undefined ? '' : ` if ${ifRange}`}`, () => {
    assert.deepEqual(parseRange(header, { ...FILE, ifRange }), expected);
  });
}

test('an empty file has no range', () => {
  const none: ByteRange | 'unsatisfiable' | undefined = parseRange('bytes=0-', {
    sizeBytes: 0,
    etag: '"a"',
    ifRange: undefined,
  });
  assert.equal(none, 'unsatisfiable');
});
