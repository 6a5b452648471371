import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RawFields } from '../../../src/app/field-parsers.ts';
import { listClassifications } from '../../../src/app/records/classifications.ts';
import { shownOf } from '../../../src/domain/answers/refused-record.ts';
import { NO_PROVENANCE } from '../../../src/domain/provenance/provenance.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { isSaid, type Transcript } from '../../../src/domain/transcripts/transcript.ts';
import type { AudioResult } from '../../../src/domain/verdicts/result.ts';
import { transcriptOf, withoutSaid } from '../../../src/domain/verdicts/transcripts-of.ts';
import { Store } from '../../../src/store/store.ts';
import type { StoreTransaction } from '../../../src/store/transaction.ts';
import { FIRST_TIME_US, identifierOf, seedRecords } from '../../seeded-records.ts';
import { addUser, openServedApp, type ServedApp } from '../open-app.ts';

/** A page looks at fewer records, so that only the index finds an old one at once. */
const PICTURES = 5200;
const SAID: readonly string[] = [
  "Der Bundesminister sagt, it's raining.",
  'The minister said nothing about the harbour',
  '東京都の天気、iPhoneで',
  'An ordinary talk about nothing',
  `${'x'.repeat(70)} and an ordinary sigh`,
];
const FOREIGN = 'A minister of another account';

let open: ServedApp;
let otherId: number;

before(async () => {
  open = await openServedApp();
  otherId = (await addUser(open.app, open.admin)).id;
  const { store } = open.app;
  await store.transact((tx) => {
    for (const [index, text] of SAID.entries()) putRecording(tx, index, text, 1);
    putRecording(tx, SAID.length, FOREIGN, otherId);
  });
  await seedRecords(store, PICTURES, (index) => ({ name: `picture-${index}.png`, probability: 0.05 }));
});

after(() => open?.[Symbol.asyncDispose]());

/** The recordings are older than any seeded picture. */
function putRecording(tx: StoreTransaction, index: number, text: string, accountId: number): void {
  const at = FIRST_TIME_US - 1000 + index;
  const identifier = `f${identifierOf(index).slice(1)}`;
  const common = { kind: 'audio', hash: identifier, sourceUrl: null, options: DEFAULT_OPTIONS } as const;
  tx.putAnalysis({
    ...{ ...common, accountId, id: identifier, key: `said/${index}`, models: [], attempts: 1, lease: null },
    ...{ queuedAt: at, endedAt: at, apiVersion: '1.1.0', state: 'done', error: '', result: resultOf(text) },
  });
  tx.putClassification({
    ...{
      ...common,
      accountId,
      identifier,
      name: `${index}.flac`,
      refId: '',
      mime: 'audio/flac',
      sizeBytes: 1,
    },
    ...{ analysisId: identifier, origin: 'analysed', cancelled: false, credits: 0, webhookUrl: null },
    ...{ requestId: null, createdAt: at },
  });
}

/** The text is cut into two segments, as a model does it. */
function resultOf(text: string): AudioResult {
  const cut = text.indexOf(' ', text.length / 2);
  const parts = cut === -1 ? [text] : [text.slice(0, cut), text.slice(cut + 1)];
  const segments = parts.map((part) => ({
    ...{ startSeconds: 0, endSeconds: 1, text: part, confidence: 0.9, language: 'en' },
  }));
  const transcript: Transcript = {
    ...{
      model: 'm',
      version: '1.0.0',
      language: 'en',
      segments,
      leftOutSeconds: 0,
      fault: '',
      elapsedSeconds: 1,
    },
  };
  return {
    ...{ kind: 'audio', mime: 'audio/flac', durationSeconds: 8, sampleRate: 48_000, channelCount: 1 },
    ...{ runs: [], clips: [], damaged: false, speechSeconds: 1, channels: [], provenance: NO_PROVENANCE },
    transcript,
  };
}

function find(filter: RawFields): { said: number[]; pages: number } {
  const said: number[] = [];
  let cursor: string | null | undefined;
  let pages = 0;
  do {
    const input = { principal: open.admin, limit: 100, filter };
    const page = listClassifications(open.app, cursor == null ? input : { ...input, cursor });
    said.push(...shownOf(page.entries).map(({ identifier }) => Number.parseInt(identifier.slice(1), 16)));
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== null);
  return { said, pages };
}

