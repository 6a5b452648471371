/** A table is drawn in time that grows with its rows: a folder of a hundred thousand files ends in one. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { formatTable } from '../../src/cli/views/table.ts';
import { formatTimestamp } from '../../src/cli/views/timestamp.ts';

const HEAD = ['name', 'verdict'];
const MANY = 150_000;

test('a cell has the width that a terminal gives it, and a mark that would move others stands as its escape', () => {
  const rows = [['港の夜明け.jpg', 'human'], ['é', 'artificial'], ['gpj\u202e.exe', ''], ['short']];
  equal(
    formatTable(HEAD, rows),
    [
      '┌────────────────┬────────────┐',
      '│ name           │ verdict    │',
      '├────────────────┼────────────┤',
      '│ 港の夜明け.jpg │ human      │',
      '├────────────────┼────────────┤',
      '│ é              │ artificial │',
      '├────────────────┼────────────┤',
      '│ gpj\\u202e.exe  │            │',
      '├────────────────┼────────────┤',
      '│ short          │            │',
      '└────────────────┴────────────┘',
    ].join('\n'),
  );
});

test('a time is cut to its second, as the other interfaces show it', () => {
  const late = create(TimestampSchema, { seconds: 1_795_878_665n, nanos: 999_900_000 });
  equal(formatTimestamp(late), '2026-11-28T15:11:05Z');
});

test('a hundred and fifty thousand rows are drawn', { timeout: 60_000 }, () => {
  const rows = Array.from({ length: MANY }, (_, index) => [`picture-${index}.jpg`, 'human']);
  const lines = formatTable(HEAD, rows).split('\n');
  equal(lines.length, 2 * (MANY + 1) + 1);
  ok(lines.at(-2)?.includes(`picture-${MANY - 1}.jpg`));
});
