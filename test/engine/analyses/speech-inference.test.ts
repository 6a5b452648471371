/** Real inference children with sound: windows cut by offset, and the speech detector that ships with Assay. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { detectorGain, findSpeech, secondsOf } from '../../../src/domain/verdicts/speech.ts';
import { ModelFailedError } from '../../../src/engine/children/worker-errors.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../../src/engine/inference/inference-process.ts';
import { findDetector, findPacks, toLoadedPack } from '../../../src/engine/packs/installed-packs.ts';
import type { LoadedPack, WindowCut } from '../../../src/worker/protocol/inference-protocol.ts';
import { makeVoice } from '../../media/voice.ts';
import { tinySpeechLogit, writeTinySpeechPack } from '../../models/tiny-speech-pack.ts';
import { PATIENT } from '../../patience.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const RATE = 16_000;
const WINDOW = 20_480;
const FRAME_SECONDS = 512 / RATE;

function startProcess(packs: LoadedPack[]) {
  const quiet = { childReady: () => {}, childLost: () => {}, childSaid: () => {} };
  const process = new InferenceProcess(INFERENCE_DEFAULTS, packs, quiet);
  return { process, [Symbol.asyncDispose]: async () => await process[Symbol.asyncDispose]() };
}

async function writeSound(folder: string, samples: Float32Array) {
  const path = join(folder, 'mix.f32');
  await writeFile(path, samples);
  return { path, sampleCount: samples.length };
}

async function loadTinySpeech(folder: string): Promise<LoadedPack> {
  await mkdir(join(folder, 'models'));
  await writeTinySpeechPack(join(folder, 'models'));
  const { installed, refused } = await findPacks([join(folder, 'models')]);
  assert.deepEqual(refused, []);
  const [found] = installed;
  assert.ok(found !== undefined);
  return toLoadedPack(found);
}

async function loadDetector(): Promise<LoadedPack> {
  const [found] = (await findDetector()).installed;
  assert.ok(found !== undefined);
  return toLoadedPack(found);
}

test('answers every window of a sound by its offset', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await loadTinySpeech(folder.path);
  await using started = startProcess([pack]);
  const [report] = await started.process.ready();
  assert.deepEqual([report?.provider, report?.fault], ['cpu', null]);
  const sound = makeVoice({ seconds: 8 }).map((sample, time) => sample * (time / (8 * RATE)));
  const { path, sampleCount } = await writeSound(folder.path, sound);
  const ranges = Array.from({ length: 10 }, (_, index) => ({ offset: index * 10_007, length: WINDOW }));
  const { logits } = await started.process.infer(
    { pack: pack.key, path, count: ranges.length, windows: { sampleCount, ranges } },
    PATIENT,
  );
  const expected = ranges.map(({ offset }) => tinySpeechLogit(sound.slice(offset, offset + WINDOW)));
  for (const [index, value] of expected.entries()) {
    assert.ok(Math.abs((logits[index] ?? Number.NaN) - value) < 1e-2, `${index}: ${logits[index]} ${value}`);
  }
});

test('a stretch shorter than a window is repeated until it fills the window', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await loadTinySpeech(folder.path);
  await using started = startProcess([pack]);
  const sound = makeVoice({ seconds: 3 }).map((sample, time) => sample * (time / (3 * RATE)));
  const { path, sampleCount } = await writeSound(folder.path, sound);
  const range = { offset: 30_000, length: 7_001 };
  const windows = { sampleCount, ranges: [range, { offset: 0, length: WINDOW }] };
  const { logits } = await started.process.infer({ pack: pack.key, path, count: 2, windows }, PATIENT);
  const repeated = Float32Array.from({ length: WINDOW }, (_, time) => sound[30_000 + (time % 7_001)] ?? 0);
  const expected = [tinySpeechLogit(repeated), tinySpeechLogit(sound.slice(0, WINDOW))];
  for (const [index, value] of expected.entries()) {
    assert.ok(Math.abs((logits[index] ?? Number.NaN) - value) < 1e-2, `${index}: ${logits[index]} ${value}`);
  }
});

test('refuses windows that do not fit the sound, and goes on', async () => {
  await using folder = await makeTemporaryFolder();
  const pack = await loadTinySpeech(folder.path);
  await using started = startProcess([pack]);
  const { path, sampleCount } = await writeSound(folder.path, makeVoice({ seconds: 2 }));
  const ask = (count: number, windows: WindowCut) =>
    started.process.infer({ pack: pack.key, path, count, windows }, PATIENT);
  const first = { offset: 0, length: WINDOW };
  await assert.rejects(ask(1, { sampleCount: sampleCount + 1, ranges: [first] }), ModelFailedError);
  await assert.rejects(ask(2, { sampleCount, ranges: [first] }), ModelFailedError);
  for (const range of [
    { offset: sampleCount - WINDOW + 1, length: WINDOW },
    { offset: -1, length: WINDOW },
    { offset: 0, length: WINDOW + 1 },
    { offset: 0, length: 0 },
  ]) {
    await assert.rejects(ask(1, { sampleCount, ranges: [range] }), ModelFailedError);
  }
  const detection = started.process.detectSpeech({ pack: pack.key, path, sampleCount }, PATIENT);
  await assert.rejects(detection, ModelFailedError);
  assert.equal((await ask(1, { sampleCount, ranges: [first] })).logits.length, 1);
});

test('finds speech, and nothing in silence and noise', async () => {
  await using folder = await makeTemporaryFolder();
  const detector = await loadDetector();
  await using started = startProcess([detector]);
  const [report] = await started.process.ready();
  assert.deepEqual([report?.provider, report?.fault], ['cpu', null]);
  const voice = makeVoice({ seconds: 4 });
  const sound = new Float32Array(12 * RATE);
  sound.set(voice, 5 * RATE);
  for (let time = 0; time < 4 * RATE; time++) sound[time] = 0.1 * Math.sin(time * 0.17);
  const { path, sampleCount } = await writeSound(folder.path, sound);
  const { probabilities } = await started.process.detectSpeech(
    { pack: detector.key, path, sampleCount },
    PATIENT,
  );
  assert.equal(probabilities.length, Math.ceil(sampleCount / 512));
  const segments = findSpeech(probabilities, FRAME_SECONDS, 12);
  const [first] = segments;
  assert.ok(
    first !== undefined && first.startSeconds > 4.7 && first.startSeconds < 5.4,
    JSON.stringify(segments),
  );
  assert.ok(secondsOf(segments) > 3.5 && secondsOf(segments) < 4.8, JSON.stringify(segments));
});

test('hears a voice that is far too quiet, and none in noise that is', async () => {
  await using folder = await makeTemporaryFolder();
  const detector = await loadDetector();
  await using started = startProcess([detector]);
  const secondsIn = async (sound: Float32Array, gain: number) => {
    const { path, sampleCount } = await writeSound(folder.path, sound);
    const ask = { pack: detector.key, path, sampleCount, gain };
    const { probabilities } = await started.process.detectSpeech(ask, PATIENT);
    return secondsOf(findSpeech(probabilities, FRAME_SECONDS, sampleCount / RATE));
  };
  const voice = makeVoice({ seconds: 6 });
  const power = voice.reduce((sum, sample) => sum + sample * sample, 0) / voice.length;
  for (const meanDb of [-66, -75, -85]) {
    const quiet = voice.map((sample) => (sample * 10 ** (meanDb / 20)) / Math.sqrt(power));
    const noise = quiet.map((_, at) => 10 ** (meanDb / 20) * (((at * 7919) % 2003) / 1001 - 1));
    assert.ok((await secondsIn(quiet, detectorGain(meanDb))) > 5, `${meanDb} dB`);
    assert.equal(await secondsIn(noise, detectorGain(meanDb)), 0, `noise of ${meanDb} dB`);
  }
  const faint = voice.map((sample) => (sample * 10 ** (-85 / 20)) / Math.sqrt(power));
  assert.ok((await secondsIn(faint, 1)) < 1, 'as it is, it is not heard');
  assert.deepEqual([detectorGain(null), detectorGain(-65), detectorGain(-20)], [1, 1, 1]);
});

test('hears the same in stretches side by side as in one', async () => {
  await using folder = await makeTemporaryFolder();
  const detector = await loadDetector();
  await using started = startProcess([detector]);
  const part = new Float32Array(9 * RATE);
  part.set(makeVoice({ seconds: 5 }), 2 * RATE);
  const sound = new Float32Array(6 * part.length);
  for (let at = 0; at < sound.length; at += part.length) sound.set(part, at);
  const whole = await writeSound(folder.path, sound);
  const { probabilities } = await started.process.detectSpeech({ pack: detector.key, ...whole }, PATIENT);
  const segments = findSpeech(probabilities, FRAME_SECONDS, sound.length / RATE);
  for (let index = 0; index < 6; index++) {
    const inside = segments.filter((segment) => Math.floor(segment.startSeconds / 9) === index);
    const [first, last] = [inside[0], inside.at(-1)];
    assert.ok(first !== undefined && last !== undefined, JSON.stringify(segments));
    assert.ok(Math.abs(first.startSeconds - (index * 9 + 2)) < 0.4, JSON.stringify(segments));
    assert.ok(Math.abs(last.endSeconds - (index * 9 + 7)) < 0.6, JSON.stringify(segments));
    assert.ok(secondsOf(inside) > 4.5, JSON.stringify(segments));
  }
});
