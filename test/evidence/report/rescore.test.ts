import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { RULES_VERSION } from '../../../src/domain/verdicts/rules-version.ts';
import type { Block } from '../../../src/evidence/report/blocks.ts';
import { type RescoredLine, toRescoreReport } from '../../../src/evidence/report/rescore-report.ts';

const HUMAN = { classification: 'human', probability: 0.124, state: 'human' };
const ARTIFICIAL = { classification: 'artificial', probability: 0.9, state: 'artificial' };
const SAME: RescoredLine = {
  ...{ identifier: 'a'.repeat(64), name: 'a.png', before: HUMAN, after: HUMAN, error: '', changes: false },
  ...{ modelsBefore: ['m@1'], modelsAfter: ['m@1'], rulesBefore: RULES_VERSION },
};

function blocksOf(lines: readonly RescoredLine[], language: 'en' | 'it' = 'en'): readonly Block[] {
  const about = { createdAt: 1_800_000_000_000_000, packedBy: 'Ada', box: 'a box', fingerprint: 'SHA256:x' };
  return toRescoreReport({ ...about, language, lines }).blocks;
}

const tablesOf = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => (block.type === 'table' ? [block.rows] : []));
const textOf = (cell: unknown): string => (typeof cell === 'string' ? cell : String(Object(cell).text));

test('a re-score lists what would be answered otherwise with its cause, and what could not be analysed', () => {
  const changed = { ...SAME, after: ARTIFICIAL, changes: true };
  const [changes, failed] = tablesOf(
    blocksOf([
      SAME,
      { ...changed, modelsAfter: ['m@2'] },
      { ...changed, modelsAfter: [], rulesBefore: 1 },
      changed,
      { ...SAME, after: null, error: 'the file is gone' },
    ]),
  );
  const moved = ['Human-made, 12.4\u00a0%', 'Artificial, 90.0\u00a0%'];
  deepEqual(
    changes?.map((row) => row.slice(1).map(textOf)),
    [
      [...moved, 'Models: m@2 instead of m@1.'],
      [...moved, `Models: – instead of m@1. Measured under rules version 1, now ${RULES_VERSION}.`],
      [...moved, 'The same models and rules: figures at a bound that differ in the last digits.'],
    ],
  );
  deepEqual(
    failed?.map((row) => row.map(textOf)),
    [['a.png\naaaaaaaaaaaa', moved[0], 'the file is gone', '']],
  );
});

test('without a change a re-score has no table', () => {
  for (const language of ['en', 'it'] as const) equal(tablesOf(blocksOf([SAME], language)).length, 0);
});
