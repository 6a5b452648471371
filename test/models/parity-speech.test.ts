/** The shipped speech model hears what training heard, and says the same (`parity.json` beside the model). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SOUND_SECONDS_MAX } from '../../src/domain/limits.ts';
import { type ModelPack, packKey } from '../../src/domain/packs/model-pack.ts';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { hearSound } from '../../src/engine/analyses/sound-runs.ts';
import type { InferenceProcess, InferenceWork } from '../../src/engine/inference/inference-process.ts';
import { findDetector, findPacks } from '../../src/engine/packs/installed-packs.ts';
import { openSlot } from '../media/decode-fixture.ts';
import { parityFile, readParity, type SoundParity, type SpeechParity } from '../media/parity-media.ts';
import { PATIENCE_MS } from '../patience.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { assertNear, findPack, startModels } from './parity-packs.ts';

const MODELS = join(import.meta.dirname, '../../models');
const PACK = 'assay-speech-encoder';
/** As training rounds them. */
const SECONDS_DIFFERENCE_MAX = 0.001;
const data = await makeTemporaryFolder();
after(async () => await data[Symbol.asyncDispose]());
const { installed } = await findPacks([MODELS]);
const detectors = (await findDetector()).installed;
const slot = await openSlot(data.path);
after(async () => await slot[Symbol.asyncDispose]());

/** The rule of models/training/speech/parity.py. */
function makeSound(sampleCount: number): Float32Array {
  return Float32Array.from({ length: sampleCount }, (_, time) =>
    time >= 30_000 && time < 34_000 ? 0 : (((time * time) % 1009) * 13 + (time % 97) * 101 - 11_000) / 32_768,
  );
}

async function compareSound(
  model: InferenceProcess,
  pack: ModelPack,
  { sampleCount, ranges, logits }: SoundParity,
): Promise<void> {
  const path = join(data.path, `${pack.id}.f32`);
  await writeFile(path, makeSound(sampleCount));
  const windows = { sampleCount, ranges };
  const work = { pack: packKey(pack), path, count: ranges.length, windows };
  assertNear((await model.infer(work, { timeoutMs: PATIENCE_MS })).logits, pack, logits);
}

async function decode(file: string) {
  const path = join(data.path, 'upload');
  await writeFile(path, await parityFile(file).make());
  const input = await slot.placeInput(path);
  const request = { input, trust: NO_TRUST, soundSecondsMax: SOUND_SECONDS_MAX };
  return (await slot.request({ type: 'decode-audio', ...request }, {})).audio.sound;
}

/** What the appliance asks the pack of a file, and what it makes of the answers. */
async function hear(model: InferenceProcess, { pack }: { pack: ModelPack }, file: string) {
  const sound = await decode(file);
  const asked: InferenceWork[] = [];
  const logits: number[] = [];
  const inference = {
    detectSpeech: model.detectSpeech.bind(model),
    infer: async (work: InferenceWork) => {
      const answer = await model.infer(work, { timeoutMs: PATIENCE_MS });
      asked.push(work);
      logits.push(...answer.logits);
      return answer;
    },
    transcribe: async () => {
      throw new Error('no text was asked for');
    },
  };
  const known = [...installed, ...detectors];
  const { answer: heard } = await hearSound(
    {
      ...{ inference, inferTimeoutMs: PATIENCE_MS, decodeTimeoutMs: PATIENCE_MS },
      findPack: (key) => known.find((one) => packKey(one.pack) === key),
    },
    {
      ...{ slot, sound, secondsMax: SOUND_SECONDS_MAX, signal: new AbortController().signal, language: '' },
      models: [pack, ...detectors.map((one) => one.pack)].map(packKey),
      found: () => {},
    },
  );
  const [samples] = sound.sounds;
  return { heard, logits, ranges: asked.flatMap(({ windows }) => windows?.ranges ?? []), samples };
}

async function compareFile(
  model: InferenceProcess,
  found: { pack: ModelPack },
  expected: SpeechParity,
): Promise<void> {
  const { heard, logits, ranges, samples } = await hear(model, found, expected.file);
  assert.ok(samples !== undefined);
  const body = await readFile(slot.outPath(samples.file));
  const digest = createHash('sha256').update(body).digest('hex');
  assert.equal(digest, expected.samplesSha256, 'the samples are other ones than in training');
  assert.ok(Math.abs(heard.speechSeconds - expected.speechSeconds) <= SECONDS_DIFFERENCE_MAX);
  assert.deepEqual(ranges, expected.ranges);
  assertNear(logits, found.pack, expected.logits);
}

test(`${PACK} hears every file as in training, and says the same`, async (t) => {
  const found = findPack(installed, PACK);
  const { sound, speech = [] } = await readParity(PACK);
  assert.ok(sound !== undefined && speech.length > 0);
  await using started = await startModels([found, ...detectors]);
  await t.test('windows of a sound', async () => await compareSound(started.model, found.pack, sound));
  for (const expected of speech) {
    await t.test(expected.file, async () => await compareFile(started.model, found, expected));
  }
});