function saidBy(text: string): number[] {
  const numbers = SAID.flatMap((said, index) => (isSaid(transcriptOf(resultOf(said)), text) ? [index] : []));
  return numbers.reverse();
}

const SEARCHED = [
  ...[
    'minister',
    'MINISTER',
    'inister said no',
    'bundes',
    'esministe',
    "it's rain",
    'about nothing',
    'harbour',
  ],
  ...['nothing about the', '東京', '京都の天', 'の天気、iph', 'said by no one', 'ordinary', 'sigh', 'xxx'],
];

for (const text of SEARCHED) {
  test(`"${text}" is found in one page, and only in transcripts that hold it`, () => {
    deepEqual(find({ text }), { said: saidBy(text), pages: 1 });
  });
}

test('a text of two letters is looked for in each record, as before', () => {
  const { said, pages } = find({ text: 'no' });
  deepEqual(said, saidBy('no'));
  ok(pages > 1);
});

test('other filters apply beside the text', () => {
  deepEqual(find({ text: 'minister', search: '1.fl' }).said, [1]);
  deepEqual(find({ text: 'minister', status: 'errored' }).said, []);
});

test('a word of thousands of recordings narrows no search by itself', async () => {
  await using box = await openServedApp();
  await box.app.store.transact((tx) => {
    for (let index = 0; index < 2100; index++)
      putRecording(tx, index, `common ${index === 7 ? 'rarely' : 'word'}`, 1);
  });
  const { words } = box.app.store.read;
  equal(words.analysesThatMaySay(1, 'common'), undefined);
  equal(words.analysesThatMaySay(1, 'common rarely')?.length, 1);
});

test('words come, change and go with the transcript', async () => {
  const { store } = open.app;
  const rows = () => store.read.words.rowCount;
  const before = rows();
  await store.transact((tx) => putRecording(tx, 50, 'A zeppelin over the harbour', 1));
  deepEqual(find({ text: 'zeppelin' }).said, [50]);
  const analysis = store.read.analyses.get(`f${identifierOf(50).slice(1)}`);
  if (analysis === undefined || analysis.result === null) throw new Error('no analysis');
  const silent = { ...analysis, result: withoutSaid(analysis.result) };
  await store.transact((tx) => tx.putAnalysis(silent));
  equal(rows(), before, 'retention takes the transcript and its words');
  await store.transact((tx) => tx.putAnalysis(analysis));
  ok(rows() > before);
  await store.transact((tx) => {
    const record = tx.records.get(analysis.id);
    if (record !== undefined) tx.deleteClassification(record, null);
    tx.deleteAnalysis(analysis);
  });
  equal(rows(), before, 'a deletion takes them too');
});

test('a rebuilding makes the words anew, and so does a start of other rules; what is broken off goes on', async () => {
  const { app, folder, daemon } = open;
  const expected = saidBy('minister').map((index) => `f${identifierOf(index).slice(1)}`);
  const rows = app.store.read.words.rowCount;
  await daemon[Symbol.asyncDispose]();
  {
    await using store = await Store.open({ folder, isRebuildAsked: true });
    equal(store.read.words.areComplete, false);
    const stopped = new AbortController();
    const first = store.makeWords(stopped.signal);
    stopped.abort();
    equal((await first).isComplete, false);
    const { isComplete, count: transcripts } = await store.makeWords(new AbortController().signal);
    deepEqual([isComplete, transcripts <= SAID.length + 1], [true, true]);
    equal(store.read.words.rowCount, rows);
    deepEqual(
      store.read.words.analysesThatMaySay(1, 'minister')?.sort(),
      [...expected, `f${identifierOf(4).slice(1)}`].sort(),
    );
    await store.transact((tx) =>
      tx.setMeta({ formatVersion: 6, createdAt: 1, words: { version: 0, after: null } }),
    );
    equal(store.read.words.areComplete, false);
    await store.makeWords(new AbortController().signal);
    equal(store.read.words.rowCount, rows);
  }
});
