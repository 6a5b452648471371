import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cancelClassification, getClassification } from '../../src/app/records/classifications.ts';
import { toClassification, toWebhookBody } from '../../src/facade/rest/convert.ts';
import { BUILT_IN_MODELS, principalOf } from '../app/open-app.ts';
import { type Outcome, runCommand } from '../cli/run-command.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makeClip } from '../interface/media.ts';
import { addCustomer, type Customer, type Service, shareService } from '../interface/service.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SAID = /yesterday the parliament voted/i;

let service: Service;
let owner: Customer;
let identifier: string;
let spoken: Buffer;
/** The record of the same file, sent with a language. */
let said: string;

before(async () => {
  // Only what comes with Assay may lie in an npm package.
  service = await shareService(BUILT_IN_MODELS);
  owner = await addCustomer(service);
  spoken = await readFile(join(ROOT, 'test', 'media', 'spoken', 'english.ogg'));
  // The first one brings the model up, which takes a busy box longer than other tests wait.
  identifier = await owner.submit('/api/classification_audio', { audio: spoken, with_transcript: 'true' });
  const isDone = async () =>
    (await owner.get(`/api/classification_audio/${identifier}`)).body.status !== 'new';
  await until(isDone, 'the first transcript');
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
});

function assay(args: readonly string[], { key } = owner): Promise<Outcome> {
  return runCommand({ address: service.grpc, key }, args);
}

