/** Options that another version or a hand wrote are not sent. “Clear the list” takes away ended files alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRecord } from '../../page/gen/documents.ts';
import { remembered } from '../../page/submit/submission.ts';
import { clearEnded, heard, type Upload, uploads } from '../../page/submit/uploads.ts';

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

const SENT = { file: null, manifest: null, fileUrl: 'https://example.org/a.jpg', sentShare: 1, fault: '' };
const submission = { refId: '', noCache: false, deskId: '', options: {} };

const rows: [name: string, state: Upload['state'], status: ListedRecord['status'] | null][] = [
  ['waits', 'waiting', null],
  ['is judged', 'accepted', 'NEW'],
  ['was judged', 'accepted', 'DONE'],
  ['failed', 'accepted', 'ERRORED'],
  ['was judged long ago', 'accepted', null],
  ['was refused', 'refused', null],
  ['is sent', 'sending', null],
];

test('what waits, is sent or is judged stays in the list', () => {
  uploads.set(
    rows.map(([name, state], id) => {
      const identifier = state === 'accepted' ? String(id) : null;
      return { ...SENT, id, name, state, identifier, submission };
    }),
  );
  const statuses = rows.flatMap(([, , status], id) =>
    status === null ? [] : [[String(id), { identifier: String(id), status } as ListedRecord] as const],
  );
  heard.set(new Map(statuses));
  clearEnded();
  assert.deepEqual(
    uploads.get().map(({ name }) => name),
    ['waits', 'is judged', 'is sent'],
  );
});
