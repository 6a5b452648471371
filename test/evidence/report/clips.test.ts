import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClassificationRecord } from '../../../src/domain/answers/record.ts';
import { clipBlocks } from '../../../src/evidence/report/clip-blocks.ts';
import type { ReportLanguage } from '../../../src/evidence/report/language.ts';
import { speakerOf } from '../../../src/evidence/report/texts.ts';

type Score = number | null;

function recordOf(scores: readonly Score[]): ClassificationRecord {
  const clips = scores.map((score, index) => ({
    startSeconds: index * 4,
    endSeconds: index * 4 + 6,
    verdict: {
      classification: (score ?? 0) >= 0.7 ? 'artificial' : 'human',
      confidence: (score ?? 0) >= 0.7 ? score : 1 - (score ?? 0.5),
      models: score === null ? [] : ['assay-speech-encoder'],
    },
  }));
  return { kind: 'audio', clips } as unknown as ClassificationRecord;
}

function leadOf(language: ReportLanguage, scores: readonly Score[]): string {
  const lead = clipBlocks(speakerOf(language), recordOf(scores)).find(({ type }) => type === 'paragraph');
  assert.ok(lead?.type === 'paragraph');
  return lead.text;
}

test('the most suspicious part is named with its time', () => {
  const scores = [0.1, 0.3, 0.72, 0.2];
  assert.match(leadOf('en', scores), /most suspicious begins at 8 s \(72.0\u00a0%\)/);
  assert.match(leadOf('it', scores), /più sospetta comincia a 8 s \(72,0\u00a0%\)/);
});

test('a single part, or one without answers, is not named', () => {
  for (const scores of [[0.9], [null, null]]) assert.doesNotMatch(leadOf('en', scores), /suspicious/);
});

test('a part that no model answered has no figure', () => {
  const table = clipBlocks(speakerOf('en'), recordOf([null, 0.4])).find(({ type }) => type === 'table');
  assert.ok(table?.type === 'table');
  assert.deepEqual(
    table.rows.map(([, share]) => share),
    ['–', '40.0\u00a0%'],
  );
});
