/** A table is drawn in time that grows with its rows: a folder of a hundred thousand files ends in one. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable } from '../../src/cli/views/table.ts';

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

test('a hundred and fifty thousand rows are drawn', { timeout: 60_000 }, () => {
  const rows = Array.from({ length: MANY }, (_, index) => [`picture-${index}.jpg`, 'human']);
  const lines = formatTable(HEAD, rows).split('\n');
  equal(lines.length, 2 * (MANY + 1) + 1);
  ok(lines.at(-2)?.includes(`picture-${MANY - 1}.jpg`));
});
