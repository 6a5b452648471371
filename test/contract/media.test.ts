import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { childrenOf } from '../faults/rounds/processes.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makeSound, makeStreams, makeVideo } from '../media/make-media.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeVoice } from '../media/voice.ts';
import { TINY_SPEECH_ID } from '../models/tiny-speech-pack.ts';
import { type CommonRecord, toCommon } from './media-record.ts';

const RATE = 16_000;
/** The image models refuse frames of flat colours. */
const PATTERN = patternRgb(480, 360);
const KEY = { 'x-api-key': TEST_KEY };
const JSON_HEADERS = { ...KEY, accept: 'application/json' };

let daemon: OpenBox;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-media-contract-'));
  daemon = await openBox({ folder, models: 'tiny' });
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function voiceOf(seconds: number, amplitude: number, pitchHz = 120): (time: number) => number {
  const voice = makeVoice({ seconds, sampleRate: RATE, amplitude, pitchHz });
  return (time) => voice[Math.floor(time * RATE)] ?? 0;
}

function recording(seconds: number, wave?: (time: number, channel: number) => number, channels = 1): Buffer {
  const recipe = { container: 'flac', codec: 'flac', seconds, rate: RATE, channels };
  return makeSound({ ...recipe, ...(wave === undefined ? {} : { wave }) } as Parameters<typeof makeSound>[0]);
}

function clipOf(seconds: number, changes: Partial<Parameters<typeof makeVideo>[0]> = {}): Buffer {
  const recipe = { container: 'mp4', codec: 'mpeg4', seconds, width: 480, height: 360, fps: 5 };
  const paint = (_index: number, rgb: Buffer) => void PATTERN.copy(rgb);
  return makeVideo({ ...recipe, paint, ...changes } as Parameters<typeof makeVideo>[0]);
}

async function submit(kind: string, bytes: Buffer, name: string, fields = {}): Promise<Response> {
  const form = new FormData();
  form.set(kind, new Blob([new Uint8Array(bytes)]), name);
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  return await fetch(`${daemon.http}/api/classification_${kind}`, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: form,
  });
}

