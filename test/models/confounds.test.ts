/** Shipped models must not lean on format, size, band or loudness: scores are measured again with each made equal. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AucTable, comparePaired, isConfounded } from '../../evaluate/paired-change.ts';
import { readScoreTable, type ScoreRow } from '../../evaluate/score-table.ts';

const MODELS = join(import.meta.dirname, '../../models');
/** What was made the same, by pack beside whose card the table lies. */
const CONFOUNDS: Readonly<Record<string, readonly string[]>> = {
  'assay-transformer': ['one-format', 'one-size'],
  'assay-speech-encoder': ['mp3-64', 'one-band'],
};
const ROUNDING = 0.001;

for (const [pack, tiers] of Object.entries(CONFOUNDS)) {
  const readRows = () => readScoreTable(join(MODELS, pack, 'left-out-scores.tsv'));

  for (const tier of tiers) {
    test(`${pack}: ${tier} for all changes the AUC by no more than chance or 0.03`, () => {
      const found = comparePaired(readRows(), ['clean', tier]);
      assert.ok(!isConfounded(found), JSON.stringify(found));
    });
  }

  test(`${pack}: the card says what the table gives`, () => {
    const card = readFileSync(join(MODELS, pack, 'CARD.md'), 'utf8');
    const rows = readRows();
    const table = new AucTable(rows, ['clean']);
    const stated = /AUC as found is (\d\.\d{3})/.exec(card) ?? /^\| AUC \| (\d\.\d{3}) /m.exec(card);
    const auc = table.auc('clean', table.weights);
    assert.ok(Math.abs(Number(stated?.[1]) - auc) <= ROUNDING, `card ${stated?.[1]}, table ${auc}`);
  });
}

/** Human files at random; `leak` gives artificial ones away in the clean tier only. */
function makeRows(leak: number): ScoreRow[] {
  return Array.from({ length: 800 }, (_, index): ScoreRow => {
    const isArtificial = index % 2 === 0;
    const noise = Math.sin(index * 12.9898) * 2;
    const source = `source-${index % 40}`;
    const clean = noise + (isArtificial ? 1 + leak : 0);
    const logOdds = { clean, same: noise + (isArtificial ? 1 : 0) };
    return { label: isArtificial ? 'artificial' : 'human', source, logOdds };
  });
}

test('a score that leans on a confound is found, one that does not is not', () => {
  const leaning = comparePaired(makeRows(1), ['clean', 'same']);
  assert.ok(leaning.change < -0.03 && isConfounded(leaning), JSON.stringify(leaning));
  const sound = comparePaired(makeRows(0), ['clean', 'same']);
  assert.deepEqual(sound, { change: 0, low: 0, high: 0 });
});

test('the AUC counts ties half', () => {
  const row = (label: 'human' | 'artificial', clean: number): ScoreRow => ({
    ...{ label, source: `${clean}` },
    logOdds: { clean },
  });
  const rows = [row('human', 0), row('human', 1), row('artificial', 1), row('artificial', 2)];
  const table = new AucTable(rows, ['clean']);
  assert.equal(table.auc('clean', table.weights), 0.875);
});
