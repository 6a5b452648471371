/** Options as a browser remembers them: what another version or a hand wrote there is not sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembered } from '../../page/submit/submission.ts';

const INITIAL = { withHeatmap: true, withAudio: true, frames: 10 };

for (const [stored, options] of [
  [null, INITIAL],
  ['no JSON', INITIAL],
  ['"text"', INITIAL],
  [
    '{"withNsfw":true,"withHeatmap":false,"frames":30}',
    { ...INITIAL, withNsfw: true, withHeatmap: false, frames: 30 },
  ],
  ['{"frames":7,"withNsfw":"yes","other":true}', INITIAL],
  [
    '{"withTranscript":true,"transcriptLanguage":"it"}',
    { ...INITIAL, withTranscript: true, transcriptLanguage: 'it' },
  ],
  ['{"withTranscript":false,"transcriptLanguage":"it"}', { ...INITIAL, withTranscript: false }],
  ['{"withTranscript":true,"transcriptLanguage":"xx"}', { ...INITIAL, withTranscript: true }],
] as const) {
  test(`${stored} is remembered as ${JSON.stringify(options)}`, () => {
    assert.deepEqual(remembered(stored), options);
  });
}
