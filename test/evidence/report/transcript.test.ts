import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClassificationRecord } from '../../../src/domain/answers/record.ts';
import type { ShownSegment } from '../../../src/domain/transcripts/transcript.ts';
import { speakerOf } from '../../../src/evidence/report/texts.ts';
import { transcriptBlocks } from '../../../src/evidence/report/transcript-blocks.ts';

function tableOf(channels: readonly ShownSegment['channel'][]) {
  const segments = channels.map((channel, index) => ({
    ...{ startSeconds: index, endSeconds: index + 1, confidence: 1, language: 'en' },
    ...{ text: `line ${index}`, channel },
  }));
  const transcript = { model: 'm', version: '1', language: 'en', segments, segmentCount: segments.length };
  const record = { kind: 'audio', transcript } as unknown as ClassificationRecord;
  const table = transcriptBlocks(speakerOf('en'), record).find(({ type }) => type === 'table');
  assert.ok(table?.type === 'table');
  return table;
}

test('the channel stands beside each line, if the channels were heard apart', () => {
  const { head, rows, widths } = tableOf([2, 1]);
  assert.deepEqual(head, ['Seconds', 'Channel', 'What is said']);
  assert.deepEqual(rows, [
    ['0', '2', 'line 0'],
    ['1', '1', 'line 1'],
  ]);
  assert.equal(widths?.length, 3);
});

test('a recording of one voice has no such column', () => {
  const { head, rows, widths } = tableOf([null]);
  assert.deepEqual([head, rows, widths?.length], [['Seconds', 'What is said'], [['0', 'line 0']], 2]);
});