async function fetchText(
  name: string,
  of = identifier,
  { key } = owner,
): Promise<{ status: number; type: string; text: string }> {
  const response = await fetch(`${service.url}/media/${of}/${name}`, { headers: { 'x-api-key': key } });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each test names the fields that it expects
async function ask(query: string): Promise<any> {
  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const { data, errors } = await (await fetch(`${service.url}/graphql`, init)).json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

test('REST shows the transcript as an additional field, only if it was asked for', async () => {
  const { body } = await owner.get(`/api/classification_audio/${identifier}`);
  assert.match(body.transcript.segments[0].text, SAID);
  assert.deepEqual([body.transcript.language, body.transcript.fault], ['en', '']);
  const plain = await owner.classify('audio', { audio: spoken });
  assert.ok(!('transcript' in plain));
});

test('a webhook holds no transcript', () => {
  const app = service.open.app;
  const record = app.store.read.records.get(identifier);
  assert.ok(record !== undefined);
  const principal = { account: { id: record.accountId } } as never;
  const whole = getClassification(app, { principal, identifier });
  assert.match(JSON.stringify(toClassification(whole)), SAID);
  assert.doesNotMatch(toWebhookBody(whole), SAID);
});

test('GraphQL shows the transcript with its address', async () => {
  const { classification } = await ask(`{ classification(identifier: "${identifier}") {
    options { withTranscript }
    ... on AudioClassification {
      transcript { language wordCount segmentCount segments { startSeconds endSeconds text confidence } }
      transcriptUrl(format: VTT)
    }
  } }`);
  assert.equal(classification.options.withTranscript, true);
  assert.ok(classification.transcript.wordCount > 10);
  assert.ok(classification.transcriptUrl.endsWith(`/media/${identifier}/transcript.vtt`));
});

test('the command line and the address give the transcript in every form', async () => {
  for (const [format, file, type] of [
    ['srt', 'transcript.srt', 'application/x-subrip'],
    ['vtt', 'transcript.vtt', 'text/vtt'],
    ['text', 'transcript.txt', 'text/plain'],
    ['json', 'transcript.json', 'application/json'],
  ] as const) {
    const { code, out } = await assay(['transcript', identifier, '--format', format]);
    assert.equal(code, 0);
    assert.match(out, SAID);
    const fetched = await fetchText(file);
    assert.deepEqual([fetched.status, fetched.type], [200, `${type}; charset=utf-8`]);
    assert.equal(fetched.text, out);
  }
});

test('another account gets no transcript', async () => {
  const other = await addCustomer(service);
  assert.equal((await fetchText('transcript.txt', identifier, other)).status, 404);
  assert.notEqual((await assay(['transcript', identifier], other)).code, 0);
});

test('a record without a transcript says so', async () => {
  const plain = await owner.classify('audio', { audio: spoken });
  const { status, text } = await fetchText('transcript.txt', plain.identifier);
  assert.equal(status, 404);
  assert.match(text, /it was not asked for/);
});

test('a transcript of a video needs the track, which the refusal names', async () => {
  const fields = { video: makeClip(), with_transcript: 'true' };
  const { status, body } = await owner.post('/api/classification_video', fields);
  assert.equal(status, 400);
  assert.match(body.error.with_transcript[0], /with_audio/);
});

test('a submission can name the spoken language on every way in', async () => {
  const fields = { audio: spoken, with_transcript: 'true', transcript_language: 'it' };
  said = (await owner.classify('audio', fields)).identifier;
  const { classification } = await ask(`{ classification(identifier: "${said}") {
    options { transcriptLanguage }
    ... on AudioClassification { transcript { language segments { language } } }
  } }`);
  assert.equal(classification.options.transcriptLanguage, 'it');
  const { segments } = classification.transcript;
  assert.ok(segments.every(({ language }: { language: string }) => language === 'it'));
  const file = join(ROOT, 'test', 'media', 'spoken', 'english.ogg');
  const args = ['classify', '--json', '--with-transcript', '--transcript-language', 'it', file];
  const { code, out } = await assay(args);
  assert.equal(code, 0, out);
  // Equal work is done once: the same file, the same options.
  assert.equal(JSON.parse(out).origin, 'ORIGIN_CACHED');
});

test('a language that is unknown, or of no transcript, is refused', async () => {
  const unknown = { audio: spoken, with_transcript: 'true', transcript_language: 'klingon' };
  const first = await owner.post('/api/classification_audio', unknown);
  assert.equal(first.status, 400);
  assert.match(first.body.error.transcript_language[0], /expected af, am, .* or zh, found "klingon"/);
  const alone = await owner.post('/api/classification_audio', { audio: spoken, transcript_language: 'it' });
  assert.equal(alone.status, 400);
  assert.match(alone.body.error.transcript_language[0], /with_transcript/);
});

test('a plan without transcripts ignores the option', async () => {
  const without = await addCustomer(service, { plan: { options: ['audio_track'] } });
  const record = await without.classify('audio', { audio: spoken, with_transcript: 'true' });
  assert.ok(!('transcript' in record));
});

test('a list is filtered by what is said', async () => {
  const found = async (text: string) => {
    const { out } = await assay(['list', '--text', text, '--json']);
    return out.split('\n').filter((line) => line.includes(identifier)).length;
  };
  assert.deepEqual([await found('PARLIAMENT voted'), await found('nobody said this')], [1, 0]);
});

test('the transcript is deleted with its record', async () => {
  assert.equal((await fetchText('transcript.txt', said)).status, 200);
  const query = `mutation { deleteClassification(identifier: "${said}") { deletedIdentifier } }`;
  await ask(query);
  assert.equal((await fetchText('transcript.txt', said)).status, 404);
});

test('the transcript goes with the media: under zero retention at once, and an equal file is heard anew', async () => {
  const careful = await addCustomer(service, { plan: { zero_retention: true } });
  const fields = { audio: spoken, with_transcript: 'true' };
  const first = await careful.classify('audio', fields);
  const isGone = async () => (await fetchText('transcript.txt', first.identifier, careful)).status === 404;
  await until(isGone, 'the transcript to go');
  const stored = service.open.app.store.read.records.get(first.identifier);
  assert.doesNotMatch(
    JSON.stringify(service.open.app.store.read.analyses.get(stored?.analysisId ?? '')),
    SAID,
  );
  const second = await careful.submit('/api/classification_audio', fields);
  const again = service.open.app.store.read.records.get(second);
  assert.notEqual(again?.analysisId, stored?.analysisId);
  const principal = principalOf(service.open.app, careful.id);
  await cancelClassification(service.open.app, { principal, identifier: second });
});
