/** The model that writes down speech: what it is given, which words may follow, and what it writes. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { goldenDifference } from '../../../src/domain/packs/golden-difference.ts';
import { transcriptionPackSchema } from '../../../src/domain/packs/transcription-pack.ts';
import { TRANSCRIPT_LANGUAGES } from '../../../src/domain/transcripts/languages.ts';
import { packageFilesOf, toLoadedPack } from '../../../src/engine/packs/installed-packs.ts';
import { FourierTransform } from '../../../src/worker/inference/transcription/mel-spectrogram.ts';
import { runTranscriptionGolden } from '../../../src/worker/inference/transcription/open-transcription.ts';
import { forbidTokens } from '../../../src/worker/inference/transcription/token-rules.ts';
import { transcribeWindow } from '../../../src/worker/inference/transcription/transcribe-window.ts';
import { WhisperSession } from '../../../src/worker/inference/transcription/whisper-session.ts';
import type { SpokenLanguage, WindowText } from '../../../src/worker/protocol/inference-protocol.ts';
import { decodeToSamples } from './decode-samples.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SPOKEN = join(ROOT, 'test', 'media', 'spoken');
const RATE = 16_000;

let session: WhisperSession;
let english: WindowText;

before(async () => {
  const text = await readFile(join(ROOT, 'models', 'whisper-base', 'model.json'), 'utf8');
  const pack = transcriptionPackSchema.parse(JSON.parse(text));
  const loaded = toLoadedPack({ pack, modelPath: join(packageFilesOf(pack).models, pack.file) });
  assert.equal(loaded.input.kind, 'transcription');
  session = await WhisperSession.open({ ...loaded, input: loaded.input }, 2);
});

after(async () => {
  await session.release();
});

async function transcribe(
  samples: Float32Array,
  language: SpokenLanguage | null = null,
): Promise<WindowText> {
  const steps = transcribeWindow(session, { samples, language });
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}

const textOf = ({ segments }: WindowText): string => segments.map(({ text }) => text).join(' ');

test('the transform gives the powers of a plain sum of waves', () => {
  const size = 400;
  const frames = [3, 57].map((bin) =>
    Float64Array.from({ length: size }, (_, time) => Math.cos((2 * Math.PI * bin * time) / size)),
  );
  const [first = new Float64Array(), second = new Float64Array()] = frames;
  const powers = new FourierTransform().powers(first, second);
  for (let bin = 0; bin <= size / 2; bin++) {
    assert.ok(Math.abs((powers.first[bin] ?? 0) - (bin === 3 ? 40_000 : 0)) < 1e-6);
    assert.ok(Math.abs((powers.second[bin] ?? 0) - (bin === 57 ? 40_000 : 0)) < 1e-6);
  }
});

test('the model gives its golden outputs', async () => {
  const outputs = await runTranscriptionGolden(session);
  const { expected, tolerance } = session.pack.golden;
  assert.ok(goldenDifference([...outputs], expected).largest <= tolerance);
});

test('a text begins with a time of the first second, and a time never runs back', () => {
  const { vocabulary } = session;
  const allowed = (written: number[]): number[] => {
    const logits = new Float32Array(51_865);
    forbidTokens(logits, vocabulary, written, 10);
    return [...logits.keys()].filter((token) => logits[token] !== Number.NEGATIVE_INFINITY);
  };
  const time = (seconds: number) => vocabulary.firstTime + seconds * 50;
  const first = allowed([]);
  assert.deepEqual([first.at(0), first.at(-1)], [time(0), time(1)]);
  const word = 1000;
  // With equal logits the sum of all times outweighs a word, so only times stay.
  const later = allowed([time(2), word]);
  assert.deepEqual([later.at(0), later.at(-1)], [time(2) + 1, time(10)]);
});

test('English is written down, with its language and times', async () => {
  english = await transcribe(await decodeToSamples(join(SPOKEN, 'english.ogg')));
  assert.match(textOf(english), /yesterday the parliament voted on a new law.*river was cold and clear/is);
  assert.equal(english.language, 'en');
  const ends = english.segments.map(({ endSeconds }) => endSeconds);
  assert.ok(Math.max(...ends) <= 7 && english.segments.every(({ confidence }) => confidence > 0.3));
});

test('a named language is obeyed, a guess only if the sound leaves it open', async () => {
  const german = await decodeToSamples(join(SPOKEN, 'german.ogg'));
  const guessed = await transcribe(german, { code: 'en', isSaid: false });
  assert.match(textOf(guessed), /gestern hat das parlament/i);
  const said = await transcribe(german, { code: 'en', isSaid: true });
  assert.deepEqual([guessed.language, said.language], ['de', 'en']);
});

test('the model has a sign for each language that a submission may name', () => {
  const known = [...session.vocabulary.languages.values()].sort();
  assert.deepEqual(known, [...TRANSCRIPT_LANGUAGES].sort());
});

test('the same sound gives the same text again', async () => {
  assert.deepEqual(await transcribe(await decodeToSamples(join(SPOKEN, 'english.ogg'))), english);
});

test('silence and noise give no text', async () => {
  const silence = new Float32Array(10 * RATE);
  assert.equal(textOf(await transcribe(silence)), '');
  const noise = silence.map((_, time) => ((time * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 33 - 0.125);
  assert.equal(textOf(await transcribe(noise)), '');
});
