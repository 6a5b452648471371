import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FFEncoderCodec } from 'node-av/constants';
import { BUILT_IN_MODELS } from '../app/open-app.ts';
import { type Outcome, runCommand } from '../cli/run-command.ts';
import { takeApart } from '../evidence/made-package.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makeClip } from '../interface/media.ts';
import { addCustomer, type Customer, type Service, shareService } from '../interface/service.ts';
import { makeSound, type SoundRecipe } from '../media/make-media.ts';
import { readTalk, TALK_SAID } from '../media/talk.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

interface Segment {
  startSeconds: number;
  text: string;
  language: string;
  channel: number | null;
}

interface Seen {
  status: string;
  tentative: { transcript: Segment[] } | null;
}

let service: Service;
let owner: Customer;
let folder: TemporaryFolder;
let talk: Awaited<ReturnType<typeof readTalk>>;
let identifier: string;
/** Every state of the talk's record until it has ended, by subscription. */
let seen: Seen[];

before(async () => {
  folder = await makeTemporaryFolder();
  service = await shareService(BUILT_IN_MODELS);
  owner = await addCustomer(service);
  talk = await readTalk();
  identifier = await owner.submit('/api/classification_audio', {
    audio: record(talk.wave),
    with_transcript: 'true',
  });
  seen = await watch(identifier);
});

after(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function record(wave: Required<SoundRecipe>['wave']): Buffer {
  const format = { container: 'flac', codec: 'flac' as FFEncoderCodec, rate: 16_000, channels: 2 };
  return makeSound({ ...format, seconds: talk.seconds, wave });
}

function assay(...args: readonly string[]): Promise<Outcome> {
  return runCommand({ address: service.grpc, key: owner.key }, args);
}

async function graphql(query: string): Promise<Response> {
  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json', accept: 'text/event-stream' };
  return await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
}

async function watch(of: string): Promise<Seen[]> {
  const response = await graphql(`subscription { classification(identifier: "${of}") {
    status tentative { transcript { startSeconds text language channel } }
  } }`);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)).data.classification);
}

async function restOf(kind: string, of: string) {
  const ended = async () => (await owner.get(`/api/classification_${kind}/${of}`)).body.status !== 'new';
  await until(ended, 'the transcript');
  return (await owner.get(`/api/classification_${kind}/${of}`)).body;
}

/** Both texts are whole, each on its channel and in its language. */
function assertSaid(segments: readonly Pick<Segment, 'text' | 'language' | 'channel'>[]): void {
  assert.deepEqual(new Set(segments.map(({ channel }) => channel)), new Set([1, 2]));
  for (const { channel, language, text } of TALK_SAID) {
    const own = segments.filter((segment) => segment.channel === channel);
    assert.match(own.map((segment) => segment.text).join(' '), text);
    assert.ok(
      own.every((segment) => segment.language === language),
      `channel ${channel} is ${language}`,
    );
  }
}

test('REST lists what each channel says by time', async () => {
  const { transcript } = await restOf('audio', identifier);
  assertSaid(transcript.segments);
  const starts = transcript.segments.map(({ start }: { start: number }) => start);
  assert.deepEqual(
    starts,
    starts.toSorted((a: number, b: number) => a - b),
  );
  assert.equal(transcript.fault, '');
});

test('watchers see the channels while the text is written', () => {
  assert.equal(seen.at(-1)?.status, 'DONE');
  const partials = seen.flatMap(({ tentative }) => tentative?.transcript ?? []);
  assert.ok(partials.length > 0);
  assert.ok(partials.every(({ channel }) => channel === 1 || channel === 2));
});

test('every form of the command names the channel', async () => {
  const written = async (format: string) => (await assay('transcript', identifier, '--format', format)).out;
  assert.match(await written('text'), /\] Channel 1: .*parliament/i);
  assert.match(await written('srt'), /\nChannel 2: .*Parlament/i);
  assert.match(await written('vtt'), /\n<v Channel 1>.*parliament/i);
  assertSaid(JSON.parse(await written('json')).segments);
});

test('the command line finds what the second channel says', async () => {
  const { out } = await assay('list', '--text', 'gestern hat das', '--json');
  assert.ok(out.includes(identifier), out);
});

test('an evidence package has the channels in figures, record and report', async () => {
  const path = join(folder.path, 'talk.zip');
  const { code, err } = await assay('evidence', 'export', identifier, '--output', path);
  assert.equal(code, 0, err);
  const members = await takeApart(path);
  const read = (end: string): string => {
    const [bytes] = [...members].flatMap(([name, body]) => (name.endsWith(end) ? [body] : []));
    assert.ok(bytes !== undefined, `${end} among ${[...members.keys()]}`);
    return bytes.toString('utf8');
  };
  for (const end of ['figures.json', 'record.json'])
    assert.match(read(end), /"channel":\s*2/, `${end} has the channel`);
  assert.match(read('report.html'), /<th[^>]*>Channel<\/th>/);
});

test('the track of a film is transcribed by channel, too', async () => {
  const film = makeClip({
    ...{ container: 'mp4', seconds: talk.seconds, withSound: 'aac' as FFEncoderCodec, wave: talk.wave },
  });
  const fields = { video: film, with_audio: 'true', with_transcript: 'true', frames: '5' };
  const { results } = await restOf('video', await owner.submit('/api/classification_video', fields));
  assertSaid(results.audios[0].transcript.segments);
});

test('the same voice on both channels is transcribed once, without a channel', async () => {
  const one = record((at) => talk.wave(at, 0));
  const { transcript } = await restOf(
    'audio',
    await owner.submit('/api/classification_audio', { audio: one, with_transcript: 'true' }),
  );
  assert.match(transcript.segments[0].text, TALK_SAID[0].text);
  assert.ok(!JSON.stringify(transcript).includes('channel'));
});