async function readJson(kind: string, identifier: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.http}/api/classification_${kind}/${identifier}`, { headers: KEY });
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, unknown>;
}

async function classify(kind: string, bytes: Buffer, name: string, fields = {}): Promise<CommonRecord> {
  const response = await submit(kind, bytes, name, fields);
  assert.equal(response.status, 200, await response.clone().text());
  const { identifier } = (await response.json()) as { identifier: string };
  await until(async () => (await readJson(kind, identifier)).status !== 'new', `${name} to end`);
  return toCommon(await readJson(kind, identifier));
}

const VERDICT = 'heuristic confidence classification models count unknown';
const RESULT = 'model unknown classification { label score }';
const BASE = `identifier hash status errors name apiVersion verdict { ${VERDICT} } verdicts { ${VERDICT} }`;
const AUDIO = `${BASE} results { ${RESULT} } speechSeconds durationSeconds
  clips { index start end verdict { ${VERDICT} } }`;
const IMAGE = `${BASE} results { ${RESULT} } timeSeconds`;
const GRAPHQL = `query ($identifier: ID!) { classification(identifier: $identifier) { __typename ${BASE}
  assessment { state reasons { code } }
  ... on ImageClassification { results { ${RESULT} } timeSeconds }
  ... on AudioClassification { ${AUDIO} }
  ... on VideoClassification { durationSeconds images { ${IMAGE} } audios { ${AUDIO} } } } }`;

interface Assessed {
  assessment: { state: string; reasons: { code: string }[] };
}

async function readByGraphql(identifier: string): Promise<Record<string, unknown> & Assessed> {
  const answer = await askGraphql<{ classification: Record<string, unknown> & Assessed }>(GRAPHQL, {
    identifier,
  });
  return answer.classification;
}

async function reasonsOf({ identifier }: CommonRecord): Promise<string[]> {
  return (await readByGraphql(identifier)).assessment.reasons.map(({ code }) => code);
}

async function runAssay(...args: string[]): Promise<Record<string, unknown>> {
  const { out } = await daemon.assay(...args, '--json');
  return JSON.parse(out) as Record<string, unknown>;
}

/** REST, GraphQL and gRPC (through the command line) must show the same. */
async function assertSameEverywhere(record: CommonRecord): Promise<void> {
  assert.deepEqual(toCommon(await readByGraphql(record.identifier)), record);
  assert.deepEqual(toCommon(await runAssay('get', record.identifier)), record);
}

test('a recording of a voice is judged by clips, and every facade shows the same', async () => {
  const record = await classify('audio', recording(12, voiceOf(12, 0.5)), 'voice.flac');
  assert.equal(record.status, 'done', record.errors);
  assert.equal(record.verdict?.classification, 'artificial');
  assert.deepEqual(record.verdict.models, [TINY_SPEECH_ID]);
  assert.deepEqual(
    record.clips.map(({ start, end }) => [start, end]),
    [
      [0, 6],
      [4, 10],
      [8, 12],
    ],
  );
  await assertSameEverywhere(record);
});

test('a quiet voice is human to the same model', async () => {
  const record = await classify('audio', recording(6, voiceOf(6, 0.1)), 'quiet.flac');
  assert.equal(record.verdict?.classification, 'human');
  assert.deepEqual(record.verdict.models, [TINY_SPEECH_ID]);
});

test('a sound without speech is unknown, never called artificial', async () => {
  const record = await classify('audio', recording(8), 'tone.flac');
  assert.equal(record.status, 'done');
  const { classification, confidence, models } = record.verdict ?? {};
  assert.deepEqual([classification, confidence, models], ['human', 0.5, []]);
  assert.deepEqual(
    record.results.map(({ unknown, scores }) => [unknown, scores]),
    [[true, []]],
  );
  assert.deepEqual(record.clips, []);
  const { assessment } = await readByGraphql(record.identifier);
  assert.equal(assessment.state, 'NOT_APPLICABLE');
  assert.ok(assessment.reasons.some(({ code }) => code === 'NO_SPEECH'));
  await assertSameEverywhere(record);
});

test('two voices on two channels are judged apart', async () => {
  const [low, high] = [voiceOf(8, 0.12, 110), voiceOf(8, 0.6, 205)];
  const wave = (time: number, channel: number): number => (channel === 0 ? low : high)(time);
  const reasons = await reasonsOf(await classify('audio', recording(8, wave, 2), 'interview.flac'));
  assert.ok(reasons.includes('CHANNELS_DIFFER'), reasons.join());
});

test('a video shows its frames and its track, each a record of its own', async (t) => {
  const record = await classify('video', clipOf(6, { withSound: 'aac' as never }), 'clip.mp4', {
    frames: 5,
    with_audio: true,
  });
  assert.equal(record.status, 'done', record.errors);
  assert.equal(record.images.length, 5);
  assert.equal(record.audios.length, 1);
  assert.equal(record.verdict?.unknown, false);
  const agreeing = record.images.filter(
    ({ verdict }) => verdict?.classification === record.verdict?.classification,
  );
  assert.equal(record.verdict?.count, agreeing.length);
  assert.deepEqual(record.audios[0]?.verdict?.models, []);
  await assertSameEverywhere(record);

  await t.test('parts are read by their identifiers and are in no list', async () => {
    const [image] = record.images;
    const [audio] = record.audios;
    assert.ok(image !== undefined && audio !== undefined);
    assert.deepEqual(toCommon(await readJson('image', image.identifier)), image);
    assert.deepEqual(toCommon(await readJson('audio', audio.identifier)), audio);
    await assertSameEverywhere(image);
    const wrongKind = await fetch(`${daemon.http}/api/classification_video/${image.identifier}`, {
      headers: KEY,
    });
    assert.equal(wrongKind.status, 404);
    const list = await fetch(`${daemon.http}/api/classifications_image`, { headers: KEY });
    assert.deepEqual(await list.json(), []);
  });

  await t.test('parts and their files go with the record', async () => {
    const query = 'mutation ($i: ID!) { deleteClassification(identifier: $i) { deletedIdentifier } }';
    await askGraphql(query, { i: record.identifier });
    const part = record.images[0]?.identifier ?? '';
    const response = await fetch(`${daemon.http}/api/classification_image/${part}`, { headers: KEY });
    assert.equal(response.status, 404);
    assert.deepEqual(await readdir(join(folder, 'artifacts')), []);
  });
});

test('a voice on a track that players do not play decides, and so may a picture that they do not show', async () => {
  const sound = { container: 'mp4', codec: 'aac' as never, seconds: 8, rate: RATE, channels: 1 };
  const voice = voiceOf(8, 0.6);
  const tracks = [
    { ...sound, wave: () => 0 },
    { ...sound, wave: voice },
  ];
  const record = await classify('audio', makeStreams(sound, [], tracks), 'tracks.m4a');
  assert.equal(record.verdict?.classification, 'artificial', JSON.stringify(record));
  const reasons = record.clips.length > 0 ? await reasonsOf(record) : [];
  assert.ok(reasons.includes('SEVERAL_TRACKS') && !reasons.includes('TRACK_NOT_JUDGED'), reasons.join());
});

test('pictures that players do not show are judged too, also small ones unless the plan asks for more', async () => {
  const small = { container: 'mp4', codec: 'mpeg4' as never, seconds: 2, width: 320, height: 200, fps: 10 };
  const sound = { container: 'mp4', codec: 'aac' as never, seconds: 2, rate: RATE, channels: 1 };
  const bytes = makeStreams(small, Array(5).fill(small), Array(9).fill(sound));
  const film = await classify('video', bytes, 'pictures.mp4', { frames: 5, with_audio: true });
  assert.equal(film.images.length, 5);
  const found = await reasonsOf(film);
  for (const code of ['SEVERAL_PICTURES', 'SEVERAL_TRACKS', 'SMALL_PICTURE'])
    assert.ok(found.includes(code), found.join());
  assert.equal(
    found.filter((code) => code === 'TRACK_NOT_JUDGED').length,
    2,
    'one of sound, one of pictures',
  );
  await runAssay('plan', 'set', '1', '--video-height-min', '240');
  const refused = await submit('video', bytes, 'small.mp4');
  await runAssay('plan', 'set', '1', '--video-height-min', '0');
  assert.deepEqual(
    [refused.status, /at least 240 pixels, found 200/.test(await refused.text())],
    [422, true],
  );
});

test('the command line finds out what a file is', async () => {
  const [video, sound] = [join(folder, 'some.bin'), join(folder, 'sound.mp4')];
  await writeFile(video, clipOf(3, { container: 'matroska' }));
  await writeFile(
    sound,
    makeSound({ container: 'mp4', codec: 'aac' as never, seconds: 5, rate: RATE, channels: 1 }),
  );
  const watched = await runAssay('classify', video, '--frames', '5');
  assert.deepEqual([watched.status, watched.kind], ['STATUS_DONE', 'MEDIA_KIND_VIDEO']);
  assert.equal(toCommon(watched).images.length, 5);
  const heard = await runAssay('classify', sound);
  assert.deepEqual([heard.status, heard.kind], ['STATUS_DONE', 'MEDIA_KIND_AUDIO']);
});

test('an MP4 that holds a picture too is judged by its track when it is sent as audio', async () => {
  const record = await classify('audio', clipOf(3, { withSound: 'aac' as never }), 'clip.mp4', {});
  assert.equal(record.status, 'done');
});

test('a video that is not asked for its sound has no track', async () => {
  const record = await classify('video', clipOf(3, { withSound: 'aac' as never }), 'clip.mp4', { frames: 5 });
  assert.deepEqual(record.audios, []);
});

const REFUSED: [name: string, kind: string, bytes: () => Buffer, says: RegExp][] = [
  ['sound as a video', 'video', () => recording(3), /not a video file/],
  ['a silent video as sound', 'audio', () => clipOf(2), /not an audio file/],
];

for (const [name, kind, bytes, says] of REFUSED) {
  test(`${name} is refused`, async () => {
    const response = await submit(kind, bytes(), 'file');
    assert.equal(response.status, 400);
    const { error } = (await response.json()) as { error: Record<string, string[]> };
    assert.match(error[kind]?.[0] ?? '', says);
  });
}

const VALIDATED = [
  {
    name: 'a recording',
    type: 'audio',
    bytes: () => recording(3),
    status: 200,
    says: /"models":\["tiny-speech"\]/,
  },
  {
    name: 'an MP4 that holds a picture too, as audio',
    type: 'audio',
    bytes: () => clipOf(3, { withSound: 'aac' as never }),
    status: 200,
    says: /"mimetype":"video\/mp4","width":null,"height":null,"models":\["tiny-speech"\]/,
  },
  {
    name: 'a silent video as audio',
    type: 'audio',
    bytes: () => clipOf(2),
    status: 422,
    says: /"valid":false.*not an audio file/,
  },
  {
    name: 'sound as video',
    type: 'video',
    bytes: () => recording(3),
    status: 400,
    says: /"error".*not a video file/,
  },
];

for (const { name, type, bytes, status, says } of VALIDATED) {
  test(`${name} is validated as documented`, async () => {
    const form = new FormData();
    form.set('type', type);
    form.set('file', new Blob([new Uint8Array(bytes())]), 'file');
    const response = await fetch(`${daemon.http}/api/validate`, { method: 'POST', headers: KEY, body: form });
    assert.equal(response.status, status);
    assert.match(await response.text(), says);
  });
}

test('cancelling a video stops the work and leaves nothing of it', async () => {
  const before = (await readdir(join(folder, 'artifacts'))).sort();
  // The frames wait for the models, however fast or busy the box is.
  using models = stopModels();
  const response = await submit('video', clipOf(8), 'long.mp4', { frames: 30 });
  const { identifier } = (await response.json()) as { identifier: string };
  const progress = await firstProgress(identifier);
  assert.ok(progress.total >= 30 && progress.done <= progress.total, JSON.stringify(progress));
  await askGraphql(
    'mutation ($i: ID!) { cancelClassification(identifier: $i) { classification { status } } }',
    { i: identifier },
  );
  const record = toCommon(await readJson('video', identifier));
  assert.deepEqual([record.status, record.errors, record.images], ['errored', 'cancelled', []]);
  models[Symbol.dispose]();
  // The work ends by itself a moment later, and takes its frames with it.
  await until(async () => (await runningNow()) === 0, 'the work to end');
  assert.deepEqual((await readdir(join(folder, 'artifacts'))).sort(), before);
});

async function runningNow(): Promise<number> {
  const { appliance } = await askGraphql<{ appliance: { running: number } }>('{ appliance { running } }', {});
  return appliance.running;
}

interface Progress {
  step: string;
  done: number;
  total: number;
}

/** First progress that a running analysis reports. */
async function firstProgress(identifier: string): Promise<Progress> {
  const query = 'query ($i: ID!) { classification(identifier: $i) { status progress { step done total } } }';
  let progress: Progress | null = null;
  const hasBegun = async (): Promise<boolean> => {
    const { classification } = await askGraphql<{
      classification: { status: string; progress: Progress | null };
    }>(query, { i: identifier });
    assert.equal(classification.status, 'NEW');
    ({ progress } = classification);
    return progress !== null && progress.step !== 'queued';
  };
  await until(hasBegun, 'the analysis to begin');
  return progress ?? assert.fail();
}

/** Stops the processes of the models until it is disposed of. */
function stopModels(): Disposable {
  const { inference } = childrenOf(process.pid);
  const stack = new DisposableStack();
  for (const pid of inference) {
    process.kill(pid, 'SIGSTOP');
    stack.defer(() => process.kill(pid, 'SIGCONT'));
  }
  assert.ok(inference.length > 0, 'the models have a process');
  return stack;
}

async function askGraphql<T>(query: string, variables: Record<string, string>): Promise<T> {
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
  assert.equal(errors, undefined);
  return data;
}
