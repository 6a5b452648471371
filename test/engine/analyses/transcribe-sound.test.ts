import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { packKey } from '../../../src/domain/packs/model-pack.ts';
import { transcriptionPackSchema } from '../../../src/domain/packs/transcription-pack.ts';
import type { Transcript, TranscriptSegment } from '../../../src/domain/transcripts/transcript.ts';
import type { SoundParts, SoundSpeech, SoundWork } from '../../../src/engine/analyses/sound-work.ts';
import { transcribeSound } from '../../../src/engine/analyses/transcribe-sound.ts';
import { AbortError, ModelFailedError } from '../../../src/engine/children/worker-errors.ts';

const RATE = 16_000;
const MINUTES = 5;
const SECONDS = MINUTES * 60;
const folder = join(import.meta.dirname, '../../../models/whisper-base');
const pack = transcriptionPackSchema.parse(JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')));

type Transcribe = SoundParts['inference']['transcribe'];

/** A voice that speaks all the time, with a pause of two seconds each minute. */
function voice(channel: number | null, language: string): SoundSpeech {
  const segments = Array.from({ length: MINUTES }, (_, minute) => ({
    startSeconds: minute * 60,
    endSeconds: minute * 60 + 58,
  }));
  const frames = { probabilities: new Float32Array((SECONDS * RATE) / 512).fill(0.9), frameSamples: 512 };
  const file = {
    name: language,
    file: `${language}.f32`,
    sampleCount: SECONDS * RATE,
    meanDb: null,
    upperBandDb: null,
    codec: 'pcm_s16le',
  };
  return { file, channel, segments, frames };
}

/** Answers each window with its language and its begin. */
function writeByRule({ path, ranges, language }: Parameters<Transcribe>[0]): ReturnType<Transcribe> {
  const seconds = (ranges[0]?.offset ?? 0) / RATE;
  const own = path.slice('/out/'.length, -'.f32'.length);
  const segments = [
    { startSeconds: 0, endSeconds: 5, text: `${own} ${seconds}`, confidence: 0.9, levelDb: -30 },
  ];
  const languages = [{ code: own, share: 0.95 }];
  const code = language?.isSaid === true ? language.code : own;
  const text = { language: code, languages, noSpeech: 0, isLeftOut: false, segments };
  return Promise.resolve({ text, elapsedMs: 1 });
}

async function write(
  heard: readonly SoundSpeech[],
  transcribe: Transcribe,
  more: { decodeTimeoutMs?: number; signal?: AbortSignal; language?: string } = {},
): Promise<{ transcript: Transcript; shown: (readonly TranscriptSegment[])[]; shares: number[] }> {
  const { decodeTimeoutMs = 60_000, signal = new AbortController().signal, language = '' } = more;
  const findPack = () => ({ pack }) as ReturnType<SoundParts['findPack']>;
  const unasked = () => Promise.reject(new Error('not asked for'));
  const inference = { transcribe, infer: unasked, detectSpeech: unasked };
  const parts: SoundParts = { inference, inferTimeoutMs: 60_000, decodeTimeoutMs, findPack };
  const slot = { outPath: (file: string) => `/out/${file}` };
  const work = { slot, models: [packKey(pack)], language, signal } as unknown as SoundWork;
  const [shown, shares]: [(readonly TranscriptSegment[])[], number[]] = [[], []];
  const transcript = await transcribeSound(parts, work, heard, (segments, share) => {
    shown.push(segments);
    shares.push(share);
  });
  assert.ok(transcript !== undefined);
  return { transcript, shown, shares };
}

const TWO = [voice(1, 'en'), voice(2, 'de')];
const startsOf = (segments: readonly TranscriptSegment[]) => segments.map(({ startSeconds }) => startSeconds);

test('all voices are asked for in the order of time, and shown so as they come', async () => {
  const asked: number[] = [];
  const { transcript, shown, shares } = await write(TWO, async (request) => {
    asked.push(request.ranges[0]?.offset ?? 0);
    return await writeByRule(request);
  });
  assert.ok(asked.length >= 4 * MINUTES);
  assert.deepEqual(
    asked,
    asked.toSorted((a, b) => a - b),
  );
  for (const segments of [...shown, transcript.segments]) {
    const starts = startsOf(segments);
    assert.deepEqual(
      starts,
      starts.toSorted((a, b) => a - b),
    );
  }
  assert.equal(shares.at(-1), 1);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );
  assert.equal(transcript.fault, '');
});

test('each voice has its channel and its language', async () => {
  const { transcript } = await write(TWO, writeByRule);
  for (const { channel, language, text } of transcript.segments) {
    assert.equal(language, channel === 1 ? 'en' : 'de');
    assert.ok(text.startsWith(language));
  }
  const { transcript: whole } = await write([voice(null, 'en')], writeByRule);
  assert.ok(whole.segments.every((segment) => !('channel' in segment)));
  const said = await write(TWO, writeByRule, { language: 'it' });
  assert.ok(said.transcript.segments.every(({ language }) => language === 'it'));
});

test('both sides of a talk are written down as far as the time allowed', async () => {
  let answers = 0;
  const { transcript } = await write(
    TWO,
    async (request, { signal } = {}) => {
      answers += 1;
      if (answers <= 10) return await writeByRule(request);
      const { promise, reject } = Promise.withResolvers<never>();
      signal?.addEventListener('abort', () => reject(new AbortError(signal)));
      return await promise;
    },
    { decodeTimeoutMs: 20 },
  );
  assert.match(transcript.fault, /^stopped after \d+ of 5\d\d s of speech/);
  assert.equal(transcript.segments.length, 10);
  const ends = [1, 2].map((channel) => transcript.segments.findLast((one) => one.channel === channel));
  const [first, second] = ends.map((segment) => segment?.startSeconds ?? Number.NaN);
  assert.ok(Math.abs((first ?? Number.NaN) - (second ?? Number.NaN)) < 60, `${first} and ${second}`);
});

test('a model that fails leaves what was written down, and says so', async () => {
  let answers = 0;
  const { transcript } = await write(TWO, async (request) => {
    answers += 1;
    if (answers === 7) throw new ModelFailedError('out of memory');
    return await writeByRule(request);
  });
  assert.equal(transcript.fault, 'the model failed: out of memory');
  assert.equal(transcript.segments.length, answers - 1);
});

test('an echo in the other microphone is transcribed once, whichever channel is first', async () => {
  for (const loud of [1, 2]) {
    const heard = [voice(1, 'en'), voice(2, 'de')];
    const { transcript, shown } = await write(heard, async (request) => {
      const { text, ...answer } = await writeByRule(request);
      const [seconds = '', isFirst] = [text.segments[0]?.text.split(' ')[1], request.path.includes('en')];
      const levelDb = isFirst === (loud === 1) ? -25 : -45;
      const segments = text.segments.map((one) => ({ ...one, text: `water softener ${seconds}`, levelDb }));
      return { ...answer, text: { ...text, segments } };
    });
    assert.ok(transcript.segments.length >= 2 * MINUTES);
    assert.ok(transcript.segments.every(({ channel }) => channel === loud));
    assert.deepEqual(shown.at(-1), transcript.segments);
  }
});

test('a cancelled analysis has no transcript', async () => {
  const controller = new AbortController();
  const asked = write(
    TWO,
    (_, { signal } = {}) => {
      controller.abort(new Error('called off'));
      return Promise.reject(signal?.reason);
    },
    { signal: controller.signal },
  );
  await assert.rejects(asked, /called off/);
});
