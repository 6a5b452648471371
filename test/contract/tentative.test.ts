import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FF_ENCODER_FLAC, FF_ENCODER_MPEG4 } from 'node-av/constants';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { writeTinyImagePack } from '../interface/packs.ts';
import { makeSound, makeVideo } from '../media/make-media.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeVoice } from '../media/voice.ts';
import { writeTinySpeechPack } from '../models/tiny-speech-pack.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

/** A frame takes so long that a watcher sees a change between two of them. */
const SLOW_ROUNDS = 30;
const RATE = 16_000;
const FRAMES = 10;
const PATTERN = patternRgb(480, 360);
const KEY = { 'x-api-key': TEST_KEY };

let daemon: OpenBox;
let folder: TemporaryFolder;

before(async () => {
  folder = await makeTemporaryFolder();
  const packs = join(folder.path, 'packs');
  await writeTinySpeechPack(packs);
  await writeTinyImagePack(packs, { id: 'slow', minimumShortSide: 100, slowRounds: SLOW_ROUNDS });
  const env = { ASSAY_MODELS_FOLDERS: packs, ASSAY_ANALYSIS_STABILITY: 'false' };
  daemon = await openBox({ folder: folder.path, env });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

interface Tentative {
  frames: { timeSeconds: number; probability: number | null }[];
  clips: { start: number; probability: number | null }[];
  state: string;
  probability: number | null;
}

interface Seen {
  status: string;
  progress: { done: number; total: number } | null;
  tentative: Tentative | null;
}

async function submit(kind: string, bytes: Buffer, fields = {}): Promise<string> {
  const form = new FormData();
  form.set(kind, new Blob([new Uint8Array(bytes)]), 'media');
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  const response = await fetch(`${daemon.http}/api/classification_${kind}`, {
    ...{ method: 'POST', headers: { ...KEY, accept: 'application/json' }, body: form },
  });
  assert.equal(response.status, 200, await response.clone().text());
  return ((await response.json()) as { identifier: string }).identifier;
}

/** Every state of the record until it has ended, by subscription. */
async function watchByGraphql(identifier: string): Promise<Seen[]> {
  const query = `subscription ($i: ID!) { classification(identifier: $i) { status progress { done total }
    tentative { state probability frames { timeSeconds probability } clips { start probability } } } }`;
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables: { i: identifier } }),
  });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)).data.classification);
}

async function watchByCommandLine(identifier: string, ...more: string[]): Promise<string[]> {
  const { out } = await daemon.assay('watch', identifier, ...more);
  return out.trim().split('\n');
}

/** Every answer of REST until the record has ended. */
async function pollRest(kind: string, identifier: string): Promise<string[]> {
  const answers: string[] = [];
  for (;;) {
    const response = await fetch(`${daemon.http}/api/classification_${kind}/${identifier}`, { headers: KEY });
    const answer = await response.text();
    answers.push(answer);
    if (JSON.parse(answer).status !== 'new') return answers;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function assertGrows(counts: readonly number[]): void {
  for (const [index, count] of counts.entries()) assert.ok(count >= (counts[index - 1] ?? 0), String(counts));
}

const patternFilm = (seconds: number): Buffer =>
  makeVideo({
    ...{ container: 'mp4', codec: FF_ENCODER_MPEG4, seconds, width: 480, height: 360, fps: 5 },
    paint: (_index, rgb) => void PATTERN.copy(rgb),
  });

test('a running video shows the frames judged so far, and keeps none of it', async () => {
  const identifier = await submit('video', patternFilm(12), { frames: FRAMES });
  const [seen, lines, rest] = await Promise.all([
    watchByGraphql(identifier),
    watchByCommandLine(identifier, '--json'),
    pollRest('video', identifier),
  ]);
  const last = seen.at(-1);
  assert.deepEqual([last?.status, last?.tentative], ['DONE', null]);
  const partials = seen.flatMap(({ tentative }) => tentative ?? []);
  assertGrows(partials.map(({ frames }) => frames.length));
  assertGrows(seen.flatMap(({ progress }) => progress?.done ?? []));
  const partial = partials.find(({ frames }) => frames.length > 0 && frames.length < FRAMES);
  assert.ok(partial !== undefined, 'frames are shown before all are judged');
  for (const { timeSeconds, probability } of partial.frames) {
    assert.ok(timeSeconds > 0 && timeSeconds < 12);
    assert.ok(probability !== null && probability >= 0 && probability <= 1);
  }
  assert.ok(['HUMAN', 'ARTIFICIAL', 'INCONCLUSIVE'].includes(partial.state));
  const records = lines.map((line) => JSON.parse(line));
  assert.ok(
    records.some(({ tentative }) => tentative?.frames.length > 0),
    'the streams show it too',
  );
  assert.equal(records.at(-1).tentative, undefined);
  for (const answer of rest) assert.ok(!answer.includes('tentative'), 'REST has no word for it');
});

test('a running sound shows the clips judged so far', async () => {
  const seconds = 120;
  const voice = makeVoice({ seconds, sampleRate: RATE, amplitude: 0.5 });
  const wave = (time: number) => voice[Math.floor(time * RATE)] ?? 0;
  const recipe = { container: 'flac', codec: FF_ENCODER_FLAC, seconds, rate: RATE, channels: 1, wave };
  const identifier = await submit('audio', makeSound(recipe));
  const seen = await watchByGraphql(identifier);
  assert.equal(seen.at(-1)?.status, 'DONE');
  const partials = seen.flatMap(({ tentative }) => tentative ?? []);
  assertGrows(partials.map(({ clips }) => clips.length));
  const first = partials.find(({ clips }) => clips.length > 0);
  assert.ok(first !== undefined, 'clips are shown before the record is done');
  assert.deepEqual([first.state, first.frames], ['ARTIFICIAL', []]);
  for (const { probability } of first.clips) assert.ok(probability !== null && probability > 0.5);
});

test('the command line shows what was found so far', async () => {
  const lines = await watchByCommandLine(await submit('video', patternFilm(9), { frames: FRAMES }));
  const found = lines.filter((line) => /frames \d+\/10 {2}so far \d+ % chance of AI/.test(line));
  assert.ok(found.length > 0, lines.join('\n'));
});
